"""The outbox is the queue: rows of work written in the transaction that owes it.

A message only wakes a worker, after the commit; a lost message costs time, never work.
"""

import uuid
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from functools import cache, partial
from typing import Any

from django.db import transaction
from django.db.models import Q

from moderation.enums import OutboxKind
from moderation.ids import new_id
from moderation.models import Outbox
from moderation.services import statements

LONGEST_WAIT = timedelta(minutes=5)  # between two attempts
QUEUE_OF = {
    OutboxKind.RECOMPUTE_POST: "effects",
    OutboxKind.RECOMPUTE_CLUSTER: "effects",
    OutboxKind.RECOMPUTE_ACTOR: "effects",
    OutboxKind.PUBLISH: "effects",
    # Behind the effects: a flood of flags must not keep a rating from being enforced.
    OutboxKind.REFRESH_ITEM: "maintenance",
    OutboxKind.REFRESH_CLUSTER: "maintenance",
    OutboxKind.JUDGE_FLAGS: "maintenance",
    OutboxKind.JUDGE_CLUSTER: "maintenance",
    OutboxKind.POST_VERSION_ADDED: "matching",
    OutboxKind.MESSAGE: "maintenance",
    OutboxKind.ROLL_OUT_POLICY: "effects",
    OutboxKind.RANK_AGAIN: "maintenance",
    OutboxKind.DRY_RUN_POLICY: "maintenance",
    OutboxKind.ROLL_OUT_SWITCH: "effects",
    OutboxKind.DRY_RUN_SWITCH: "maintenance",
}
# Kinds whose rows are worked through many at a time, in one transaction.
TOGETHER = frozenset({OutboxKind.RECOMPUTE_POST, OutboxKind.REFRESH_ITEM})


def put(
    kind: OutboxKind,
    targets: Iterable[uuid.UUID],
    *,
    now: datetime,
    urgent: bool = False,
    payload: dict[str, Any] | None = None,
) -> list[Outbox]:
    """Write one row per target in the caller's transaction and ring after its commit."""
    queue = "urgent" if urgent else QUEUE_OF[kind]
    rows = Outbox.objects.bulk_create(
        [
            Outbox(queue=queue, kind=kind, target=t, payload=payload or {}, at=now, available_at=now)
            for t in targets
        ]
    )
    if rows:
        ring_after_commit(queue)
    return rows


_PUT_ONCE = """
WITH wanted AS (
    SELECT * FROM unnest(%s::uuid[], %s::uuid[]) AS w(id, target)
), waiting AS (
    SELECT o.target FROM moderation_outbox o
    WHERE o.kind = %s AND o.target = ANY(%s) AND o.payload = '{}' AND o.failed_at IS NULL
    FOR UPDATE SKIP LOCKED
)
INSERT INTO moderation_outbox (id, queue, kind, target, payload, at, available_at, attempts, error)
SELECT id, %s, %s, target, '{}', %s, %s, 0, '' FROM wanted
WHERE target NOT IN (SELECT target FROM waiting) ORDER BY id
"""


def put_once(kind: OutboxKind, targets: Iterable[uuid.UUID], *, now: datetime) -> None:
    """As `put`, for those targets about which no row of this kind waits. One statement.

    A row that a worker has in hand does not count: it may have looked already. One that waits is kept
    from the workers until the caller's transaction ends, so that they see what it brings.
    """
    if wanted := sorted(set(targets)):
        statements.run(once(kind, wanted, now=now))


def once(kind: OutboxKind, targets: Sequence[uuid.UUID], *, now: datetime) -> statements.Statement:
    """As `put_once`, for who has more to write; the bell rings after the commit."""
    queue = QUEUE_OF[kind]
    ring_after_commit(queue)
    ids = [new_id() for _ in targets]
    return _PUT_ONCE, [ids, targets, kind, targets, queue, kind, now, now]


def put_posts(kind: OutboxKind, post_ids: Sequence[uuid.UUID], *, now: datetime) -> Outbox:
    """Write one row for many posts; see `posts_of`."""
    return put(kind, post_ids[:1], now=now, payload={"posts": [str(i) for i in post_ids]})[0]


def posts_of(row: Outbox) -> list[uuid.UUID]:
    """The posts a row is about: those of its payload, or its target alone."""
    return [uuid.UUID(i) for i in row.payload["posts"]] if "posts" in row.payload else [row.target]


def due(now: datetime) -> Q:
    """What may be worked on. Only a row that failed waits for a time, and for LONGEST_WAIT at most: another
    one, or one that would wait for longer, was written before somebody set the clock back (CEL-06)."""
    return Q(attempts=0) | Q(available_at__lte=now) | Q(available_at__gt=now + LONGEST_WAIT)


def take(queue: str, *, most: int = 1, now: datetime) -> list[Outbox]:
    """The oldest waiting row, locked, and up to `most` in all that ask for the same of other targets.

    Rows with a payload, and those that failed before, come alone. Empty when nothing waits that nobody
    else works on.
    """
    waiting = (
        Outbox.objects.select_for_update(skip_locked=True)
        .filter(due(now), queue=queue, failed_at__isnull=True)
        .order_by("available_at", "id")
    )
    first = waiting.first()
    if first is None:
        return []
    if most == 1 or first.kind not in TOGETHER or not _goes_together(first):
        return [first]
    alike = waiting.filter(kind=first.kind, attempts=0, payload={}).exclude(pk=first.pk)
    return [first, *alike[: most - 1]]


def _goes_together(row: Outbox) -> bool:
    return not row.payload and row.attempts == 0


# ── the bell ───────────────────────────────────────────────────────────────────────────────────────

_ring: Callable[[str], None] = lambda queue: None  # noqa: E731 (silent until a bell is hung)


def hang_bell(ring: Callable[[str], None]) -> None:
    """Set what wakes a worker: moderation.tasks does, at start-up."""
    global _ring
    _ring = ring


def ring_after_commit(queue: str) -> None:
    """Once per queue and transaction."""
    bell = _bell(queue)
    waiting = transaction.get_connection().run_on_commit
    if not any(func is bell for _sids, func, _robust in waiting):
        transaction.on_commit(bell, robust=True)


@cache
def _bell(queue: str) -> Callable[[], None]:
    return partial(_ring_now, queue)


def _ring_now(queue: str) -> None:
    _ring(queue)
