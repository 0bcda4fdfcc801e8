"""What an item is about and which post it shows: matches, merges, edits, deletions, removals.

Whoever calls these holds the locks of the items concerned, or lets them be taken here, before any other.
"""

import uuid
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, When

from moderation import locks
from moderation.caller import Caller
from moderation.enums import (
    AuditEvent,
    DecisionKind,
    EscalationStatus,
    ItemKind,
    ItemOutcome,
    ItemStatus,
    OutboxKind,
)
from moderation.models import ClusterMember, Decision, Escalation, Post, PostVersion, ReviewItem
from moderation.selectors import policies
from moderation.services import audit, outbox, queue


def live_members(cluster_id: uuid.UUID) -> QuerySet[ClusterMember]:
    """The versions in a cluster whose post is there to be seen: neither deleted nor removed everywhere."""
    removed = Decision.objects.filter(
        post_id=OuterRef("post_id"),
        kind=DecisionKind.REMOVAL,
        regions=[],
        ends=False,
        superseded_by__isnull=True,
    )
    return ClusterMember.objects.filter(
        ~Exists(removed), cluster_id=cluster_id, left_at__isnull=True, post__deleted_at__isnull=True
    )


def original(cluster_id: uuid.UUID) -> PostVersion | None:
    """The earliest published live post of a cluster, in the version that makes the claim; None if no post is
    live. Whoever published it is struck by a rating made on it (domain 5). Posts whose newest version still
    makes the claim come first.
    """
    still = Case(When(post__current_version_id=F("post_version_id"), then=0), default=1)
    first = (
        live_members(cluster_id)
        .select_related("post_version__post")
        .order_by(still, "post__published_at", "post_id", "-post_version__number")
        .first()
    )
    return first.post_version if first else None


def show_original(item: ReviewItem, *, raise_version: bool) -> None:
    """Let a claim's item show its original; nothing changes while there is no live post."""
    first = original(item.cluster_id) if item.cluster_id else None
    if first is not None:
        _show(item, first, raise_version=raise_version)


def _show(item: ReviewItem, version: PostVersion, *, raise_version: bool) -> None:
    if version.pk == item.displayed_version_id:
        return
    item.displayed_version = version
    if raise_version:
        item.version += 1
    item.save(update_fields=["displayed_version", "version"])


def follow(item: ReviewItem, *, caller: Caller, now: datetime) -> None:
    """Bring what an open item shows up to date; close it if nothing is left that it could be about."""
    queue.follow_edit(item)
    if item.cluster_id is None:
        return
    live = live_members(item.cluster_id)
    if live.filter(post_version_id=item.displayed_version_id).exists():
        return
    if live.exists():
        show_original(item, raise_version=True)
        return
    members = ClusterMember.objects.filter(cluster_id=item.cluster_id, left_at__isnull=True)
    if not members.exists():
        queue.close(item, outcome=ItemOutcome.WITHDRAWN, caller=caller, now=now)
    elif members.filter(post__deleted_at__isnull=True).exists():
        queue.close(item, outcome=ItemOutcome.REMOVED, caller=caller, now=now)
    elif not _escalated(members.values("post_id")):
        queue.close(item, outcome=ItemOutcome.DELETED, caller=caller, now=now)
    elif not members.filter(post_version_id=item.displayed_version_id).exists():
        last = members.select_related("post_version__post").order_by("joined_at", "id").last()
        if last is not None:
            _show(item, last.post_version, raise_version=True)


def join_cluster(
    *, post: Post, cluster_id: uuid.UUID, caller: Caller, now: datetime, by_person: bool
) -> None:
    """Bring the open review items of a post and a cluster that it just joined together.

    A rated cluster answers the post's item; an open item of the cluster takes it in (earliest due time,
    a live lease kept); otherwise the post's item becomes the cluster's. Exact copies leave the version
    of the cluster's item alone; a person's match raises it.
    """
    items = [
        i for i in locks.open_items(post_ids=[post.pk], cluster_ids=[cluster_id]) if i.kind == ItemKind.REVIEW
    ]
    own = next((i for i in items if i.post_id == post.pk), None)
    shared = next((i for i in items if i.cluster_id == cluster_id), None)
    if shared is not None and by_person:
        shared.version += 1
        shared.save(update_fields=["version"])
    if own is None:
        return
    if queue.is_rated(cluster_id, now=now):
        queue.close(own, outcome=ItemOutcome.RATED, caller=caller, now=now)
    elif shared is None:
        try:
            with transaction.atomic():
                own.post_id, own.cluster_id = None, cluster_id
                own.save(update_fields=["post", "cluster"])
        except IntegrityError:  # somebody opened the cluster's item a moment ago: it takes this one in
            join_cluster(post=post, cluster_id=cluster_id, caller=caller, now=now, by_person=by_person)
            return
        show_original(own, raise_version=by_person)
    else:
        _merge(own, shared, now=now)
        show_original(shared, raise_version=False)
        queue.close(own, outcome=ItemOutcome.MERGED, caller=caller, now=now)
        audit.record(AuditEvent.ITEM_MERGED, own, caller=caller, now=now, into=str(shared.pk))


