"""One post as a member sees it, with why it is treated so; and passing it on."""

import uuid
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

from moderation import iso
from moderation.enums import DecisionKind, Ground
from moderation.models import Post
from moderation.selectors import feed as feeds
from moderation.selectors import items, policies, posts
from moderation.selectors.feed import FeedPost
from moderation.views import cards, reasons
from moderation.views.doors import Visit, signed_in
from moderation.views.feed import region_of

GONE = 410


@require_GET
@signed_in
def post(request: Visit, post_id: uuid.UUID) -> HttpResponse:
    """The post with its label, articles and reasons; a tombstone or an explanation where it is gone."""
    shown = _shown(request, post_id)
    own = _is_author(request, shown.post)
    if shown.post.deleted_at is not None:
        return render(request, "moderation/post_deleted.html", {"post": shown.post, "own": own}, status=GONE)
    effect = shown.effect or {}
    decisions = posts.decisions_behind(effect)
    if effect.get("removed"):
        return _removed(request, shown, decisions, own=own)
    rules = policies.at(timezone.now()).data
    causes = reasons.why(effect, decisions, rules)
    rated = next((d for d in decisions if d.kind == DecisionKind.STANDING_VERDICT), None)
    context: dict[str, Any] = {
        "card": cards.card(shown, rules, whole=True),
        "name": cards.plain(shown.post.actor.name),
        "version": shown.post.current_version,
        "own": own,
        "dialogs": cards.DIALOGS,
        "reasons": causes,
        "composition": reasons.composition(causes, shown.multiplier),
        "surfaces": reasons.surfaces(effect) if effect else [],
        "measured": posts.views_around(shown.post.pk, rated.in_force_from) if rated else None,
        "views": items.sparklines([shown.post.pk]).get(shown.post.pk, []),
        "preference": request.user.get_viewer_preference_display(),
        "re_check_hours": rules["re_check"]["due_hours"],
        "is_default": request.user.viewer_preference == "default",
    }
    return render(request, "moderation/post.html", context)


@require_GET
@signed_in
def share(request: Visit, post_id: uuid.UUID) -> HttpResponse:
    """The way to pass a post on: its address, after a warning where a rating asks for one."""
    shown = _shown(request, post_id)
    effect = shown.effect or {}
    if shown.post.deleted_at is not None or effect.get("removed"):
        raise Http404
    rules = policies.at(timezone.now()).data
    context = {
        "post": shown.post,
        "warn": bool(effect.get("warn_before_share")),
        "label": cards.label(effect, rules),
        "articles": cards.web_articles(effect),
        "address": request.build_absolute_uri(reverse("post", args=[post_id])),
    }
    return render(
        request, "moderation/share.html#dialog" if request.htmx else "moderation/share.html", context
    )


def _shown(request: Visit, post_id: uuid.UUID) -> FeedPost:
    found = posts.by_ref(str(post_id))
    if found is None or found.current_version is None:
        raise Http404
    return feeds.one(
        found,
        caller=request.caller,
        viewer=request.user,
        region=region_of(request),
        now=timezone.now(),
    )


def _is_author(request: Visit, of: Post) -> bool:
    return of.actor.person_id is not None and of.actor.person_id == request.caller.person_id


def _removed(request: Visit, shown: FeedPost, decisions: Any, *, own: bool) -> HttpResponse:
    decision = reasons.removal_of(decisions, region_of(request))
    ground = decision.ground if decision else (shown.effect or {}).get("ground") or ""
    context = {
        "post": shown.post,
        "own": own,
        "decision": decision,
        "hidden": bool(decision and decision.kind == DecisionKind.HIDE),
        "ground": reasons.ground_words(ground),
        "regions": [_place(code) for code in decision.regions] if decision else [],
        "content": cards.content(shown.content) if own and ground != Ground.CHILD_SAFETY else None,
    }
    return render(request, "moderation/post_removed.html", context, status=200 if own else GONE)


def _place(code: str) -> str:
    return iso.region_name(code) or code
