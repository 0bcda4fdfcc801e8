"""The change feed: committed changes get positions in one order, so that a reader can miss none."""

from datetime import datetime

from django.db import connection, transaction

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
        return cursor.rowcount


def waiting(*, now: datetime) -> dict[str, float]:
    """How many changes have no position yet, and the oldest one's age in seconds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*), min(at) FROM moderation_feedpending")
        count, oldest = cursor.fetchone()
    return {"count": count, "age": (now - oldest).total_seconds() if oldest else 0.0}