def turn_into_re_check(item: ReviewItem, *, now: datetime) -> None:
    """The author edited a rated post that somebody flagged again: one job for both."""
    hours = policies.at(now).data["re_check"]["due_hours"]
    item.kind, item.due_at = ItemKind.RE_CHECK, min(item.due_at, now + timedelta(hours=hours))
    item.version += 1
    item.save(update_fields=["kind", "due_at", "version"])


def close_rated(item: ReviewItem, *, cluster_id: uuid.UUID, caller: Caller, now: datetime) -> None:
    """A rating of the cluster answers the item it was made on; if that was merged into the cluster's item on
    the way, it answers that one."""
    if item.outcome == ItemOutcome.MERGED:
        shared = [i for i in locks.open_items(cluster_ids=[cluster_id]) if i.kind == ItemKind.REVIEW]
    else:
        shared = [item] if item.status == ItemStatus.OPEN else []
    for answered in shared:
        queue.close(answered, outcome=ItemOutcome.RATED, caller=caller, now=now)
    # A rating that changes nothing about the verdict answers, too, the flags that waited for it.
    outbox.put_once(OutboxKind.JUDGE_CLUSTER, [cluster_id], now=now)


def close_deleted(post: Post, items: list[ReviewItem], *, caller: Caller, now: datetime) -> None:
    """A deleted post's own items close, unless the desk has a case; a claim's item goes on while it has
    live posts, which the worker looks after."""
    if not _escalated([post.pk]):
        for item in items:
            queue.close(item, outcome=ItemOutcome.DELETED, caller=caller, now=now)
    outbox.put(OutboxKind.REFRESH_ITEM, [post.pk], now=now)


def close_removed(post: Post, *, outcome: ItemOutcome, caller: Caller, now: datetime) -> None:
    """The desk removed the post everywhere: its own items close; a claim's item stays for its other posts."""
    for item in locks.open_items(post_ids=[post.pk]):
        queue.close(item, outcome=outcome, caller=caller, now=now)
    outbox.put(OutboxKind.REFRESH_ITEM, [post.pk], now=now)


def go_on_restored(post: Post, *, caller: Caller, now: datetime) -> None:
    """The desk took its removal back: rating work that the removal cut short goes on in a new item, due when the
    old one was. An item closes by ratings on all its claims or by a removal that holds (domain 6); a claim that
    was rated meanwhile needs none.
    """
    version = post.current_version
    if version is None or post.deleted_at is not None or _removed_everywhere(post.pk):
        return
    members = ClusterMember.objects.filter(post_version=version, left_at__isnull=True)
    about = Q(post_id=post.pk) | Q(cluster_id__in=members.values("cluster_id"))
    for kind in (ItemKind.REVIEW, ItemKind.RE_CHECK):
        last = ReviewItem.objects.filter(about, kind=kind).order_by("-opened_at", "-id").first()
        if last is None or last.outcome != ItemOutcome.REMOVED:
            continue
        if kind == ItemKind.REVIEW and queue.every_cluster_is_rated(version, now=now):
            continue
        item = queue.open_for_version(
            version, kind=kind, reasons=last.reasons, picked=last.picked, caller=caller, now=now
        )
        item.due_at = min(item.due_at, last.due_at)
        item.touched = True  # its flags have the removal's answer: only a person closes it
        item.save(update_fields=["due_at", "touched"])
    outbox.put(OutboxKind.REFRESH_ITEM, [post.pk], now=now)


def _removed_everywhere(post_id: uuid.UUID) -> bool:
    rows = Decision.objects.filter(post_id=post_id, kind=DecisionKind.REMOVAL, regions=[], ends=False)
    return rows.filter(superseded_by__isnull=True).exists()


def _merge(own: ReviewItem, shared: ReviewItem, *, now: datetime) -> None:
    shared.due_at = min(shared.due_at, own.due_at)
    if queue.is_held(own, now) and not queue.is_held(shared, now):
        shared.holder_id, shared.held_for = own.holder_id, own.held_for
        shared.held_since, shared.held_until = own.held_since, own.held_until
        shared.fence += 1
    shared.touched = shared.touched or own.touched
    shared.picked = shared.picked or own.picked
    shared.save()


def _escalated(post_ids: "object") -> bool:
    open_case = (EscalationStatus.OPEN, EscalationStatus.PROPOSED)
    return Escalation.objects.filter(post_id__in=post_ids, status__in=open_case).exists()  # type: ignore[misc]
