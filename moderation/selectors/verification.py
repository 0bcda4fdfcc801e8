"""Is what we serve what the decisions in force say? The founding promise, checked row by row."""

import uuid
from collections.abc import Iterator
from datetime import datetime

from moderation import effective_cache
from moderation.models import ChangeFeed, EffectiveState, Post
from moderation.selectors import distribution, inputs

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
    """Posts for which replaying the change feed does not end at the stored state, or goes back a version."""
    replayed: dict[uuid.UUID, tuple[int, object]] = {}
    feed = ChangeFeed.objects.order_by("position").values_list("post_id", "version", "document")
    for post_id, version, document in feed.iterator(chunk_size=5000):
        held = replayed.get(post_id, (0, None))[0]
        if version != held + 1:
            yield f"post {post_id}: the change feed goes from version {held} to {version}"
        replayed[post_id] = (version, document)
    changed = EffectiveState.objects.filter(version__gt=0).values_list("post_id", "version", "document")
    for post_id, version, document in changed.order_by("post_id").iterator(chunk_size=5000):
        if replayed.get(post_id) != (version, document):
            yield f"post {post_id}: the change feed does not end at version {version}"


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
