"""People, posts and flags, made by driving the real services; time moves only when a test says so."""

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any

from moderation.caller import SYSTEM, Caller
from moderation.enums import DecisionKind, DeskAction, FlagReason, Ground, Role
from moderation.models import Actor, Decision, Flag, Post, PostVersion, User
from moderation.selectors import distribution
from moderation.services import (
    callers,
    changes,
    clusters,
    decisions,
    enforcement,
    escalations,
    flags,
    people,
    posts,
)
from moderation.services.escalations import CaseRef
from moderation.services.posts import ActorDraft, PostDraft

_count = itertools.count(1)
QUEUES = ("urgent", "effects", "matching", "maintenance", "delivery")


class Clock:
    """The time a test lives in."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **parts: float) -> datetime:
        self.now += timedelta(**parts)
        return self.now


def person(name: str = "Ana", **fields: Any) -> User:
    number = next(_count)
    return User.objects.create_user(
        f"{name.lower()}{number}@people.example",
        "correct horse battery",
        display_name=f"{name} {number}",
        **fields,
    )


def member(name: str = "Mira", *, clock: Clock) -> Caller:
    return callers.for_person(person(name), now=clock())


def specialist(*, clock: Clock) -> Caller:
    return _with_role(Role.POLICY_SPECIALIST, "Paula", clock)


def administrator(*, clock: Clock) -> Caller:
    return _with_role(Role.ADMINISTRATOR, "Adam", clock)


def auditor(*, clock: Clock) -> Caller:
    return _with_role(Role.AUDITOR, "Ines", clock)


def _with_role(role: Role, name: str, clock: Clock) -> Caller:
    someone = person(name)
    people.grant_role(someone, role, caller=SYSTEM, now=clock())
    return callers.for_person(someone, now=clock())


def post(
    text: str = "The water of the town well was tested on Monday and found clean.",
    *,
    clock: Clock,
    actor: str = "page-1",
    actor_kind: str = "page",
    external_id: str = "",
    language: str = "en",
    country: str | None = None,
    **fields: Any,
) -> Post:
    """A published post, as the platform sends it; `country` is the actor's."""
    draft = PostDraft(
        external_id=external_id or f"post-{next(_count)}",
        actor=ActorDraft(actor_kind, actor, actor.replace("-", " ").title(), country=country),
        text=text,
        language=language,
        published_at=fields.pop("published_at", clock() - timedelta(hours=1)),
        **fields,
    )
    return posts.upsert(draft, caller=SYSTEM, now=clock()).post


def edit(of: Post, text: str, *, clock: Clock) -> Post:
    of = Post.objects.select_related("actor").get(pk=of.pk)
    draft = PostDraft(
        external_id=of.external_id,
        actor=ActorDraft(of.actor.kind, of.actor.external_id, of.actor.name),
        text=text,
        language=of.language,
        published_at=of.published_at,
        regions=of.regions,
    )
    return posts.upsert(draft, caller=SYSTEM, now=clock()).post


def flag(
    on: Post,
    *,
    clock: Clock,
    by: Caller | None = None,
    reason: FlagReason = FlagReason.FALSE_INFORMATION,
    note: str = "",
) -> Flag:
    assert on.current_version_id is not None
    return flags.raise_flag(
        version_id=on.current_version_id,
        reason=reason,
        note=note,
        caller=by or member(clock=clock),
        now=clock(),
    ).flag


def settle(clock: Clock) -> None:
    """Do everything the outbox holds, as the workers would."""
    while sum(enforcement.drain(queue, limit=10_000, now=clock) for queue in QUEUES):
        pass
    changes.sequence()


def lookup(of: Post, *, clock: Clock, region: str = "", preference: str = "default") -> dict[str, Any] | None:
    return distribution.lookup([str(of.pk)], region=region, preference=preference, now=clock())[0].document


def feed_of(of: Post, *, clock: Clock, **viewer: str) -> float:
    """What is left of the post's distribution in the feed, 0..1."""
    document = lookup(of, clock=clock, **viewer)
    return document["multipliers"]["feed"] if document else 1.0


def actor_of(of: Post) -> Actor:
    return Actor.objects.get(pk=of.actor_id)


def sweep(clock: Clock) -> int:
    """Look for states that ended by time, as beat does; returns how many were late."""
    return enforcement.sweep(now=clock())["ended"]


def rated(
    on: Post,
    outcome: str = "false",
    *,
    clock: Clock,
    publisher: str = "Clarim",
    headline: str = "No, it was not so",
    contested: bool = False,
) -> Decision:
    """A verdict that stands on the post's newest version, as an organisation's rating would bring it."""
    version = PostVersion.objects.select_related("post").get(pk=on.current_version_id)
    cluster = clusters.create(now=clock())
    clusters.add(cluster.pk, version, caller=SYSTEM, now=clock(), by_person=True)
    article = {
        "verdict": outcome,
        "publisher": publisher,
        "headline": headline,
        "url": "https://clarim.example/checks/1",
        "language": "en",
    }
    decision = decisions.stand(
        cluster.pk,
        outcome=outcome,
        contested=contested,
        presentation={"claim": "It was so.", "articles": [article]},
        rated_version=version,
        source="test",
        source_key=str(cluster.pk),
        caller=SYSTEM,
        now=clock(),
    )
    assert decision is not None
    return decision


def removed(
    on: Post,
    *,
    clock: Clock,
    ground: Ground = Ground.INCITES_VIOLENCE,
    regions: tuple[str, ...] = (),
    explanation: str = "It names a place and an hour.",
) -> Decision:
    """A removal with two keys, as the policy desk decides it."""
    assert on.current_version_id is not None
    first, second = specialist(clock=clock), specialist(clock=clock)
    case, _ = escalations.open_case(
        version_id=on.current_version_id, ground=ground, note="", caller=first, now=clock()
    )
    proposal = escalations.propose(
        CaseRef(case.pk, case.version),
        action=DeskAction.REMOVE,
        ground=ground,
        explanation=explanation,
        policy_section="Violence 1",
        regions=regions,
        caller=first,
        now=clock(),
    )
    escalations.confirm(proposal.pk, caller=second, now=clock())
    return Decision.objects.filter(post=on, kind=DecisionKind.REMOVAL).latest("id")
