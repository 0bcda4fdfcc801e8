"""The member's feed: recent posts ranked by reach, freshness and what their effective state leaves of them."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from moderation.caller import Caller
from moderation.models import Flag, Post, PostContent, PostReach, User
from moderation.selectors import distribution

WINDOW = timedelta(days=14)
HALF_LIFE_HOURS = 18.0  # a post's organic score halves in this time


@dataclass(frozen=True)
class FeedPost:
    """A post as a member sees it: content, figures, and what the state demands."""

    post: Post
    content: PostContent
    reach: PostReach | None
    effect: dict[str, Any] | None
    score: float
    flagged: bool

    @property
    def multiplier(self) -> float:
        return float(self.effect["multipliers"]["feed"]) if self.effect else 1.0


_RANK = """
SELECT p.id,
    ln(2 + coalesce(r.views, 0)) * exp(-0.693147 * extract(epoch FROM %(now)s - p.published_at) / 3600 / %(half)s)
    * CASE WHEN %(own)s::bool THEN 1 ELSE s.feed_bp / 10000.0 END AS score
FROM moderation_post p
JOIN moderation_effectivestate s ON s.post_id = p.id
LEFT JOIN moderation_postreach r ON r.post_id = p.id
WHERE p.published_at > %(since)s AND p.published_at <= %(now)s AND p.deleted_at IS NULL AND NOT s.removed
  AND (%(language)s = '' OR p.language = %(language)s)
ORDER BY score DESC, p.id LIMIT %(limit)s OFFSET %(offset)s
"""


def ranked(
    *,
    caller: Caller,
    viewer: User,
    region: str = "",
    language: str = "",
    limit: int = 30,
    offset: int = 0,
    now: datetime,
) -> list[FeedPost]:
    """The next part of the feed. Removed posts are gone; rated ones sink by their feed multiplier.

    SQL ranks by the stored default multiplier; each post then carries what this viewer gets in this region.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _RANK,
            {
                "now": now,
                "half": HALF_LIFE_HOURS,
                "since": now - WINDOW,
                "language": language,
                "own": viewer.viewer_preference == "do_not_reduce",
                "limit": limit,
                "offset": offset,
            },
        )
        scores: dict[uuid.UUID, float] = dict(cursor.fetchall())
    shown = _dress(list(scores), scores, caller=caller, viewer=viewer, region=region, now=now)
    return [p for p in shown if not (p.effect and p.effect["removed"])]


def one(post: Post, *, caller: Caller, viewer: User, region: str = "", now: datetime) -> FeedPost:
    """One post as this viewer gets it."""
    return _dress([post.pk], {post.pk: 0.0}, caller=caller, viewer=viewer, region=region, now=now)[0]


def _dress(
    ids: list[uuid.UUID],
    scores: dict[uuid.UUID, float],
    *,
    caller: Caller,
    viewer: User,
    region: str,
    now: datetime,
) -> list[FeedPost]:
    posts = Post.objects.select_related("actor", "current_version__content", "reach").in_bulk(ids)
    answers = distribution.lookup(
        [str(i) for i in ids], region=region, preference=viewer.viewer_preference, now=now
    )
    effects = {a.post_id: a.document for a in answers}
    flagged = set(
        Flag.objects.filter(
            post_id__in=ids, reporter__person_id=caller.person_id, withdrawn_at__isnull=True
        ).values_list("post_version_id", flat=True)
    )
    shown = []
    for i in ids:
        post = posts[i]
        assert post.current_version is not None
        shown.append(
            FeedPost(
                post=post,
                content=post.current_version.content,
                reach=getattr(post, "reach", None),
                effect=effects.get(i),
                score=scores[i],
                flagged=post.current_version_id in flagged,
            )
        )
    return shown
