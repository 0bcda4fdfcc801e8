"""What happened on the demo's platform before today, told through the real services at the times it happened."""

import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from factcheck.demo import content
from factcheck.demo.cast import Cast
from factcheck.enums import NOT_ELIGIBLE
from factcheck.services import claims, leases, ratings
from factcheck.services.claims import ClaimDraft
from factcheck.services.ratings import RatingDraft
from moderation.caller import SYSTEM, Caller
from moderation.enums import DeskAction, FlagReason, Ground, Role
from moderation.selectors import posts as find
from moderation.services import changes, enforcement, escalations, flags, media, posts
from moderation.services.escalations import CaseRef
from moderation.services.posts import ActorDraft, PostDraft, Reach
from moderation.services.queue import ItemRef

Progress = Callable[[str, int, int], None]
EARLIEST_RATING = timedelta(hours=1)
BACKLOG_HOURS = 20
NOTHING_TO_CHECK = {
    "opinion": "An opinion: nothing in it can be checked.",
    "harmless": "An everyday post without a checkable claim.",
    "satire": "A joke that nobody takes for news.",
    "true": "A notice of the place itself; nothing is in doubt.",
}


def tell(cast: Cast, *, now: datetime, progress: Progress) -> None:
    """Publish, flag, rate and escalate; everything the outbox owes is done on the way."""
    chance = random.Random(2018)  # noqa: S311 (the same demo every time)
    versions = _publish(cast, now=now, progress=progress)
    _flag(cast, versions, now=now, progress=progress)
    _work(now)
    for index, row in enumerate(content.rows("ratings"), 1):
        _rate(cast, row, now=now, chance=chance)
        _work(now)
        progress("ratings", index, len(content.rows("ratings")))
    _pass_over(cast, versions, now=now)
    _work(now)
    for index, row in enumerate(content.rows("escalations"), 1):
        _escalate(cast, row, now=now)
        progress("escalations", index, len(content.rows("escalations")))
    _work(now)


def _publish(cast: Cast, *, now: datetime, progress: Progress) -> dict[str, Any]:
    """Actors' posts, oldest first, with their pictures and how many saw them when."""
    actors = {a["external_id"]: a for a in content.rows("actors")}
    kept: dict[str, dict[str, str]] = {}
    versions: dict[str, Any] = {}
    samples: list[Reach] = []
    rows = sorted(content.rows("posts"), key=lambda r: -r["hours_ago"])
    for index, row in enumerate(rows, 1):
        actor = actors[row["actor"]]
        at = now - timedelta(hours=row["hours_ago"])
        pictures = []
        for picture in row["media"]:
            if picture["file"] not in kept:
                file = content.MEDIA / picture["file"]
                kept[picture["file"]] = media.keep(file.read_bytes(), suffix=file.suffix)
            pictures.append({**kept[picture["file"]], "alt": picture["alt"]})
        done = posts.upsert(
            PostDraft(
                external_id=row["external_id"],
                actor=ActorDraft(
                    actor["kind"],
                    actor["external_id"],
                    actor["name"],
                    cast.people.get(actor.get("person", "")),
                    actor["country"],
                ),
                text=row["text"],
                language=row["language"],
                published_at=at,
                links=row["links"],
                media=pictures,
                regions=row["regions"],
                topic=row["topic"],
            ),
            caller=SYSTEM,
            now=at,
        )
        versions[row["external_id"]] = done.version
        samples += _curve(done.post.pk, row["reach"], at, now)
        progress("posts", index, len(rows))
    posts.record_reach(samples, caller=SYSTEM, now=now)
    return versions


def _curve(post_id: Any, reach: dict[str, Any], since: datetime, until: datetime) -> Iterator[Reach]:
    """Cumulative figures at even steps from publication to exactly now."""
    curve = reach["curve"]
    step = (until - since) / len(curve)
    for index, views in enumerate(curve, 1):
        share = views / max(curve[-1], 1)
        yield Reach(
            post_id,
            until - step * (len(curve) - index),
            views,
            round(reach["shares"] * share),
            round(reach["comments"] * share),
        )


def _flag(cast: Cast, versions: dict[str, Any], *, now: datetime, progress: Progress) -> None:
    rows = content.rows("flags")
    for index, row in enumerate(rows, 1):
        version = versions[row["post"]]
        person = cast.people.get(row["member"])
        at = min(version.seen_at + timedelta(minutes=row["minutes_after_post"]), now)
        flags.raise_flag(
            version_id=version.pk,
            reason=FlagReason(row["reason"]),
            note=row.get("note") or "",
            reporter_external_id=None if person else row["member"],
            caller=Caller(Role.MEMBER, person_id=person.pk) if person else SYSTEM,
            now=at,
        )
        progress("flags", index, len(rows))


