"""The consumer of the outbox: each row's work and its deletion are one transaction.

So a killed worker, a repeated or a lost message leave the row where it was. A row that keeps failing is
set aside after MAX_ATTEMPTS and listed on the system page.
"""

import logging
import random
import uuid
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.db import DatabaseError, transaction
from django.utils import timezone

from moderation import events, workflow
from moderation.enums import DANGEROUS_REASONS, DecisionKind, FlagOutcome, OutboxKind
from moderation.errors import DomainError
from moderation.models import ClusterMember, Decision, EffectiveState, FanOut, Flag, Outbox, Post, PostVersion
from moderation.selectors import policies
from moderation.services import effects, flags, outbox, ranking

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 8
FAN_OUT_BATCH = 5000


def drain(queue: str, *, limit: int, now: Callable[[], datetime] = timezone.now) -> int:
    """Work through waiting rows of a queue; returns how many were done. Safe to run many times at once."""
    done = 0
    while done < limit and _work_one(queue, now=now()):
        done += 1
    return done


def sweep(*, now: datetime, limit: int = 5000) -> dict[str, int]:
    """Find what is late: states past their `valid_until`, and queues whose bell was lost."""
    ended = list(
        EffectiveState.objects.filter(valid_until__lte=now)
        .order_by("valid_until")
        .values_list("pk", flat=True)[:limit]
    )
    with transaction.atomic():
        effects.request(ended, now=now)
        waiting = (
            Outbox.objects.filter(failed_at__isnull=True, available_at__lte=now)
            .order_by("queue")
            .values_list("queue", flat=True)
            .distinct()
        )
        for queue in waiting:
            outbox.ring_after_commit(queue)
    return {"ended": len(ended)}


def retry_failed(row_id: uuid.UUID, *, now: datetime) -> None:
    """Put a row that was set aside back to work."""
    with transaction.atomic():
        row = Outbox.objects.select_for_update().get(pk=row_id)
        row.failed_at, row.attempts, row.available_at = None, 0, now
        row.save(update_fields=["failed_at", "attempts", "available_at"])
        outbox.ring_after_commit(row.queue)


def _work_one(queue: str, *, now: datetime) -> bool:
    with transaction.atomic():
        row = outbox.take(queue, now=now)
        if row is None:
            return False
        try:
            with transaction.atomic():
                _HANDLERS[OutboxKind(row.kind)](row, now)
        except (DatabaseError, DomainError, LookupError, ValueError, TypeError, AttributeError) as error:
            _set_back(row, error, now=now)
        else:
            row.delete()
    return True


def _set_back(row: Outbox, error: Exception, *, now: datetime) -> None:
    """Try again later, later each time, and give up after MAX_ATTEMPTS."""
    row.attempts += 1
    row.error = f"{type(error).__name__}: {error}"[:2000]
    wait = min(2**row.attempts, 300) * random.uniform(0.5, 1)  # noqa: S311 (jitter)
    row.available_at = now + timedelta(seconds=wait)
    if row.attempts >= MAX_ATTEMPTS:
        row.failed_at = now
    row.save(update_fields=["attempts", "error", "available_at", "failed_at"])
    logger.warning("outbox_row_failed", extra={"row": str(row.pk), "kind": row.kind, "error": row.error})


# ── what each kind of row asks for ─────────────────────────────────────────────────────────────────


def _recompute_post(row: Outbox, now: datetime) -> None:
    effects.recompute([row.target], now=now)


def _recompute_cluster(row: Outbox, now: datetime) -> None:
    posts = ClusterMember.objects.filter(cluster_id=row.target, left_at__isnull=True)
    _batch(row, posts.values_list("post_id", flat=True).distinct(), "post_id", now=now)


def _recompute_actor(row: Outbox, now: datetime) -> None:
    _batch(row, Post.objects.filter(actor_id=row.target).values_list("id", flat=True), "id", now=now)


