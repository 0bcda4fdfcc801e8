"""What a decision would do, before it is made: whom it reaches, what a strike would mean."""

import uuid
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Q, Sum

from moderation import policy
from moderation.models import ClusterMember, Post, PostVersion, Strike
from moderation.selectors import policies, standing


@dataclass(frozen=True)
class Reached:
    """Live posts, their actors, and the views an hour they gather together now."""

    posts: int
    actors: int
    views_per_hour: float


def reached(*, cluster_id: uuid.UUID | None = None, version_ids: Collection[uuid.UUID] = ()) -> Reached:
    """Whom a decision would reach on a cluster as it is now, with these versions added to it."""
    added = PostVersion.objects.filter(pk__in=version_ids).values("post_id")
    about = Q(pk__in=added)
    if cluster_id is not None:
        members = ClusterMember.objects.filter(cluster_id=cluster_id, left_at__isnull=True)
        about |= Q(pk__in=members.values("post_id"))
    found = Post.objects.filter(about, deleted_at__isnull=True).aggregate(
        posts=Count("id"), actors=Count("actor", distinct=True), speed=Sum("reach__views_per_hour")
    )
    return Reached(found["posts"], found["actors"], found["speed"] or 0.0)


@dataclass(frozen=True)
class StrikeOutlook:
    """The levels (rows of the policy) of an actor before and after one more strike, and their live posts."""

    strikes: int
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    posts: int

    @property
    def rises(self) -> bool:
        return bool(self.after["level"] != self.before["level"])


def after_strike(actor_id: uuid.UUID, *, cluster_id: uuid.UUID | None, now: datetime) -> StrikeOutlook:
    """What a striking verdict on the cluster (None: one yet to be made) would make of an actor's standing.

    The same claim counts once per window (domain 5): a strike on it that exists counts again, no second comes.
    """
    rules = policies.at(now).data
    counting = standing.counting([actor_id], now=now).get(actor_id, [])
    elsewhere = sum(1 for strike in counting if strike.cluster_id != cluster_id)
    known = (
        Strike.objects.filter(actor_id=actor_id, cluster_id=cluster_id, counts_until__gt=now).count()
        if cluster_id
        else 0
    )
    strikes = elsewhere + max(known, 1)
    return StrikeOutlook(
        strikes=strikes,
        before=policy.level(len(counting), rules),
        after=policy.level(strikes, rules),
        posts=Post.objects.filter(actor_id=actor_id, deleted_at__isnull=True).count(),
    )
