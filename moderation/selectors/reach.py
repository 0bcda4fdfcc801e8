"""Views of posts before and after an instant: the measured effect of a decision, never an asserted one."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

DAY = timedelta(hours=24)


@dataclass(frozen=True)
class BeforeAfter:
    """Views of a cluster's live posts: until `at` and since; and in the 24 hours around it."""

    before: int
    after: int
    day_before: int
    day_after: int


# A post's views at an instant are its newest sample until then: nothing is guessed between two samples.
_VIEWS = """
SELECT coalesce(sum(until_at), 0), coalesce(sum(until_now), 0),
       coalesce(sum(until_at - until_day_before), 0), coalesce(sum(until_day_after - until_at), 0)
FROM (
    SELECT coalesce(max(s.views) FILTER (WHERE s.at <= %(at)s), 0) AS until_at,
           coalesce(max(s.views), 0) AS until_now,
           coalesce(max(s.views) FILTER (WHERE s.at <= %(at)s - %(day)s), 0) AS until_day_before,
           coalesce(max(s.views) FILTER (WHERE s.at <= %(at)s + %(day)s), 0) AS until_day_after
    FROM moderation_reachsample s
    WHERE s.at <= %(now)s AND s.post_id IN (
        SELECT m.post_id FROM moderation_clustermember m
        WHERE m.cluster_id = %(cluster)s AND m.left_at IS NULL)
    GROUP BY s.post_id
) AS posts
"""


def around(cluster_id: uuid.UUID, at: datetime, *, now: datetime) -> BeforeAfter:
    """What the cluster's posts gathered before and after `at`."""
    asked: dict[str, Any] = {"cluster": cluster_id, "at": at, "day": DAY, "now": now}
    with connection.cursor() as cursor:
        cursor.execute(_VIEWS, asked)
        until_at, until_now, day_before, day_after = cursor.fetchone()
    return BeforeAfter(int(until_at), int(until_now - until_at), int(day_before), int(day_after))
