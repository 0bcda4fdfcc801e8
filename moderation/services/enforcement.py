"""The consumer of the outbox: each row's work and its deletion are one transaction.

So a killed worker, a repeated or a lost message leave the row where it was. A row that keeps failing,
however it fails, is set aside after MAX_ATTEMPTS and listed on the system page; the others go on.
"""

import logging
import random
import time
import uuid
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from moderation import events, locks
from moderation.enums import ItemStatus, OutboxKind, SwitchStatus
from moderation.errors import NotFound
from moderation.ids import among
from moderation.models import (
    ClusterMember,
    EffectiveState,
    FanOut,
    Outbox,
    PolicyVersion,
    Post,
    PostVersion,
    ReviewItem,
    Strike,
    Switch,
)
from moderation.selectors import inputs, policies, standing, switches
from moderation.services import dry_runs, effects, fan_outs, flags, messages, outbox, ranking, standings
from moderation.services import policies as policy_versions

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 8
MOST_COUNTED = 9999  # attempts at what is not the row's fault have no end, the column has
FAN_OUT_BATCH = 2500  # posts in one transaction: other work waits for no more than that
JUDGE_BATCH = 1000
TOGETHER = 100  # rows in one transaction: short enough that nobody waits long for an item it has locked
DRY_RUN_BATCH = 1000
DRAIN_SECONDS = 10.0  # one more batch after these ends well before the task's time limit


class NotNow(Exception):
    """What the work needs is away, which is not the row's fault: it is tried again for as long as it takes."""


def drain(queue: str, *, limit: int, now: Callable[[], datetime] = timezone.now) -> int:
    """Work through waiting rows of a queue; returns how many were done. Safe to run many times at once.

    Stops at `limit` rows or after DRAIN_SECONDS, whatever comes first. Rows that ask for the same of many
    posts are done TOGETHER at a time.
    """
    done, ended = 0, time.monotonic() + DRAIN_SECONDS
    while done < limit and time.monotonic() < ended:
        worked = _work(queue, most=min(TOGETHER, limit - done), now=now())
        if not worked:
            break
        done += worked
    return done


def sweep(*, now: datetime, limit: int = 5000) -> dict[str, int]:
    """Find what is late: states past their `valid_until`, policies that began, queues whose bell was lost, and
    fan-outs that are paused."""
    ended = list(
        EffectiveState.objects.filter(valid_until__lte=now)
        .order_by("valid_until")
        .values_list("pk", flat=True)[:limit]
    )
    with transaction.atomic():
        effects.request(ended, now=now)
        policy_versions.roll_out_due(now=now)
        waiting = (
            Outbox.objects.filter(outbox.due(now), failed_at__isnull=True, queue__in=settings.TASK_QUEUES)
            .order_by("queue")
            .values_list("queue", flat=True)
            .distinct()
        )
        for queue in waiting:
            outbox.ring_after_commit(queue)
    paused = fan_outs.paused()
    for fan_out in paused:
        logger.warning(
            "fan_out_paused",
            extra={"fan_out": str(fan_out.pk), "done": fan_out.done, "total": fan_out.total},
        )
    return {"ended": len(ended), "paused": len(paused)}


def retry_failed(row_id: uuid.UUID, *, now: datetime) -> None:
    """Put a row that was set aside back to work. Raises NotFound if it is done or gone."""
    with transaction.atomic():
        row = Outbox.objects.select_for_update().filter(pk=row_id).first()
        if row is None:
            raise NotFound("There is no such row of work.")
        row.failed_at, row.attempts, row.available_at = None, 0, now
        row.save(update_fields=["failed_at", "attempts", "available_at"])
        outbox.ring_after_commit(row.queue)


def _work(queue: str, *, most: int, now: datetime) -> int:
    """Do the oldest row, and with it what goes with it; returns how many targets were done."""
    with transaction.atomic():
        rows = outbox.take(queue, most=most, now=now)
        if len(rows) > 1 and _together(rows, now=now):
            return len({row.target for row in rows})
        for row in rows:
            _alone(row, now=now)
    return len(rows)