def _batch(row: Outbox, ids: "object", column: str, *, now: datetime) -> None:
    """Recompute the next batch by keyset and owe the rest as a new row, so that others get their turn."""
    after = row.payload.get("after")
    wanted = ids.filter(**{f"{column}__gt": after}) if after else ids  # type: ignore[attr-defined]
    batch = list(wanted.order_by(column)[:FAN_OUT_BATCH])
    effects.recompute(batch, now=now)
    finished = len(batch) < FAN_OUT_BATCH
    progress = FanOut.objects.select_for_update().filter(pk=row.payload.get("progress")).first()
    if progress is not None:
        progress.done += len(batch)
        progress.finished_at = now if finished else None
        progress.save(update_fields=["done", "finished_at"])
    if not finished:
        payload = {**row.payload, "after": str(batch[-1])}
        outbox.put(OutboxKind(row.kind), [row.target], now=now, payload=payload)


def _publish(row: Outbox, now: datetime) -> None:
    if not effects.publish([uuid.UUID(i) for i in row.payload["posts"]]):
        raise LookupError("Redis did not take the states.")


def _refresh_item(row: Outbox, now: datetime) -> None:
    """Rows for the same post that wait behind this one are done with it: hot posts are counted once."""
    later = Outbox.objects.select_for_update(skip_locked=True).filter(
        kind=OutboxKind.REFRESH_ITEM, target=row.target, failed_at__isnull=True
    )
    Outbox.objects.filter(pk__in=list(later.exclude(pk=row.pk).values_list("pk", flat=True))).delete()
    ranking.refresh(row.target, now=now)


def _judge_flags(row: Outbox, now: datetime) -> None:
    decision = Decision.objects.get(pk=row.target)
    if decision.kind in (DecisionKind.PROVISIONAL, DecisionKind.HIDE, DecisionKind.RESTRICTION):
        return
    posts = [decision.post_id] if decision.post_id else []
    if decision.cluster_id:
        posts = flags.posts_of_cluster(decision.cluster_id)
    if decision.kind == DecisionKind.REMOVAL:
        _answer_removed(decision, posts)
        return
    verb = "pass over"
    if not decision.ends and not decision.contested:
        verb = policies.at(now).data["verdicts"].get(decision.outcome, {}).get("flag", "pass over")
    flags.judge(post_ids=posts, verb=verb, before=decision.at)


def _answer_removed(removal: Decision, posts: Sequence[uuid.UUID]) -> None:
    """A removal answers the flags that named the harm, its end takes the answer back. Flags about truth are
    passed over where the post is gone everywhere; where it lives on, they stay with the truth review."""
    live = Flag.objects.filter(post_id__in=posts, at__lte=removal.at, withdrawn_at__isnull=True)
    of_harm = live.filter(reason__in=DANGEROUS_REASONS)
    of_harm.update(outcome=workflow.FLAG.step("pending", "pass over" if removal.ends else "agree"))
    if not removal.regions:
        live.filter(outcome=FlagOutcome.PENDING).update(outcome=workflow.FLAG.step("pending", "pass over"))


def _post_version_added(row: Outbox, now: datetime) -> None:
    version = PostVersion.objects.select_related("post", "content").get(pk=row.target)
    events.post_version_added.send(sender=PostVersion, version=version, now=now)


_HANDLERS: dict[OutboxKind, Callable[[Outbox, datetime], None]] = {
    OutboxKind.RECOMPUTE_POST: _recompute_post,
    OutboxKind.RECOMPUTE_CLUSTER: _recompute_cluster,
    OutboxKind.RECOMPUTE_ACTOR: _recompute_actor,
    OutboxKind.PUBLISH: _publish,
    OutboxKind.REFRESH_ITEM: _refresh_item,
    OutboxKind.JUDGE_FLAGS: _judge_flags,
    OutboxKind.POST_VERSION_ADDED: _post_version_added,
}
