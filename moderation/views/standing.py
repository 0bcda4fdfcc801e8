"""A person's own standing: their pages and accounts, the strikes that count, the posts that something limits."""

from datetime import datetime
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from moderation import policy
from moderation.models import Actor, Strike
from moderation.policy import FULL
from moderation.selectors import distribution, members, policies
from moderation.views import cards
from moderation.views.doors import Visit, signed_in

LIMITED_POSTS = 30


@require_GET
@signed_in
def standing(request: Visit) -> HttpResponse:
    """Each own actor with its level, what the level means, and every strike that counts."""
    now = timezone.now()
    rules = policies.at(now).data
    actors = members.actors_of(request.caller)
    strikes = members.strikes_of(actors, now=now)
    actors.sort(key=lambda actor: -len(strikes.get(actor.pk, [])))  # what needs attention first
    context = {
        "actors": [_standing(actor, strikes.get(actor.pk, []), rules, now=now) for actor in actors],
        "window_days": rules["strikes"]["window_days"],
        "limited": _limited(request, now=now),
    }
    return render(request, "moderation/standing.html", context)


def _standing(actor: Actor, strikes: list[Strike], rules: Any, *, now: datetime) -> dict[str, Any]:
    level = policy.level(len(strikes), rules)
    following = min(
        (r for r in rules["strikes"]["levels"] if r["at"] > len(strikes)), key=lambda r: r["at"], default=None
    )
    ends = sorted(s.counts_until for s in strikes)
    lower = policy.level(max(len(strikes) - 1, 0), rules)
    return {
        "actor": actor,
        "initials": cards.initials(actor.name),
        "level": str(level["level"]),
        "share": level["multiplier"] if level["multiplier"] < FULL else None,
        "open": {
            "recommendations": level["recommendations"],
            "ads": level["ads"],
            "monetisation": level["monetisation"],
        },
        "strikes": [_strike(s) for s in strikes],
        "next_at": following["at"] if following else None,
        "next_share": following["multiplier"] if following else None,
        # When the oldest strike stops counting, the level falls to what the rest imply.
        "better_from": ends[0] if ends and lower["level"] != level["level"] else None,
    }


def _strike(strike: Strike) -> dict[str, Any]:
    articles = cards.web_articles(strike.decision.presentation)
    version = strike.post.current_version
    return {
        "at": strike.at,
        "until": strike.counts_until,
        "post_id": strike.post_id,
        "deleted": strike.post.deleted_at is not None,
        "language": strike.post.language,
        "excerpt": cards.excerpt(version.content.text, 140) if version else "",
        "verdict": strike.decision.outcome,
        "article": articles[0] if articles else None,
        "policy_version": strike.policy_version_id,
    }


def _limited(request: Visit, *, now: datetime) -> list[dict[str, Any]]:
    """Own posts that carry an effect now, newest first."""
    posts = members.limited_posts_of(request.caller, limit=LIMITED_POSTS)
    rules = policies.at(now).data
    answers = distribution.lookup([str(p.pk) for p in posts], region=request.user.region, now=now)
    found = []
    for post, answer in zip(posts, answers, strict=True):
        if answer.document is None or post.current_version is None:
            continue
        effect = answer.document
        left = round(effect["multipliers"]["feed"] * FULL)
        if effect.get("lifted") and not effect["because"] and left == FULL:
            continue
        found.append(
            {
                "post": post,
                "excerpt": cards.excerpt(post.current_version.content.text, 140),
                "label": cards.label(effect, rules),
                "removed": effect["removed"],
                "lowered": left if 0 < left < FULL else None,
            }
        )
    return found