def _together(rows: Sequence[Outbox], *, now: datetime) -> bool:
    """Do many rows of one kind at once; whether that went well. If not, nothing was done."""
    try:
        with transaction.atomic():
            _ALL_AT_ONCE[OutboxKind(rows[0].kind)](sorted({row.target for row in rows}), _as_of(rows, now))
            Outbox.objects.filter(pk__in=[row.pk for row in rows]).delete()
    except Exception as error:
        logger.warning("outbox_rows_failed_together", extra={"rows": len(rows), "error": str(error)})
        return False
    return True


def _alone(row: Outbox, *, now: datetime) -> None:
    try:
        with transaction.atomic():
            _handler(row)(row, _as_of([row], now))
    except Exception as error:
        _set_back(row, error, now=now)
    else:
        row.delete()


def _as_of(rows: Sequence[Outbox], now: datetime) -> datetime:
    """Nothing is done as of a time before it was asked for: this worker's clock may be behind (CEL-06)."""
    return max(now, *(row.at for row in rows))


def _handler(row: Outbox) -> Callable[[Outbox, datetime], None]:
    """Raises NotNow for work of another release: it is kept, and one that knows it does it (CEL-07)."""
    handler = _HANDLERS.get(row.kind)
    if handler is None:
        raise NotNow(f"This release does not know work of the kind “{row.kind}”.")
    return handler


