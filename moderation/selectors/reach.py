"""Views around the instant from which a decision takes effect: the measured effect, never an asserted one."""

import uuid
from datetime import datetime

from django.db import connection

from moderation import policy
from moderation.policy import Measured, Sample, Seen

# A post that joined later has its effect since it joined. Nothing is guessed between two samples.
_SEEN = """
SELECT post.effect_at, before.at, before.views, next.at, next.views, newest.at, newest.views,
       (SELECT min(f.at) FROM moderation_flag f WHERE f.post_id = post.id AND f.withdrawn_at IS NULL),
       (SELECT count(*) FROM moderation_reachsample s WHERE s.post_id = post.id AND s.at <= %(now)s)
FROM (
    SELECT post_id AS id, greatest(min(joined_at), %(at)s) AS effect_at
    FROM moderation_clustermember WHERE cluster_id = %(cluster)s AND left_at IS NULL GROUP BY post_id
) AS post
LEFT JOIN LATERAL (
    SELECT at, views FROM moderation_reachsample s
    WHERE s.post_id = post.id AND s.at <= least(post.effect_at, %(now)s) ORDER BY s.at DESC LIMIT 1
) AS before ON true
LEFT JOIN LATERAL (
    SELECT at, views FROM moderation_reachsample s
    WHERE s.post_id = post.id AND s.at > post.effect_at AND s.at <= %(now)s ORDER BY s.at LIMIT 1
) AS next ON true
LEFT JOIN LATERAL (
    SELECT at, views FROM moderation_reachsample s
    WHERE s.post_id = post.id AND s.at <= %(now)s ORDER BY s.at DESC LIMIT 1
) AS newest ON true
"""


def measured(cluster_id: uuid.UUID, at: datetime, *, now: datetime) -> Measured:
    """What the samples until `now` say of the cluster's posts before and after a decision of `at`."""
    with connection.cursor() as cursor:
        cursor.execute(_SEEN, {"cluster": cluster_id, "at": at, "now": now})
        rows = cursor.fetchall()
    return policy.measured(
        Seen(
            effect_at,
            before=_sample(before_at, before),
            next=_sample(next_at, following),
            newest=_sample(newest_at, newest),
            flagged_at=flagged_at,
            samples=samples,
        )
        for effect_at, before_at, before, next_at, following, newest_at, newest, flagged_at, samples in rows
    )


def _sample(at: datetime | None, views: int) -> Sample | None:
    return None if at is None else Sample(at, views)
