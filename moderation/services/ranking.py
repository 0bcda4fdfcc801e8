"""Counting flags and ranking items, in batches behind the intake."""

import json
import uuid
from collections.abc import Collection, Sequence
from datetime import datetime

from django.db import connection, transaction

from moderation import locks, policy
from moderation.caller import SYSTEM
from moderation.enums import DANGEROUS_REASONS, FlagOutcome, ItemKind, ItemOutcome, ItemStatus, OutboxKind
from moderation.models import ClusterMember, Flag, Post, PostVersion, ReviewItem
from moderation.selectors import counts, policies
from moderation.services import decisions, flags, outbox, queue, subjects


def refresh(post_id: uuid.UUID, *, now: datetime) -> None:
    """As `refresh_all`, for one post."""
    refresh_all([post_id], now=now)


@transaction.atomic
def refresh_all(post_ids: Collection[uuid.UUID], *, now: datetime) -> None:
    """Bring the items about these posts in line with their live flags, signals, reach and newest version.

    Run under the items' locks after any of these changed, it settles races between them: a flag that
    arrived while its item closed gets an item again or an answer; an untouched item that lost its last
    flag closes. The items about their clusters are counted once for all their posts: owed to the outbox.
    However many posts, it asks the same questions, and more only for those whose item opens or closes.
    """
    items = locks.open_items(post_ids=post_ids)
    posts = Post.objects.select_related("current_version").in_bulk(set(post_ids))
    for item in items:
        if item.post_id and posts[item.post_id].current_version_id != item.displayed_version_id:
            subjects.follow(item, caller=SYSTEM, now=now)
    _count(items, now=now)
    by_id = [posts[i] for i in sorted(posts)]  # items open in one order, whoever else opens some
    re_checked = {item.post_id for item in items if item.kind == ItemKind.RE_CHECK}
    for post in by_id:
        if post.pk in re_checked or (post.current_version and post.current_version.number > 1):
            _re_check(post, now=now)
    waiting = flags.posts_waiting(posts)
    unanswered = set(waiting).difference(queue.posts_in_review(waiting) if waiting else ())
    for post in by_id:
        if post.pk in unanswered:
            _open_or_answer(post, now=now)
    opened = ReviewItem.objects.filter(status=ItemStatus.OPEN, cluster__isnull=False)
    clusters = ClusterMember.objects.filter(
        post_id__in=posts, left_at__isnull=True, cluster_id__in=opened.values("cluster_id")
    )
    outbox.put_once(OutboxKind.REFRESH_CLUSTER, clusters.values_list("cluster_id", flat=True), now=now)


@transaction.atomic
def refresh_cluster(cluster_id: uuid.UUID, *, now: datetime) -> None:
    """Bring the items about a cluster in line with what `refresh` looks at, over all its posts, and with
    whether its verdict is disputed."""
    items = locks.open_items(cluster_ids=[cluster_id])
    for item in items:
        subjects.follow(item, caller=SYSTEM, now=now)
    _count([item for item in items if item.status == ItemStatus.OPEN], now=now)
    _conflict(cluster_id, items, now=now)


_RANK = """
UPDATE moderation_reviewitem i
SET rank = n.rank, factors = n.factors::jsonb, flaggers = n.flaggers, reasons = n.reasons::jsonb,
    signals = n.signals, due_at = n.due_at
FROM unnest(%s::uuid[], %s::float8[], %s::text[], %s::int[], %s::text[], %s::int[], %s::timestamptz[])
    AS n(id, rank, factors, flaggers, reasons, signals, due_at)
WHERE i.id = n.id
"""


