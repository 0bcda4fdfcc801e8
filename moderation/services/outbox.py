"""The outbox is the queue: rows of work written in the transaction that owes it.

A message only wakes a worker, after the commit; a lost message costs time, never work.
"""

import uuid
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cache, partial
from typing import Any

from django.db import transaction

from moderation.enums import OutboxKind
from moderation.models import Outbox

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
    OutboxKind.ROLL_OUT_POLICY: "effects",
    OutboxKind.RANK_AGAIN: "maintenance",
    OutboxKind.DRY_RUN_POLICY: "maintenance",
    OutboxKind.ROLL_OUT_SWITCH: "effects",
    OutboxKind.DRY_RUN_SWITCH: "maintenance",
}


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


def put_once(kind: OutboxKind, targets: Iterable[uuid.UUID], *, now: datetime) -> None:
    """As `put`, for those targets about which no row of this kind waits.

    A row that a worker has in hand does not count: it may have looked already.
    """
    wanted = set(targets)
    waiting = (
        Outbox.objects.select_for_update(skip_locked=True)
        .filter(kind=kind, target__in=wanted, failed_at__isnull=True)
        .order_by("id")
        .values_list("target", flat=True)
    )
    put(kind, sorted(wanted.difference(waiting)), now=now)


def put_posts(kind: OutboxKind, post_ids: Sequence[uuid.UUID], *, now: datetime) -> Outbox:
    """Write one row for many posts; see `posts_of`."""
    return put(kind, post_ids[:1], now=now, payload={"posts": [str(i) for i in post_ids]})[0]


def posts_of(row: Outbox) -> list[uuid.UUID]:
    """The posts a row is about: those of its payload, or its target alone."""
    return [uuid.UUID(i) for i in row.payload["posts"]] if "posts" in row.payload else [row.target]


def take(queue: str, *, now: datetime) -> Outbox | None:
    """The oldest waiting row, locked; None when nothing waits that nobody else works on."""
    return (
        Outbox.objects.select_for_update(skip_locked=True)
        .filter(queue=queue, available_at__lte=now, failed_at__isnull=True)
        .order_by("available_at", "id")
        .first()
    )


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
