"""Counting flags and ranking items, in batches behind the intake."""

import uuid
from collections import Counter
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Max, Q, Sum

from moderation import locks, policy
from moderation.caller import SYSTEM
from moderation.enums import DANGEROUS_REASONS, FlagOutcome, ItemKind, ItemOutcome
from moderation.models import ClusterMember, Flag, Post, PostReach, PostVersion, ReviewItem, Signal
from moderation.selectors import policies
from moderation.services import decisions, flags, queue


@transaction.atomic
def refresh(post_id: uuid.UUID, *, now: datetime) -> None:
    """Bring the items about a post in line with its live flags, signals, reach and newest version.

    Run under the items' locks after any of these changed, it settles races between them: a flag that
    arrived while its item closed gets an item again; an untouched item that lost its last flag closes.
    """
    post = Post.objects.select_related("current_version").get(pk=post_id)
    clusters = ClusterMember.objects.filter(post=post, left_at__isnull=True)
    items = locks.open_items(
        post_ids=[post_id], cluster_ids=clusters.values_list("cluster_id", flat=True).distinct()
    )
    for item in items:
        queue.follow_edit(item)
        _refresh_item(item, now=now)
    if not any(item.kind == ItemKind.REVIEW for item in items):
        _reopen_for_waiting_flags(post, now=now)
    if post.current_version is not None:
        _open_re_check(post, post.current_version, now=now)


def _refresh_item(item: ReviewItem, *, now: datetime) -> None:
    posts = [item.post_id] if item.post_id else flags.posts_of_cluster(item.cluster_id)  # type: ignore[arg-type]
    live = Flag.objects.filter(post_id__in=posts, withdrawn_at__isnull=True, at__gte=_counts_from(item))
    reasons = Counter(dict(live.values_list("reason").annotate(n=Count("reporter", distinct=True))))
    signals = Signal.objects.filter(post_id__in=posts)
    strongest = signals.aggregate(n=Count("id"), top=Max("score"))
    if (
        not reasons
        and not item.touched
        and not item.picked
        and not strongest["n"]
        and item.kind == ItemKind.REVIEW
    ):
        queue.close(item, outcome=ItemOutcome.WITHDRAWN, caller=SYSTEM, now=now)
        return
    if item.kind == ItemKind.CONFLICT and not _is_contested(item):
        queue.close(item, outcome=ItemOutcome.RATED, caller=SYSTEM, now=now)
        return
    rules = policies.at(now).data
    speed = PostReach.objects.filter(post_id__in=posts).aggregate(v=Sum("views_per_hour"))["v"] or 0.0
    inputs = policy.PriorityInputs(
        views_per_hour=speed,
        reasons=reasons,
        reliabilities=_records(live),
        strongest_signal=strongest["top"] or 0.0,
        opened_at=item.opened_at,
    )
    item.rank, item.factors = policy.priority(inputs, rules)
    item.flaggers, item.reasons = live.values("reporter").distinct().count(), dict(reasons)
    item.signals = strongest["n"]
    item.due_at = min(item.due_at, policy.due_at(reasons, item.opened_at, rules))
    item.save(update_fields=["rank", "factors", "flaggers", "reasons", "signals", "due_at"])


def _is_contested(item: ReviewItem) -> bool:
    standing = decisions.standing_on(item.cluster_id) if item.cluster_id else None
    return standing is not None and standing.contested


def _counts_from(item: ReviewItem) -> datetime:
    """Flags already answered by an earlier item of the same subject do not count again."""
    earlier = ReviewItem.objects.filter(
        Q(post_id=item.post_id) if item.post_id else Q(cluster_id=item.cluster_id),
        closed_at__isnull=False,
        closed_at__lte=item.opened_at,
    ).aggregate(last=Max("closed_at"))["last"]
    return earlier or datetime.min.replace(tzinfo=item.opened_at.tzinfo)


def _records(live: "object") -> list[tuple[int, int]]:
    """Per live reporter: how many of their flags were judged, and with how many reviewers agreed."""
    reporters = live.values("reporter").distinct()  # type: ignore[attr-defined]
    judged = Q(outcome__in=[FlagOutcome.AGREED, FlagOutcome.DISAGREED])
    rows = (
        Flag.objects.filter(reporter__in=reporters, withdrawn_at__isnull=True)
        .values("reporter")
        .annotate(judged=Count("id", filter=judged), agreed=Count("id", filter=Q(outcome=FlagOutcome.AGREED)))
        .order_by("reporter")
    )
    return [(row["judged"], row["agreed"]) for row in rows]


def _reopen_for_waiting_flags(post: Post, *, now: datetime) -> None:
    """A live, unanswered flag without an item: it raced with a closing. Cool-off is judged again here."""
    waiting = (
        Flag.objects.filter(post=post, withdrawn_at__isnull=True, outcome=FlagOutcome.PENDING)
        .select_related("post_version__post")
        .order_by("-id")
    )
    for flag in waiting[:50]:
        if flag.post_version_id == post.current_version_id or flag.reason in DANGEROUS_REASONS:
            answered = flags.cooling_off(flag.post_version, now=now)
            if post.deleted_at is None and not answered:
                queue.open_for_version(flag.post_version, now=now, caller=SYSTEM, reasons=[flag.reason])
                return


def _open_re_check(post: Post, version: PostVersion, *, now: datetime) -> None:
    """An edit of a rated post opens a re-check; the effect stays until a reviewer decides (domain 4)."""
    memberships = ClusterMember.objects.filter(post=post, left_at__isnull=True).select_related(
        "post_version__post"
    )
    if version.number == 1 or post.deleted_at is not None:
        return
    newest = max((m.post_version.number for m in memberships), default=0)
    rated = any(queue.every_cluster_is_rated(m.post_version, now=now) for m in memberships)
    if rated and newest < version.number:
        queue.open_for_version(version, now=now, caller=SYSTEM, kind=ItemKind.RE_CHECK)
