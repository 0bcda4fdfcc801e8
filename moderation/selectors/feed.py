"""The member's feed: recent posts ranked by reach, freshness and what their effective state leaves of them."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from moderation.caller import Caller
from moderation.enums import ViewerPreference
from moderation.models import Flag, Post, PostContent, PostReach, User
from moderation.policy import FULL
from moderation.selectors import distribution, policies

WINDOW = timedelta(days=14)
HALF_LIFE_HOURS = 12.0  # a post's weight halves in this time
NEW_POST_VIEWS = 100  # views that every post is credited with, so that new ones are seen at all


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


@dataclass(frozen=True)
class Place:
    """Where a reader is in the feed: below this score, as the scores were at `at`."""

    at: datetime
    score: float
    post_id: uuid.UUID


@dataclass(frozen=True)
class FeedPart:
    """Some of the feed, and the place behind it (None: nothing follows)."""

    posts: Sequence[FeedPost]
    end: Place | None


# A post's weight is linear in its views, so that a multiplier of 0.2 leaves a fifth of it, as its label says.
# Freshness is taken at a fixed time per reading, so that scores do not move under a reader who scrolls.
# A state whose time is over (a hide that ended) hides and weighs nothing: the page asks what holds instead.
_RANK = """
SELECT id, score FROM (
    SELECT p.id,
        (%(credit)s + coalesce(r.views, 0))::float8
        * power(0.5, extract(epoch FROM %(at)s - p.published_at)::float8 / 3600 / %(half)s)
        * CASE
            WHEN s.document IS NULL OR s.valid_until <= %(at)s THEN 1
            WHEN %(default)s::bool THEN s.feed_bp / 10000.0::float8
            ELSE greatest(
                (CASE WHEN %(ignored)s::bool THEN 10000 ELSE (s.document #>> '{rating_bp,feed}')::int END)
                * %(share)s::float8 * (s.document ->> 'actor_bp')::int / 10000,
                %(floor)s) / 10000
          END AS score
    FROM moderation_post p
    JOIN moderation_effectivestate s ON s.post_id = p.id
    LEFT JOIN moderation_postreach r ON r.post_id = p.id
    WHERE p.published_at > %(since)s AND p.published_at <= %(at)s
      AND p.deleted_at IS NULL AND (NOT s.removed OR s.valid_until <= %(at)s)
      AND (%(language)s::text = '' OR p.language = %(language)s)
) ranked
WHERE %(score)s::float8 IS NULL OR score < %(score)s OR (score = %(score)s AND id > %(id)s)
ORDER BY score DESC, id LIMIT %(limit)s
"""


def ranked(
    *,
    caller: Caller,
    viewer: User,
    region: str = "",
    language: str = "",
    limit: int = 30,
    after: Place | None = None,
    now: datetime,
) -> FeedPart:
    """The next part of the feed. Removed posts are gone; rated ones sink by their feed multiplier.

    The order follows the viewer's preference; each post carries what this viewer gets in this region now.
    Posts removed in the region are left out, so a part may hold fewer than `limit`.
    """
    at = after.at if after else now
    preference = _preference(viewer.viewer_preference, policies.at(now).data)
    rows = _scores(at, preference, language=language, after=after, limit=limit + 1)
    shown = dict(rows[:limit])
    dressed = _dress(list(shown), shown, caller=caller, viewer=viewer, region=region, now=now)
    last = rows[limit - 1] if len(rows) > limit else None
    return FeedPart(
        [p for p in dressed if not (p.effect and p.effect["removed"])],
        Place(at, last[1], last[0]) if last else None,
    )


def one(post: Post, *, caller: Caller, viewer: User, region: str = "", now: datetime) -> FeedPost:
    """One post as this viewer gets it."""
    return _dress([post.pk], {post.pk: 0.0}, caller=caller, viewer=viewer, region=region, now=now)[0]


def languages(*, now: datetime) -> list[str]:
    """Codes of the languages of the posts that the feed may show, sorted."""
    recent = Post.objects.filter(published_at__gt=now - WINDOW, deleted_at__isnull=True)
    return sorted(recent.order_by().values_list("language", flat=True).distinct())


def order(*, now: datetime, limit: int = 20_000) -> dict[str, int]:
    """Each post's place in the feed of somebody who chose nothing, from 1, by post id."""
    preference = _preference(ViewerPreference.DEFAULT, policies.at(now).data)
    return {str(post_id): n for n, (post_id, _) in enumerate(_scores(now, preference, limit=limit), 1)}


def _scores(
    at: datetime,
    preference: Mapping[str, Any],
    *,
    limit: int,
    language: str = "",
    after: Place | None = None,
) -> list[tuple[uuid.UUID, float]]:
    """Posts with their scores at `at`, best first."""
    with connection.cursor() as cursor:
        cursor.execute(
            _RANK,
            {
                "at": at,
                "half": HALF_LIFE_HOURS,
                "credit": NEW_POST_VIEWS,
                "since": at - WINDOW,
                "language": language,
                "limit": limit,
                "score": after.score if after else None,
                "id": after.post_id if after else None,
                **preference,
            },
        )
        rows: list[tuple[uuid.UUID, float]] = cursor.fetchall()
    return rows


def _preference(choice: str, rules: Mapping[str, Any]) -> dict[str, Any]:
    """How the viewer's choice changes what a rating takes from a post, as policy.for_viewer does it."""
    share = rules["viewer_preference"].get(choice, FULL)
    return {
        "default": choice == ViewerPreference.DEFAULT,
        "ignored": share is None,
        "share": (FULL if share is None else share) / FULL,
        "floor": rules["floor"]["feed"],
    }


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