def _printable(text: str) -> str:
    """What PostgreSQL can hold: a row whose error could not be stored would stop its queue."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def _set_back(row: Outbox, error: Exception, *, now: datetime) -> None:
    """Try again later, later each time, and give up after MAX_ATTEMPTS."""
    row.attempts = min(row.attempts + 1, MOST_COUNTED)
    row.error = _printable(f"{type(error).__name__}: {error}")[:2000]
    wait = min(2 ** min(row.attempts, 16), outbox.LONGEST_WAIT.total_seconds()) * random.uniform(0.5, 1)  # noqa: S311 (jitter)
    row.available_at = now + timedelta(seconds=wait)
    if row.attempts >= MAX_ATTEMPTS and not isinstance(error, NotNow):
        row.failed_at = now
    row.save(update_fields=["attempts", "error", "available_at", "failed_at"])
    logger.warning("outbox_row_failed", extra={"row": str(row.pk), "kind": row.kind, "error": row.error})


# ── what each kind of row asks for ─────────────────────────────────────────────────────────────────


def _recompute_post(row: Outbox, now: datetime) -> None:
    effects.recompute(outbox.posts_of(row), now=now)


def _recompute_posts(post_ids: Sequence[uuid.UUID], now: datetime) -> None:
    effects.recompute(post_ids, now=now)


def _recompute_cluster(row: Outbox, now: datetime) -> None:
    _fan_out(row, _posts_of_cluster(row.target), column="post_id", now=now)


def _recompute_actor(row: Outbox, now: datetime) -> None:
    posts = Post.objects.filter(actor_id=row.target).values_list("id", flat=True)
    begun = None
    if not row.payload:  # a pass from the first post: it sees what those that wait behind it would see
        _take_along(row)
        standings.judge([row.target], now=now)
        if posts.order_by("id")[FAN_OUT_BATCH:].exists():
            begun = fan_outs.over_actor(row.target, now=now)
            row.payload = fan_outs.payload_of(begun)

    def recompute(batch: Sequence[uuid.UUID]) -> None:
        # Looked at under their locks: a worker that had read an older level may just be storing it.
        locks.hold_states(batch)
        stale = standing.out_of_step(row.target, now=now).filter(post_id__in=among(batch))
        effects.recompute(list(stale.order_by("post_id")), now=now)

    _fan_out(row, posts, recompute=recompute, now=now)
    if begun is not None:
        fan_outs.end_older(begun, now=now)


def _roll_out_policy(row: Outbox, now: datetime) -> None:
    """A version began: recompute what it touches, unless a newer one began meanwhile and does it."""
    progress = FanOut.objects.select_related("policy").get(pk=row.target)
    if progress.policy is None or policies.at(now).number != progress.policy.number:
        fan_outs.give_way(row.target, now=now)
        return
    if not row.payload:
        row.payload = fan_outs.payload_of(progress)
        standings.judge_all_later(now=now)
        before = PolicyVersion.objects.get(number=progress.policy.number - 1)
        if before.data["priority"] != progress.policy.data["priority"]:
            outbox.put(OutboxKind.RANK_AGAIN, [row.target], now=now)
    _fan_out(row, inputs.under_policy(now), now=now)


def _rank_again(row: Outbox, now: datetime) -> None:
    """Weights changed: owe every open item a new rank."""
    items = ReviewItem.objects.filter(status=ItemStatus.OPEN).values_list("id", flat=True)
    batch, _ = _next_batch(row, items, JUDGE_BATCH, now=now)
    about = ReviewItem.objects.filter(pk__in=batch).values_list("post_id", "cluster_id")
    posts, clusters = zip(*about, strict=True) if batch else ((), ())
    outbox.put_once(OutboxKind.REFRESH_ITEM, {i for i in posts if i is not None}, now=now)
    outbox.put_once(OutboxKind.REFRESH_CLUSTER, {i for i in clusters if i is not None}, now=now)


def _roll_out_switch(row: Outbox, now: datetime) -> None:
    """A switch went on or off: recompute what it touches, unless it was turned again and a newer pass does."""
    progress = FanOut.objects.select_related("switch").get(pk=row.target)
    switch = progress.switch
    if switch is None or switch.fan_outs.filter(pk__gt=progress.pk).exists():
        fan_outs.give_way(row.target, now=now)
        return
    if not row.payload:
        row.payload = fan_outs.payload_of(progress)
        if switch.status == SwitchStatus.ON:
            events.switch_went_on.send(sender=Switch, switch=switch, now=now)
    _fan_out(row, switches.touched(switch, now=now), now=now)


def _dry_run(row: Outbox, now: datetime) -> None:
    run = row.payload["run"]
    tried = dry_runs.waiting(OutboxKind(row.kind), row.target, run)
    if tried is None:
        return
    batch, last = _next_batch(row, dry_runs.posts_of(tried, now=now), DRY_RUN_BATCH, now=now)
    dry_runs.add(tried, run, batch, last=last, now=now)


def _posts_of_cluster(cluster_id: uuid.UUID) -> "QuerySet[Any, uuid.UUID]":
    members = ClusterMember.objects.filter(cluster_id=cluster_id, left_at__isnull=True)
    return members.values_list("post_id", flat=True).distinct()


def _fan_out(
    row: Outbox,
    posts: "QuerySet[Any, uuid.UUID]",
    *,
    column: str = "pk",
    recompute: Callable[[Sequence[uuid.UUID]], None] | None = None,
    now: datetime,
) -> None:
    """One batch of a fan-out. What is left of one that a newer decision ended is the newer one's."""
    progress = fan_outs.of(row)
    if progress is not None and progress.superseded_by_id is not None:
        return
    if progress is not None and progress.paused_at is not None:
        raise NotNow("The fan-out is paused.")
    batch, last = _next_batch(row, posts, FAN_OUT_BATCH, column=column, in_halves=True, now=now)
    if recompute is None:
        effects.recompute(batch, now=now)
    else:
        recompute(batch)
    if progress is not None:
        fan_outs.count(progress, row, len(batch), last=last, now=now)