def _rate(cast: Cast, row: dict[str, Any], *, now: datetime, chance: random.Random) -> None:
    """A reviewer of the partner takes the post's item and decides; some think again later."""
    post = find.by_ref(f"ext:{row['post']}")
    if post is None:
        raise LookupError(row["post"])
    age = now - post.published_at
    at = post.published_at + max(age * chance.uniform(0.15, 0.6), min(EARLIEST_RATING, age * 0.6))
    rater = chance.choice(cast.people_of(row["partner"], now=at))
    item = claims.pick(post_ref=str(post.pk), caller=rater, now=at)
    item = leases.take(item.pk, caller=rater, now=at)
    seen = ItemRef(item.pk, item.version)
    if row["verdict"] == NOT_ELIGIBLE:
        ratings.not_eligible(seen, reason=row["explanation"], caller=rater, now=at)
        return
    rating = ratings.submit(seen, _draft(row), caller=rater, now=at)
    later = at + (now - at) / 2
    if revised := row.get("revise"):
        ratings.revise(rating.pk, _draft({**row, **revised}), caller=rater, now=later)
    elif withdrawn := row.get("withdraw"):
        ratings.withdraw(rating.pk, reason=withdrawn["reason"], caller=rater, now=later)


def _pass_over(cast: Cast, versions: dict[str, Any], *, now: datetime) -> None:
    """Reviewers closed what is older than a day and holds nothing to check, so that the queue is today's."""
    flagged = {row["post"] for row in content.rows("flags")}
    rated = {row["post"] for row in content.rows("ratings")}
    for row in content.rows("posts"):
        reason = NOTHING_TO_CHECK.get(row["kind"])
        if reason is None or row["hours_ago"] < BACKLOG_HOURS or row["external_id"] not in flagged - rated:
            continue
        at = now - timedelta(hours=row["hours_ago"] - BACKLOG_HOURS)
        for slug, partner in cast.partners.items():
            covered = not row["regions"] or set(row["regions"]) & set(partner.countries)
            if row["language"] in partner.languages and covered and partner.is_certified(now=at):
                reviewer = cast.people_of(slug, now=at)[-1]
                item = claims.pick(
                    post_ref=str(versions[row["external_id"]].post_id), caller=reviewer, now=at
                )
                item = leases.take(item.pk, caller=reviewer, now=at)
                ratings.not_eligible(ItemRef(item.pk, item.version), reason=reason, caller=reviewer, now=at)
                break


def _draft(row: dict[str, Any]) -> RatingDraft:
    return RatingDraft(
        verdict=row["verdict"],
        headline=row["headline"],
        explanation=row["explanation"],
        claim=ClaimDraft(text=row.get("claim", ""), fragment=row.get("fragment", "")),
        article_url=row.get("article_url") or "",
        evidence=row.get("evidence", ()),
        countries=row.get("countries", ()),
    )


def _escalate(cast: Cast, row: dict[str, Any], *, now: datetime) -> None:
    """A reviewer escalates; the desk does what the row says, or has not come to it yet."""
    post = find.by_ref(f"ext:{row['post']}")
    if post is None or post.current_version is None:
        raise LookupError(row["post"])
    at = now - (now - post.published_at) / 4
    by = cast.people_of(row["partner"], now=at)[0]
    case, _ = escalations.open_case(
        version_id=post.current_version.pk,
        ground=Ground(row["ground"]),
        note=row["note"],
        regions=row.get("regions", ()),
        caller=by,
        now=at,
    )
    first, second = (
        cast.acting(email, Role.POLICY_SPECIALIST, now=at)
        for email in cast.holders(Role.POLICY_SPECIALIST)[:2]
    )
    seen = CaseRef(case.pk, case.version)
    soon = at + (now - at) / 3
    words = row.get("explanation") or "The desk has read the post in its context."
    match row["outcome"]:
        case "kept":
            escalations.keep(seen, explanation=words, caller=first, now=soon)
        case "hidden":
            escalations.hide(seen, explanation=words, caller=first, now=now - timedelta(hours=3))
        case "proposed" | "removed" as outcome:
            proposal = escalations.propose(
                seen,
                action=DeskAction.REMOVE,
                ground=Ground(row["ground"]),
                explanation=words,
                policy_section=row.get("policy_section") or "Safety 1",
                regions=row.get("regions", ()),
                caller=first,
                now=soon,
            )
            if outcome == "removed":
                escalations.confirm(proposal.pk, caller=second, now=soon + (now - soon) / 4)


def _work(now: datetime) -> None:
    """Do what the outbox owes, as the workers would."""
    while sum(enforcement.drain(queue, limit=100_000, now=lambda: now) for queue in settings.TASK_QUEUES):
        pass
    changes.sequence()
