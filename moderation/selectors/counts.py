"""What the ranks of items rest on, counted over all their posts: for many items in four questions."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import connection


@dataclass
class Counted:
    """What is said about the posts of one item, by members who wait for an answer and by machines."""

    reasons: dict[str, int] = field(default_factory=dict)  # reason -> distinct reporters
    # (flags judged, flags agreed with) -> how many of the waiting reporters have that record
    flaggers: dict[tuple[int, int], int] = field(default_factory=dict)
    signals: int = 0
    strongest_signal: float = 0.0  # 0..1
    views_per_hour: float = 0.0


# The posts of an item: its own, or its cluster's. A post may be in a cluster with several versions.
_ABOUT = """
WITH about AS (
    SELECT i.id AS item_id, i.post_id FROM moderation_reviewitem i
    WHERE i.id = ANY(%(items)s) AND i.post_id IS NOT NULL
    UNION
    SELECT i.id, m.post_id FROM moderation_reviewitem i
    JOIN moderation_clustermember m ON m.cluster_id = i.cluster_id AND m.left_at IS NULL
    WHERE i.id = ANY(%(items)s)
)"""
_WAITING = "f.withdrawn_at IS NULL AND f.outcome = 'pending'"

_REASONS = f"""{_ABOUT}
SELECT a.item_id, f.reason, count(DISTINCT f.reporter_id)
FROM about a JOIN moderation_flag f ON f.post_id = a.post_id AND {_WAITING}
GROUP BY a.item_id, f.reason
"""  # noqa: S608 (constants)

_RECORDS = f"""{_ABOUT}, waiting AS (
    SELECT DISTINCT a.item_id, f.reporter_id
    FROM about a JOIN moderation_flag f ON f.post_id = a.post_id AND {_WAITING}
), record AS (
    SELECT f.reporter_id, count(*) FILTER (WHERE f.outcome IN ('agreed', 'disagreed')) AS judged,
        count(*) FILTER (WHERE f.outcome = 'agreed') AS agreed
    FROM moderation_flag f
    WHERE f.withdrawn_at IS NULL AND f.reporter_id IN (SELECT reporter_id FROM waiting)
    GROUP BY f.reporter_id
)
SELECT w.item_id, r.judged, r.agreed, count(*) FROM waiting w JOIN record r USING (reporter_id)
GROUP BY w.item_id, r.judged, r.agreed
"""  # noqa: S608 (constants)

_SIGNALS = f"""{_ABOUT}
SELECT a.item_id, count(*), max(s.score) FROM about a JOIN moderation_signal s ON s.post_id = a.post_id
GROUP BY a.item_id
"""  # noqa: S608 (constants)

_SPEED = f"""{_ABOUT}
SELECT a.item_id, sum(r.views_per_hour) FROM about a JOIN moderation_postreach r ON r.post_id = a.post_id
GROUP BY a.item_id
"""  # noqa: S608 (constants)


def of_items(item_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, Counted]:
    """An entry for each of the ids, also where nothing is said."""
    found = {i: Counted() for i in item_ids}
    for item_id, reason, reporters in _rows(_REASONS, item_ids):
        found[item_id].reasons[reason] = reporters
    for item_id, judged, agreed, reporters in _rows(_RECORDS, item_ids):
        found[item_id].flaggers[judged, agreed] = reporters
    for item_id, number, strongest in _rows(_SIGNALS, item_ids):
        found[item_id].signals, found[item_id].strongest_signal = number, strongest
    for item_id, speed in _rows(_SPEED, item_ids):
        found[item_id].views_per_hour = speed
    return found


def _rows(question: str, item_ids: Sequence[uuid.UUID]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(question, {"items": list(item_ids)})
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
