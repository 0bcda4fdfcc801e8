"""Is what we serve what the decisions in force say? The founding promise, checked row by row."""

import uuid
from collections.abc import Iterator
from datetime import datetime

from django.db.models import Count, Exists, F, OuterRef

from moderation import effective_cache
from moderation.enums import EscalationStatus, FlagOutcome, ItemKind, ItemStatus
from moderation.models import (
    ChangeFeed,
    ClusterMember,
    EffectiveState,
    Escalation,
    Flag,
    Post,
    ReviewItem,
    Strike,
)
from moderation.policy import level
from moderation.selectors import distribution, inputs, policies, standing

BATCH = 1000


def faults(*, now: datetime, batch: int = BATCH) -> Iterator[str]:
    """Every post whose stored, cached or served state differs from the pure function, in words.

    Run it when the outbox is empty: what still waits there is late, not wrong.
    """
    after: uuid.UUID | None = None
    while True:
        states = EffectiveState.objects.order_by("post_id")
        rows = list((states.filter(post_id__gt=after) if after else states)[:batch])
        if not rows:
            return
        after = rows[-1].post_id
        yield from _of(rows, now=now)


def posts_checked() -> int:
    return Post.objects.count()


def feed_faults() -> Iterator[str]:
    """Posts for which replaying the change feed does not end at the stored state, or goes back a version.

    Once the oldest changes are forgotten, a post may begin at any version, and those long unchanged are gone.
    """
    replayed: dict[uuid.UUID, tuple[int, object]] = {}
    whole = ChangeFeed.objects.filter(position=1).exists() or not ChangeFeed.objects.exists()
    feed = ChangeFeed.objects.order_by("position").values_list("post_id", "version", "document")
    for post_id, version, document in feed.iterator(chunk_size=5000):
        held = replayed.get(post_id, (0 if whole else version - 1, None))[0]
        if version != held + 1:
            yield f"post {post_id}: the change feed goes from version {held} to {version}"
        replayed[post_id] = (version, document)
    changed = EffectiveState.objects.filter(version__gt=0).values_list("post_id", "version", "document")
    for post_id, version, document in changed.order_by("post_id").iterator(chunk_size=5000):
        if replayed.get(post_id, (version, document) if not whole else None) != (version, document):
            yield f"post {post_id}: the change feed does not end at version {version}"


def strike_faults(*, now: datetime) -> Iterator[str]:
    """Strikes against actors whose verdicts do not strike, doubled ones, and levels that nothing implies."""
    held = Strike.objects.filter(counts_until__gt=now)
    twice = held.values("actor_id", "cluster_id").annotate(n=Count("id")).filter(n__gt=1).order_by("actor_id")
    for row in twice:
        yield f"actor {row['actor_id']}: struck {row['n']} times for cluster {row['cluster_id']}"
    actors = sorted(set(held.values_list("actor_id", flat=True)))
    rules = policies.at(now).data
    counting = standing.counting(actors, now=now)
    for actor_id in actors:
        implied = level(len(counting.get(actor_id, ())), rules)["level"]
        wrong = (
            EffectiveState.objects.filter(post__actor_id=actor_id, document__isnull=False)
            .exclude(document__actor_level=implied)
            .count()
        )
        if wrong:
            yield f"actor {actor_id}: {wrong} posts do not carry the level {implied}"


def queue_faults() -> Iterator[str]:
    """Flags that wait where nobody will look, and open items about posts that are gone."""
    opened = ReviewItem.objects.filter(status=ItemStatus.OPEN, kind__in=(ItemKind.REVIEW, ItemKind.RE_CHECK))
    through = ClusterMember.objects.filter(
        post_id=OuterRef("post_id"), left_at__isnull=True, cluster_id__in=opened.values("cluster_id")
    )
    waiting = Flag.objects.filter(
        ~Exists(opened.filter(post_id=OuterRef("post_id"))),
        ~Exists(through),
        outcome=FlagOutcome.PENDING,
        withdrawn_at__isnull=True,
    )
    for flag_id in waiting.order_by("id").values_list("id", flat=True):
        yield f"flag {flag_id}: waits without an item"
    # A flag may come after the deletion, and a case keeps the item of a deleted post open (domain 5).
    cases = Escalation.objects.filter(
        post_id=OuterRef("post_id"), status__in=(EscalationStatus.OPEN, EscalationStatus.PROPOSED)
    )
    ghosts = ReviewItem.objects.filter(
        ~Exists(cases), status=ItemStatus.OPEN, post__deleted_at__gte=F("opened_at")
    )
    for item_id in ghosts.order_by("id").values_list("id", flat=True):
        yield f"item {item_id}: open about a deleted post"


def live_flags(*, prefix: str) -> int:
    """Live flags of reporters whose external id begins with `prefix`."""
    return Flag.objects.filter(reporter__external_id__startswith=prefix, withdrawn_at__isnull=True).count()


def _of(rows: list[EffectiveState], *, now: datetime) -> Iterator[str]:
    ids = [row.post_id for row in rows]
    computed = inputs.compute(ids, now=now)
    cached = effective_cache.read(ids)
    served = {a.post_id: a.document for a in distribution.lookup([str(i) for i in ids], now=now)}
    for row in rows:
        right = computed[row.post_id]
        overdue = row.valid_until is not None and row.valid_until <= now
        if not overdue and (row.document, row.feed_bp, row.removed) != (
            right.document,
            right.feed_bp,
            right.removed,
        ):
            yield f"post {row.post_id}: stored version {row.version} differs from the decisions in force"
        entry = cached.get(row.post_id)
        if entry is not None and entry.holds_at(now) and entry.document != right.document:
            yield f"post {row.post_id}: cached version {entry.version} differs from the decisions in force"
        if (served[row.post_id] is None) != (right.document is None) or (
            right.document is not None and served[row.post_id]["multipliers"] != right.document["multipliers"]  # type: ignore[index]
        ):
            yield f"post {row.post_id}: what is served differs from the decisions in force"
