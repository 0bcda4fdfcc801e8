"""The queue as people read it: lists, one item with everything about it, counts."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db import connection
from django.db.models import Count, Min, Q, QuerySet

from moderation.enums import ItemStatus
from moderation.models import (
    ClusterMember,
    Decision,
    EffectiveState,
    Escalation,
    Flag,
    ItemNote,
    Post,
    PostVersion,
    ReachSample,
    ReviewItem,
    Signal,
    Strike,
)
from moderation.selectors import standing
from moderation.selectors.scopes import QueueScope, in_scope


def open_in(scope: QueueScope | None, *, exclude: Collection[uuid.UUID] = ()) -> QuerySet[ReviewItem]:
    """Open items in scope, best first."""
    return (
        ReviewItem.objects.filter(in_scope(scope), status=ItemStatus.OPEN)
        .exclude(pk__in=exclude)
        .select_related(
            "displayed_version__content", "displayed_version__post__actor", "displayed_version__post__reach"
        )
        .order_by("-rank", "id")
    )


def held_by(person_id: uuid.UUID, *, organisation: uuid.UUID | None, now: datetime) -> QuerySet[ReviewItem]:
    return (
        ReviewItem.objects.filter(
            status=ItemStatus.OPEN, holder_id=person_id, held_for=organisation, held_until__gt=now
        )
        .select_related("displayed_version__content", "displayed_version__post__actor")
        .order_by("held_since")
    )


def count_only_in(scopes: Collection[QueueScope], *, others: Collection[QueueScope]) -> int:
    """How many open items are in one of these scopes and in none of the others."""
    if not scopes:
        return 0
    here = reduce(or_, map(in_scope, scopes))
    elsewhere = reduce(or_, map(in_scope, others), Q(pk__in=[]))
    return ReviewItem.objects.filter(here, ~elsewhere, status=ItemStatus.OPEN).count()


def get(item_id: uuid.UUID, scope: QueueScope | None) -> ReviewItem | None:
    """The item, if it is in scope (None: every item); closed ones too."""
    items = ReviewItem.objects.filter(in_scope(scope), pk=item_id)
    return items.select_related(
        "displayed_version__content",
        "displayed_version__post__actor",
        "displayed_version__post__reach",
        "holder",
    ).first()


def read_shown(item: ReviewItem) -> None:
    """Read the version an item displays with all that is shown of it, unless it was read with the item."""
    if not ReviewItem.displayed_version.is_cached(item):
        shown = PostVersion.objects.select_related("content", "post__actor")
        item.displayed_version = shown.get(pk=item.displayed_version_id)


def summary(scope: QueueScope | None, *, now: datetime) -> dict[str, Any]:
    """Counts of what is open in scope: all, free, late, by language; and the next due time."""
    items = ReviewItem.objects.filter(in_scope(scope), status=ItemStatus.OPEN)
    free = Q(held_until__isnull=True) | Q(held_until__lte=now)
    figures = items.aggregate(
        open=Count("id"),
        free=Count("id", filter=free),
        late=Count("id", filter=Q(due_at__lt=now)),
        next_due=Min("due_at"),
    )
    figures["by_language"] = dict(items.values_list("language").annotate(n=Count("id")).order_by("language"))
    return figures


@dataclass(frozen=True)
class Dossier:
    """Everything the item page shows that the platform knows."""

    item: ReviewItem
    post: Post
    version: PostVersion
    versions: Sequence[PostVersion]
    posts: int  # posts the item is about
    flags: Sequence[Mapping[str, Any]]  # {"reason", "count", "first"}
    notes_of_flags: Sequence[Flag]  # flags with a note, without their reporters
    signals: Sequence[Signal]
    reach: Sequence[ReachSample]
    decisions: Sequence[Decision]
    effect: dict[str, Any] | None
    counting_strikes: Sequence[Strike]
    notes: Sequence[ItemNote]  # of this item and of those merged into it
    cases: Sequence[Escalation]  # what the policy desk was asked about the displayed post


def dossier(item: ReviewItem, *, now: datetime) -> Dossier:
    """Read it all, in a fixed number of queries."""
    version = item.displayed_version
    post = version.post
    posts = posts_of(item)
    live = Flag.objects.filter(post_id__in=posts, withdrawn_at__isnull=True)
    state = EffectiveState.objects.filter(post=post).first()
    about = Q(post=post)
    if item.cluster_id:
        about |= Q(cluster_id=item.cluster_id)
    return Dossier(
        item=item,
        post=post,
        version=version,
        versions=list(post.versions.select_related("content").order_by("number")),
        posts=1 if item.post_id else posts.count(),  # type: ignore[call-arg]
        flags=list(
            live.values("reason")
            .annotate(count=Count("reporter", distinct=True), first=Min("at"))
            .order_by("-count", "reason")
        ),
        notes_of_flags=list(live.exclude(note="").order_by("-id")[:20]),
        signals=list(Signal.objects.filter(post_id__in=posts).order_by("-score", "-id")[:20]),
        reach=list(reversed(ReachSample.objects.filter(post_id=post.pk).order_by("-at")[:48])),
        decisions=list(Decision.objects.filter(about).select_related("decided_by").order_by("-id")[:50]),
        effect=state.document if state else None,
        counting_strikes=standing.counting([post.actor_id], now=now).get(post.actor_id, []),
        notes=list(
            ItemNote.objects.filter(Q(item=item) | Q(item__post_id__in=posts))
            .select_related("author")
            .order_by("id")
        ),
        cases=list(Escalation.objects.filter(post=post).order_by("-id")),
    )


def posts_of(item: ReviewItem) -> "Sequence[uuid.UUID] | QuerySet[ClusterMember, uuid.UUID]":
    """The posts an item is about: its own, or its cluster's (as a query: they may be very many)."""
    if item.cluster_id is not None:
        return members_of(item.cluster_id)
    return [item.post_id] if item.post_id else []


def members_of(cluster_id: uuid.UUID) -> QuerySet[ClusterMember, uuid.UUID]:
    return (
        ClusterMember.objects.filter(cluster_id=cluster_id, left_at__isnull=True)
        .order_by("post_id")
        .values_list("post_id", flat=True)
        .distinct()
    )


# The newest samples only: a post may have thousands.
_SPARKS = """
SELECT wanted.post_id, newest.views FROM unnest(%(posts)s::uuid[]) AS wanted(post_id)
CROSS JOIN LATERAL (
    SELECT s.at, s.views FROM moderation_reachsample s WHERE s.post_id = wanted.post_id
    ORDER BY s.at DESC LIMIT %(points)s
) AS newest ORDER BY wanted.post_id, newest.at
"""


def sparklines(post_ids: Collection[uuid.UUID], *, points: int = 24) -> dict[uuid.UUID, list[int]]:
    """Views over time per post, oldest first, for lists."""
    found: dict[uuid.UUID, list[int]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_SPARKS, {"posts": list(post_ids), "points": points})
        for post_id, views in cursor.fetchall():
            found.setdefault(post_id, []).append(views)
    return found
