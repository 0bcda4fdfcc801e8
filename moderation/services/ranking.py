"""Counting flags and ranking items, in batches behind the intake."""

import uuid
from datetime import datetime

from django.db import connection, transaction
from django.db.models import Count, Max, QuerySet, Sum

from moderation import locks, policy
from moderation.caller import SYSTEM
from moderation.enums import DANGEROUS_REASONS, FlagOutcome, ItemKind, ItemOutcome, ItemStatus, OutboxKind
from moderation.models import ClusterMember, Flag, Post, PostReach, PostVersion, ReviewItem, Signal
from moderation.selectors import policies
from moderation.selectors.items import posts_of
from moderation.services import decisions, flags, outbox, queue, subjects


@transaction.atomic
def refresh(post_id: uuid.UUID, *, now: datetime) -> None:
    """Bring the items about a post in line with its live flags, signals, reach and newest version.

    Run under the items' locks after any of these changed, it settles races between them: a flag that
    arrived while its item closed gets an item again or an answer; an untouched item that lost its last
    flag closes. The items about its clusters are counted once for all their posts: owed to the outbox.
    """
    post = Post.objects.select_related("current_version").get(pk=post_id)
    for item in locks.open_items(post_ids=[post_id]):
        subjects.follow(item, caller=SYSTEM, now=now)
        _refresh_item(item, now=now)
    _re_check(post, now=now)
    _wait_or_answer(post, now=now)
    opened = ReviewItem.objects.filter(status=ItemStatus.OPEN, cluster__isnull=False)
    clusters = ClusterMember.objects.filter(
        post=post, left_at__isnull=True, cluster_id__in=opened.values("cluster_id")
    )
    outbox.put_once(OutboxKind.REFRESH_CLUSTER, clusters.values_list("cluster_id", flat=True), now=now)


@transaction.atomic
def refresh_cluster(cluster_id: uuid.UUID, *, now: datetime) -> None:
    """Bring the items about a cluster in line with what `refresh` looks at, over all its posts, and with
    whether its verdict is disputed."""
    items = locks.open_items(cluster_ids=[cluster_id])
    for item in items:
        subjects.follow(item, caller=SYSTEM, now=now)
        if item.status == ItemStatus.OPEN:
            _refresh_item(item, now=now)
    _conflict(cluster_id, items, now=now)


def _refresh_item(item: ReviewItem, *, now: datetime) -> None:
    posts = posts_of(item)
    waiting = Flag.objects.filter(post_id__in=posts, withdrawn_at__isnull=True, outcome=FlagOutcome.PENDING)
    reasons = dict(waiting.order_by().values_list("reason").annotate(n=Count("reporter", distinct=True)))
    signals = Signal.objects.filter(post_id__in=posts).aggregate(n=Count("id"), top=Max("score"))
    needed = bool(reasons) or item.touched or item.picked or signals["n"] > 0
    if item.kind == ItemKind.REVIEW and not needed:
        queue.close(item, outcome=ItemOutcome.WITHDRAWN, caller=SYSTEM, now=now)
        return
    rules = policies.at(now).data
    speed = PostReach.objects.filter(post_id__in=posts).aggregate(v=Sum("views_per_hour"))["v"] or 0.0
    flaggers = _records(waiting)
    inputs = policy.PriorityInputs(
        views_per_hour=speed,
        reasons=reasons,
        flaggers=flaggers,
        strongest_signal=signals["top"] or 0.0,
        opened_at=item.opened_at,
    )
    item.rank, item.factors = policy.priority(inputs, rules)
    item.flaggers, item.reasons = sum(flaggers.values()), reasons
    item.signals = signals["n"]
    item.due_at = min(item.due_at, policy.due_at(reasons, item.opened_at, rules))
    item.save(update_fields=["rank", "factors", "flaggers", "reasons", "signals", "due_at"])


_RECORDS = """
SELECT judged, agreed, count(*) FROM (
    SELECT count(*) FILTER (WHERE f.outcome IN ('agreed', 'disagreed')) AS judged,
        count(*) FILTER (WHERE f.outcome = 'agreed') AS agreed
    FROM moderation_flag f
    WHERE f.withdrawn_at IS NULL AND f.reporter_id IN ({reporters})
    GROUP BY f.reporter_id
) AS record GROUP BY judged, agreed
"""


def _records(waiting: "QuerySet[Flag]") -> dict[tuple[int, int], int]:
    """How many of these flags' reporters have which record: (flags judged, flags agreed with)."""
    reporters, parameters = waiting.order_by().values("reporter").distinct().query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(_RECORDS.format(reporters=reporters), parameters)
        return {(judged, agreed): n for judged, agreed, n in cursor.fetchall()}


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


def _wait_or_answer(post: Post, *, now: datetime) -> None:
    """No flag waits without an item: one that raced with a closing gets an item again, or is passed over."""
    if post.pk not in flags.posts_waiting([post.pk]) or queue.posts_in_review([post.pk]):
        return
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
