"""Clusters: posts about one thing. Who is in decides whom a decision reaches."""

import uuid
from collections.abc import Collection, Sequence
from datetime import datetime

from django.db import transaction

from moderation.caller import Caller
from moderation.enums import AuditEvent, OutboxKind
from moderation.models import Cluster, ClusterMember, PostVersion, Strike
from moderation.services import audit, outbox, queue, subjects


def create(*, now: datetime) -> Cluster:
    return Cluster.objects.create(added_at=now)


@transaction.atomic
def add(
    cluster_id: uuid.UUID, version: PostVersion, *, caller: Caller, now: datetime, by_person: bool
) -> ClusterMember:
    """Put a post version into a cluster; adding it twice changes nothing."""
    found = ClusterMember.objects.filter(
        cluster_id=cluster_id, post_version=version, left_at__isnull=True
    ).first()
    if found is not None:
        return found
    queue.lock_about(post_ids=[version.post_id], cluster_ids=[cluster_id])
    member = ClusterMember(
        cluster_id=cluster_id, post_version=version, post_id=version.post_id, joined_at=now
    )
    stored = None
    while stored is None:  # a membership that was in the way may end before it is read
        ClusterMember.objects.bulk_create([member], ignore_conflicts=True)
        stored = ClusterMember.objects.filter(
            cluster_id=cluster_id, post_version=version, left_at__isnull=True
        ).first()
    if stored.pk != member.pk:
        return stored
    subjects.join_cluster(
        post=version.post, cluster_id=cluster_id, caller=caller, now=now, by_person=by_person
    )
    _owe(cluster_id, [version.post_id], now=now)
    audit.record(
        AuditEvent.CLUSTER_JOINED,
        version,
        caller=caller,
        now=now,
        cluster=str(cluster_id),
        by_person=by_person,
    )
    return stored


@transaction.atomic
def add_copies(
    cluster_id: uuid.UUID, versions: Sequence[PostVersion], *, caller: Caller, now: datetime
) -> int:
    """Put many exact copies in at once; returns how many were new. Their open items join one by one."""
    known = set(
        ClusterMember.objects.filter(
            cluster_id=cluster_id, post_version__in=versions, left_at__isnull=True
        ).values_list("post_version_id", flat=True)
    )
    new = [v for v in versions if v.pk not in known]
    busy = set(queue.posts_with_open_items([v.post_id for v in new]))
    queue.lock_about(post_ids=busy, cluster_ids=[cluster_id])  # all at once, in the one order
    ClusterMember.objects.bulk_create(
        [ClusterMember(cluster_id=cluster_id, post_version=v, post_id=v.post_id, joined_at=now) for v in new],
        ignore_conflicts=True,
        batch_size=2000,
    )
    for version in sorted(new, key=lambda v: v.pk):
        if version.post_id in busy:
            subjects.join_cluster(
                post=version.post, cluster_id=cluster_id, caller=caller, now=now, by_person=False
            )
    if new:
        _owe(cluster_id, sorted({v.post_id for v in new}), to_refresh=busy, now=now)
        audit.record(
            AuditEvent.CLUSTER_JOINED, Cluster(pk=cluster_id), caller=caller, now=now, copies=len(new)
        )
    return len(new)


@transaction.atomic
def remove(cluster_id: uuid.UUID, version: PostVersion, *, caller: Caller, now: datetime) -> bool:
    """End a membership; returns whether there was one. The post's own flags may open an item again."""
    ended = ClusterMember.objects.filter(
        cluster_id=cluster_id, post_version=version, left_at__isnull=True
    ).update(left_at=now)
    if ended:
        _owe(cluster_id, [version.post_id], now=now)
        audit.record(AuditEvent.CLUSTER_LEFT, version, caller=caller, now=now, cluster=str(cluster_id))
    return bool(ended)


def _owe(
    cluster_id: uuid.UUID,
    post_ids: Sequence[uuid.UUID],
    *,
    to_refresh: Collection[uuid.UUID] | None = None,
    now: datetime,
) -> None:
    """What a change of membership changes: the posts' effects, their flags' answers, the items about them
    (of all these posts, or of `to_refresh`) and about the cluster, and the standing of whoever was struck
    for one of them."""
    outbox.put_posts(OutboxKind.RECOMPUTE_POST, post_ids, now=now)
    outbox.put_posts(OutboxKind.JUDGE_FLAGS, post_ids, now=now)
    outbox.put(OutboxKind.REFRESH_ITEM, post_ids if to_refresh is None else sorted(to_refresh), now=now)
    outbox.put_once(OutboxKind.REFRESH_CLUSTER, [cluster_id], now=now)
    struck = Strike.objects.filter(cluster_id=cluster_id, post_id__in=post_ids, counts_until__gt=now)
    outbox.put(
        OutboxKind.RECOMPUTE_ACTOR,
        struck.order_by("actor_id").values_list("actor_id", flat=True).distinct(),
        now=now,
    )
