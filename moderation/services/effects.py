"""Effective state out: recompute is its only writer.

load the inputs -> policy.effective_state(inputs, at) -> store if different -> change feed -> cache.

A claim's posts are mostly alike: what is alike is judged, compared and written down once, and each post
costs what the database needs for a row of its own.
"""

import json
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.db import connection, transaction

from moderation import effective_cache, locks, policy
from moderation.effective_cache import Entry
from moderation.enums import OutboxKind
from moderation.ids import among, array
from moderation.models import EffectiveState, Outbox
from moderation.selectors import inputs
from moderation.services import announcements, notices, outbox


@dataclass(frozen=True)
class Change:
    """Posts whose effective state was the same before a recompute and is the same after it."""

    post_ids: Sequence[str]
    before: dict[str, Any] | None
    after: policy.State


@transaction.atomic
def recompute(post_ids: Sequence[uuid.UUID], *, now: datetime) -> int:
    """Bring the stored states of these posts in line with the decisions in force; returns how many changed.

    Inputs are read after the rows are locked: a decision that commits later brings its own recompute.
    `now` may have passed while others held the rows: none is computed for an earlier instant than it was.
    """
    newest = locks.hold_states(post_ids)
    now = max(now, newest or now)
    changes = []
    for group in inputs.alike(post_ids, now=now):
        before = None if group.stored is None else json.loads(group.stored)
        after = policy.effective_state(group.inputs, now)
        if (before, group.stored_until) != (after.document, after.valid_until):
            changes.append(Change(group.post_ids, before, after))
    if not changes:
        return 0
    written = _store(changes, now=now)
    notices.after(changes, now=now)
    announcements.effects_changed(changes, written, now=now)
    row = outbox.put(
        OutboxKind.PUBLISH, [uuid.UUID(next(iter(written)))], now=now, payload={"posts": [*written]}
    )[0]
    transaction.on_commit(partial(_publish_now, row.pk, changes, written), robust=True)
    return len(written)


def publish(post_ids: Sequence[uuid.UUID]) -> bool:
    """Write the stored states of these posts to the cache; returns whether Redis took them."""
    epoch = effective_cache.epoch()
    if epoch is None:
        return False
    rows = EffectiveState.objects.filter(post_id__in=among(post_ids)).order_by("post_id")
    return effective_cache.write(
        ((r.post_id, Entry(r.version, r.valid_until, r.document)) for r in rows), epoch
    )


def request(post_ids: Collection[uuid.UUID], *, now: datetime) -> None:
    """Owe a recompute of these posts, unless one waits already."""
    outbox.put_once(OutboxKind.RECOMPUTE_POST, post_ids, now=now)


def _publish_now(row_id: uuid.UUID, changes: Sequence[Change], written: Mapping[str, int]) -> None:
    """At once after the commit; if Redis does not answer, the outbox row keeps trying.

    Of what was just written only the versions are read again: a post with a newer one is its writer's.
    """
    epoch = effective_cache.epoch()
    if epoch is None:
        return
    with connection.cursor() as cursor:
        cursor.execute(_VERSIONS, [array(written)])
        ours = {i for i, version in cursor.fetchall() if written[i] == version}
    entries = (
        (i, Entry(written[i], change.after.valid_until, change.after.document))
        for change in changes
        for i in change.post_ids
        if i in ours
    )
    if effective_cache.write(entries, epoch):
        with transaction.atomic(), connection.cursor() as cursor:
            # Nobody waits for the disk: a row that a crash brings back is published once more.
            cursor.execute("SET LOCAL synchronous_commit TO off")
            Outbox.objects.filter(pk=row_id).delete()


_VERSIONS = """
SELECT post_id::text, version FROM moderation_effectivestate WHERE post_id = ANY(%s::uuid[])
"""

_STORE = """
WITH kind AS MATERIALIZED (
    SELECT number, document::jsonb, feed_bp, removed, valid_until
    FROM unnest(%(documents)s::text[], %(feed_bp)s::int[], %(removed)s::bool[], %(valid_until)s::timestamptz[])
        WITH ORDINALITY AS k(document, feed_bp, removed, valid_until, number)
), stored AS (
    UPDATE moderation_effectivestate s
    SET version = s.version + 1, document = kind.document, feed_bp = kind.feed_bp, removed = kind.removed,
        valid_until = kind.valid_until, computed_at = %(now)s
    FROM unnest(%(posts)s::uuid[], %(kinds)s::int[]) AS new(post_id, kind) JOIN kind ON kind.number = new.kind
    WHERE s.post_id = new.post_id
    RETURNING s.post_id, s.version, s.document
), fed AS (
    INSERT INTO moderation_feedpending (post_id, version, document, at)
    SELECT post_id, version, document, %(now)s FROM stored ORDER BY post_id
)
SELECT post_id::text, version FROM stored ORDER BY stored.post_id
"""


def _store(changes: Sequence[Change], *, now: datetime) -> dict[str, int]:
    """Write states and feed; returns the posts' new versions, by post id."""
    states = [change.after for change in changes]
    kinds = [str(number) for number, change in enumerate(changes, 1) for _ in change.post_ids]
    with connection.cursor() as cursor:
        cursor.execute(
            _STORE,
            {
                "documents": [None if s.document is None else json.dumps(s.document) for s in states],
                "feed_bp": [s.feed_bp for s in states],
                "removed": [s.removed for s in states],
                "valid_until": [s.valid_until for s in states],
                "posts": array(i for change in changes for i in change.post_ids),
                "kinds": f"{{{','.join(kinds)}}}",
                "now": now,
            },
        )
        return dict(cursor.fetchall())
