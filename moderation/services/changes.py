"""The change feed: committed changes get positions in one order, so that a reader can miss none."""

import hashlib
import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Self

from django.db import connection, transaction
from django.db.models import TextField
from django.db.models.functions import Cast

from moderation.errors import DomainError
from moderation.models import ChangeFeed, EffectiveState

if TYPE_CHECKING:
    from django.db.models import QuerySet

SEQUENCER_LOCK = 0x5E90
_TEXT = Cast("document", TextField())
KEPT = timedelta(days=7)  # a reader that was away for longer begins with a snapshot

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


class CursorLost(DomainError):
    """The feed cannot be followed from this cursor; only a new snapshot leads back to it."""


@dataclass(frozen=True, slots=True)
class Told:
    """A post's state as the feed (with position and time) or a snapshot tells it.

    The document stays in the JSON that PostgreSQL writes: posts with the same effect have the same text.
    """

    post_id: uuid.UUID
    version: int
    document: str | None
    position: int = 0
    at: datetime | None = None


@dataclass(frozen=True)
class Cursor:
    """A reader's place: behind the change at `position`, which bears `stamp`; the beginning is 0.

    Positions are given anew after a restore from a back-up, so a place is the change itself, not its number.
    """

    position: int = 0
    stamp: str = ""

    PATTERN = r"0|[1-9][0-9]{0,17}-[0-9a-f]{8}"

    @classmethod
    def behind(cls, row: Told) -> Self:
        assert row.at is not None
        words = f"{row.position} {row.post_id} {row.version} {row.at.timestamp()}"
        return cls(row.position, hashlib.blake2b(words.encode(), digest_size=4).hexdigest())

    @classmethod
    def parse(cls, text: str) -> Self:
        """Raises ValueError for what `str` of a cursor never gives."""
        if not re.fullmatch(cls.PATTERN, text):
            raise ValueError(text)
        position, _, stamp = text.partition("-")
        return cls(int(position), stamp)

    def __str__(self) -> str:
        return f"{self.position}-{self.stamp}" if self.position else "0"


def after(cursor: Cursor, *, limit: int) -> list[Told]:
    """The feed after a place, oldest first. Gives positions to what is committed before it reads.

    The change at the place is read in the same statement: while it is there and the same, everything behind
    it is there. Raises CursorLost: `cursor_expired` when it is no longer kept, `cursor_unknown` when the feed was
    set back from a back-up.
    """
    sequence()
    rows = _told(ChangeFeed.objects.filter(position__gte=cursor.position).order_by("position")[: limit + 1])
    if not cursor.position:
        if rows and rows[0].position != 1:
            raise _expired()
        return rows[:limit]
    if rows and Cursor.behind(rows[0]) == cursor:
        return rows[1:]
    oldest = ChangeFeed.objects.order_by("position").values_list("position", flat=True).first()
    if oldest is not None and cursor.position < oldest:
        raise _expired()
    raise CursorLost(
        "The feed was set back since this cursor was given. Take a new snapshot.", code="cursor_unknown"
    )


def newest() -> Cursor:
    """The end of the feed: a snapshot read after this misses nothing that the feed does not bring."""
    sequence()
    rows = _told(ChangeFeed.objects.order_by("-position")[:1])
    return Cursor.behind(rows[0]) if rows else Cursor()


def _told(rows: "QuerySet[ChangeFeed]") -> list[Told]:
    return [Told(*row) for row in rows.values_list("post_id", "version", _TEXT, "position", "at")]


def snapshot(after: uuid.UUID | None, *, limit: int) -> list[Told]:
    """States with any effect ever, by post id: pages of a starting copy."""
    states = EffectiveState.objects.filter(version__gt=0).order_by("post_id")
    if after is not None:
        states = states.filter(post_id__gt=after)
    return [Told(*row) for row in states.values_list("post_id", "version", _TEXT)[:limit]]


_ENDING = """
SELECT post_id, version, valid_until FROM moderation_effectivestate
JOIN unnest(%s::uuid[], %s::bigint[]) AS asked(post_id, version) USING (post_id, version)
WHERE valid_until IS NOT NULL
"""


def ending(rows: Sequence[Told]) -> dict[tuple[uuid.UUID, int], datetime]:
    """When those of these states end that are their posts' newest and end by time, by post and version."""
    with connection.cursor() as cursor:
        cursor.execute(_ENDING, [[r.post_id for r in rows], [r.version for r in rows]])
        return {(post_id, version): until for post_id, version, until in cursor.fetchall()}


_TRIM = """
WITH oldest AS (SELECT position, at FROM moderation_changefeed ORDER BY position LIMIT %(limit)s)
DELETE FROM moderation_changefeed WHERE position < coalesce(
    (SELECT min(position) FROM oldest WHERE at >= %(since)s), (SELECT max(position) FROM oldest)
)
"""


def trim(*, now: datetime, limit: int = 50_000) -> int:
    """Forget changes older than KEPT, oldest first and without a hole; the newest stays. Returns how many."""
    with connection.cursor() as cursor:
        cursor.execute(_TRIM, {"limit": limit, "since": now - KEPT})
        forgotten: int = cursor.rowcount
    return forgotten


def _expired() -> CursorLost:
    return CursorLost(
        f"The changes behind this cursor are older than {KEPT.days} days and no longer kept. Take a new snapshot.",
        code="cursor_expired",
    )