def _count(items: Sequence[ReviewItem], *, now: datetime) -> None:
    """Rank these items by what is said about their posts; nobody's untouched item closes."""
    if not items:
        return
    rules = policies.at(now).data
    counted = counts.of_items([item.pk for item in items])
    ranked = []
    for item in items:
        said = counted[item.pk]
        needed = bool(said.reasons) or item.touched or item.picked or said.signals > 0
        if item.kind == ItemKind.REVIEW and not needed:
            queue.close(item, outcome=ItemOutcome.WITHDRAWN, caller=SYSTEM, now=now)
            continue
        inputs = policy.PriorityInputs(
            views_per_hour=said.views_per_hour,
            reasons=said.reasons,
            flaggers=said.flaggers,
            strongest_signal=said.strongest_signal,
            opened_at=item.opened_at,
        )
        item.rank, item.factors = policy.priority(inputs, rules)
        item.flaggers, item.reasons = sum(said.flaggers.values()), said.reasons
        item.signals = said.signals
        item.due_at = min(item.due_at, policy.due_at(said.reasons, item.opened_at, rules))
        ranked.append(item)
    with connection.cursor() as cursor:
        cursor.execute(
            _RANK,
            [
                [i.pk for i in ranked],
                [i.rank for i in ranked],
                [json.dumps(i.factors) for i in ranked],
                [i.flaggers for i in ranked],
                [json.dumps(i.reasons) for i in ranked],
                [i.signals for i in ranked],
                [i.due_at for i in ranked],
            ],
        )


def _conflict(cluster_id: uuid.UUID, items: list[ReviewItem], *, now: datetime) -> None:
    """An item for both partners is open exactly as long as they disagree (domain 4)."""
    standing = decisions.standing_on(cluster_id)
    if standing is not None and standing.contested:
        version = subjects.original(cluster_id)
        if version is not None:
            queue.open_for_cluster(cluster_id, version, kind=ItemKind.CONFLICT, caller=SYSTEM, now=now)
        return
    for item in items:
        if item.kind == ItemKind.CONFLICT and item.status == ItemStatus.OPEN:
            queue.close(item, outcome=ItemOutcome.RATED, caller=SYSTEM, now=now)


def _open_or_answer(post: Post, *, now: datetime) -> None:
    """No flag waits without an item: one that raced with a closing gets an item again, or is passed over."""
    waiting = Flag.objects.filter(post=post, withdrawn_at__isnull=True, outcome=FlagOutcome.PENDING)
    for flag in waiting.select_related("post_version__post").order_by("-id")[:50]:
        of_harm = flag.reason in DANGEROUS_REASONS
        current = flag.post_version_id == post.current_version_id
        if post.deleted_at is None and (
            of_harm or (current and not flags.cooling_off(flag.post_version, now=now))
        ):
            queue.open_for_version(flag.post_version, now=now, caller=SYSTEM, reasons=[flag.reason])
            outbox.put(OutboxKind.REFRESH_ITEM, [post.pk], now=now)
            return
    flags.pass_over(post.pk)


def _re_check(post: Post, *, now: datetime) -> None:
    """An edit of a rated post opens a re-check, or makes one of the post's open item; the effect stays until
    a reviewer decides (domain 4). It closes once the newest version makes the claim, or none does."""
    wanted = _needs_re_check(post, now=now)
    items = {item.kind: item for item in locks.open_items(post_ids=[post.pk])}
    open_re_check, review = items.get(ItemKind.RE_CHECK), items.get(ItemKind.REVIEW)
    if open_re_check is not None and not wanted:
        queue.close(open_re_check, outcome=ItemOutcome.RATED, caller=SYSTEM, now=now)
    elif wanted and open_re_check is None and review is not None:
        subjects.turn_into_re_check(review, now=now)
    elif wanted and open_re_check is None and post.current_version is not None:
        queue.open_for_version(post.current_version, now=now, caller=SYSTEM, kind=ItemKind.RE_CHECK)


def _needs_re_check(post: Post, *, now: datetime) -> bool:
    version: PostVersion | None = post.current_version
    if version is None or version.number == 1 or post.deleted_at is not None:
        return False
    members = ClusterMember.objects.filter(post=post, left_at__isnull=True)
    by_cluster: dict[uuid.UUID, int] = {}
    for cluster_id, number in members.values_list("cluster_id", "post_version__number"):
        by_cluster[cluster_id] = max(number, by_cluster.get(cluster_id, 0))
    return any(
        number < version.number and queue.is_rated(cluster_id, now=now)
        for cluster_id, number in by_cluster.items()
    )