def _next_batch(
    row: Outbox,
    posts: "QuerySet[Any, uuid.UUID]",
    size: int,
    *,
    column: str = "pk",
    in_halves: bool = False,
    now: datetime,
) -> tuple[list[uuid.UUID], bool]:
    """The next posts in id order, and whether they are the last; the rest is owed as a new row, so that
    others get their turn. `in_halves`: as two rows after the first batch, for two workers at a time."""
    after, upto = row.payload.get("after"), row.payload.get("upto")
    rest = posts.filter(**{f"{column}__lte": upto}) if upto else posts
    batch = list((rest.filter(**{f"{column}__gt": after}) if after else rest).order_by(column)[:size])
    if len(batch) < size:
        return batch, True
    parts: list[dict[str, str]] = [{"after": str(batch[-1])}]
    if in_halves and not after:
        left = posts.filter(**{f"{column}__gt": batch[-1]}).order_by(column)
        number = left.count()
        if number > 2 * size:
            middle = str(left[number // 2])
            parts = [{"after": str(batch[-1]), "upto": middle}, {"after": middle}]
    for part in parts:
        outbox.put(OutboxKind(row.kind), [row.target], now=now, payload={**row.payload, **part})
    return batch, False


def _publish(row: Outbox, now: datetime) -> None:
    if not effects.publish(outbox.posts_of(row)):
        raise NotNow("Redis did not take the states.")


def _refresh_item(row: Outbox, now: datetime) -> None:
    _take_along(row)
    ranking.refresh(row.target, now=now)


def _refresh_items(post_ids: Sequence[uuid.UUID], now: datetime) -> None:
    ranking.refresh_all(post_ids, now=now)


def _refresh_cluster(row: Outbox, now: datetime) -> None:
    _take_along(row)
    ranking.refresh_cluster(row.target, now=now)


def _take_along(row: Outbox) -> None:
    """Rows like this one that wait behind it are done with it: what is hot is counted once. Rows that
    another worker has in hand are left to it."""
    like = Outbox.objects.select_for_update(skip_locked=True).filter(
        kind=row.kind, target=row.target, payload=row.payload, failed_at__isnull=True
    )
    waiting = list(like.exclude(pk=row.pk).order_by("id").values_list("pk", flat=True))
    Outbox.objects.filter(pk__in=waiting).delete()


def _judge_flags(row: Outbox, now: datetime) -> None:
    flags.answer(outbox.posts_of(row), now=now)


def _judge_cluster(row: Outbox, now: datetime) -> None:
    """Answer the flags, and let edited posts get or lose the re-check that a verdict asks for."""
    batch, _ = _next_batch(row, _posts_of_cluster(row.target), JUDGE_BATCH, column="post_id", now=now)
    flags.answer(batch, now=now)
    members = ClusterMember.objects.filter(
        cluster_id=row.target, post_id__in=batch, left_at__isnull=True
    ).exclude(post__current_version=F("post_version"))
    outbox.put(
        OutboxKind.REFRESH_ITEM,
        members.order_by("post_id").values_list("post_id", flat=True).distinct(),
        now=now,
    )


def _post_version_added(row: Outbox, now: datetime) -> None:
    version = PostVersion.objects.select_related("post", "content").get(pk=row.target)
    events.post_version_added.send(sender=PostVersion, version=version, now=now)
    if Strike.objects.filter(actor_id=version.post.actor_id, counts_until__gt=now).exists():
        effects.recompute([version.post_id], now=now)  # a new post shares its actor's standing


def _message(row: Outbox, now: datetime) -> None:
    if reason := messages.send_again(row):
        raise NotNow(reason)


_HANDLERS: dict[str, Callable[[Outbox, datetime], None]] = {
    OutboxKind.RECOMPUTE_POST: _recompute_post,
    OutboxKind.RECOMPUTE_CLUSTER: _recompute_cluster,
    OutboxKind.RECOMPUTE_ACTOR: _recompute_actor,
    OutboxKind.PUBLISH: _publish,
    OutboxKind.REFRESH_ITEM: _refresh_item,
    OutboxKind.REFRESH_CLUSTER: _refresh_cluster,
    OutboxKind.JUDGE_FLAGS: _judge_flags,
    OutboxKind.JUDGE_CLUSTER: _judge_cluster,
    OutboxKind.POST_VERSION_ADDED: _post_version_added,
    OutboxKind.MESSAGE: _message,
    OutboxKind.ROLL_OUT_POLICY: _roll_out_policy,
    OutboxKind.RANK_AGAIN: _rank_again,
    OutboxKind.DRY_RUN_POLICY: _dry_run,
    OutboxKind.ROLL_OUT_SWITCH: _roll_out_switch,
    OutboxKind.DRY_RUN_SWITCH: _dry_run,
}

# The kinds of outbox.TOGETHER, for many targets.
_ALL_AT_ONCE: dict[OutboxKind, Callable[[Sequence[uuid.UUID], datetime], None]] = {
    OutboxKind.RECOMPUTE_POST: _recompute_posts,
    OutboxKind.REFRESH_ITEM: _refresh_items,
}
