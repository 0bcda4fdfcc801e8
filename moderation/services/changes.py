"""The change feed: committed changes get positions in one order, so that a reader can miss none."""

import uuid
from datetime import datetime

from django.db import connection, transaction

from moderation.models import ChangeFeed, EffectiveState

SEQUENCER_LOCK = 0x5E90

_SEQUENCE = """
WITH taken AS (
    DELETE FROM moderation_feedpending WHERE id IN (
        SELECT id FROM moderation_feedpending ORDER BY id LIMIT %s
    ) RETURNING id, post_id, version, document, at
), last AS (SELECT coalesce(max(position), 0) AS position FROM moderation_changefeed)
INSERT INTO moderation_changefeed (position, post_id, version, document, at)
SELECT last.position + row_number() OVER (ORDER BY taken.id), post_id, version, document, at
FROM taken, last
"""


def sequence(*, limit: int = 10_000) -> int:
    """Move committed changes into the feed in id order; returns how many. One at a time, others return 0.

    A change that commits late gets a later position than one with a higher id: ids order the waiting
    rows, positions order the feed. Each post's versions stay in order because its row was locked while
    they were written. The lock is taken in its own statement, so that the move sees all it should.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [SEQUENCER_LOCK])
        if not cursor.fetchone()[0]:
            return 0
        cursor.execute(_SEQUENCE, [limit])
        moved: int = cursor.rowcount
    return moved


def waiting(*, now: datetime) -> dict[str, float]:
    """How many changes have no position yet, and the oldest one's age in seconds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), min(at) FROM moderation_feedpending")
        count, oldest = cursor.fetchone()
    return {"count": count, "age": (now - oldest).total_seconds() if oldest else 0.0}


def after(position: int, *, limit: int) -> list[ChangeFeed]:
    """The feed after a position, oldest first. Gives positions to what is committed before it reads."""
    sequence()
    return list(ChangeFeed.objects.filter(position__gt=position).order_by("position")[:limit])


def last_position() -> int:
    """The newest position: a snapshot read after this misses nothing that the feed does not bring."""
    sequence()
    newest = ChangeFeed.objects.order_by("-position").values_list("position", flat=True).first()
    return newest or 0


def snapshot(after: uuid.UUID | None, *, limit: int) -> list[EffectiveState]:
    """States with any effect ever, by post id: pages of a starting copy."""
    states = EffectiveState.objects.filter(version__gt=0).order_by("post_id")
    return list(states.filter(post_id__gt=after)[:limit] if after else states[:limit])
