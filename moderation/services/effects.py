"""Effective state out: recompute is its only writer.

load the inputs -> policy.effective_state(inputs, at) -> store if different -> change feed -> cache.
"""

import json
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db import connection, transaction

from moderation import effective_cache, locks, policy
from moderation.effective_cache import Entry
from moderation.enums import OutboxKind
from moderation.models import EffectiveState, Outbox, Post
from moderation.selectors import inputs
from moderation.services import announcements, notices, outbox


@dataclass(frozen=True)
class Change:
    """One post's effective state before and after a recompute."""

    post_id: uuid.UUID
    actor_id: uuid.UUID
    before: dict[str, Any] | None
    after: dict[str, Any] | None


@transaction.atomic
def recompute(post_ids: Sequence[uuid.UUID], *, now: datetime) -> int:
    """Bring the stored states of these posts in line with the decisions in force; returns how many changed.

    Inputs are read after the rows are locked: a decision that commits later brings its own recompute.
    `now` may have passed while others held the rows: none is computed for an earlier instant than it was.
    """
    stored = {row.post_id: row for row in locks.states(post_ids)}
    now = max([now, *(row.computed_at for row in stored.values())])
    states = inputs.compute(list(stored), now=now)
    changed = [
        i
        for i, state in states.items()
        if (stored[i].document, stored[i].valid_until) != (state.document, state.valid_until)
    ]
    if not changed:
        return 0
    actors = dict(Post.objects.filter(pk__in=changed).values_list("pk", "actor_id"))
    changes = [Change(i, actors[i], stored[i].document, states[i].document) for i in changed]
    _store(changed, states, now=now)
    notices.after(changes, now=now)
    announcements.effects_changed(changes, {i: stored[i].version + 1 for i in changed}, now=now)
    row = outbox.put(OutboxKind.PUBLISH, [changed[0]], now=now, payload={"posts": [str(i) for i in changed]})[
        0
    ]
    transaction.on_commit(partial(_publish_now, row.pk, changed), robust=True)
    return len(changed)


def publish(post_ids: Sequence[uuid.UUID]) -> bool:
    """Write the stored states of these posts to the cache; returns whether Redis took them."""
    epoch = effective_cache.epoch()
    if epoch is None:
        return False
    rows = EffectiveState.objects.filter(post_id__in=post_ids).order_by("post_id")
    return effective_cache.write(
        ((r.post_id, Entry(r.version, r.valid_until, r.document)) for r in rows), epoch
    )


def request(post_ids: Collection[uuid.UUID], *, now: datetime) -> None:
    """Owe a recompute of these posts, unless one waits already."""
    outbox.put_once(OutboxKind.RECOMPUTE_POST, post_ids, now=now)


def _publish_now(row_id: uuid.UUID, post_ids: Sequence[uuid.UUID]) -> None:
    """At once after the commit; if Redis does not answer, the outbox row keeps trying."""
    if publish(post_ids):
        Outbox.objects.filter(pk=row_id).delete()


_STORE = """
WITH new AS (
    SELECT * FROM unnest(%s::uuid[], %s::text[], %s::int[], %s::bool[], %s::timestamptz[])
        AS n(post_id, document, feed_bp, removed, valid_until)
), stored AS (
    UPDATE moderation_effectivestate s
    SET version = s.version + 1, document = n.document::jsonb, feed_bp = n.feed_bp, removed = n.removed,
        valid_until = n.valid_until, computed_at = %s
    FROM new n WHERE s.post_id = n.post_id
    RETURNING s.post_id, s.version, s.document
)
INSERT INTO moderation_feedpending (post_id, version, document, at)
SELECT post_id, version, document, %s FROM stored ORDER BY post_id
"""


def _store(post_ids: Sequence[uuid.UUID], states: dict[uuid.UUID, policy.State], *, now: datetime) -> None:
    rows = [states[i] for i in post_ids]
    with connection.cursor() as cursor:
        cursor.execute(
            _STORE,
            [
                list(post_ids),
                [None if s.document is None else json.dumps(s.document) for s in rows],
                [s.feed_bp for s in rows],
                [s.removed for s in rows],
                [s.valid_until for s in rows],
                now,
                now,
            ],
        )
