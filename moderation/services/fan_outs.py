"""Fan-outs: one decision, one standing or one policy over many posts, with visible progress.

Each batch is a transaction that owes the next, so a killed worker costs one batch's time. A newer decision on
the same cluster, or a newer look at the same actor, passes over every post itself: it ends the older one.

There is no cancel. Half a decision carried out is a state that no decision implies; who wants another state
decides anew, and that ends the fan-out. A pause only makes it late, and the system page and log keep saying so.
"""

import uuid
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Q

from moderation.caller import Caller
from moderation.enums import AuditEvent, OutboxKind
from moderation.errors import Conflict, NotFound
from moderation.models import ClusterMember, FanOut, Outbox, Post
from moderation.permissions import may_administer
from moderation.services import audit, outbox

if TYPE_CHECKING:
    from django.db.models import QuerySet

SEVERAL = 2  # from this many posts on, a decision shows its progress


def over_cluster(cluster_id: uuid.UUID, *, now: datetime) -> None:
    """Owe a recompute of every post of the cluster, with visible progress when they are many."""
    members = ClusterMember.objects.filter(cluster_id=cluster_id, left_at__isnull=True)
    total = members.values("post").distinct().count()
    payload = {}
    if total >= SEVERAL:
        begun = FanOut.objects.create(cluster_id=cluster_id, total=total, started_at=now)
        end_older(begun, now=now)
        payload = payload_of(begun)
    outbox.put(OutboxKind.RECOMPUTE_CLUSTER, [cluster_id], now=now, payload=payload)


def over_actor(actor_id: uuid.UUID, *, now: datetime) -> FanOut:
    """Begin a look at all posts of an actor. To be followed by `end_older` once it holds the states of the first
    ones: a worker that carries out an older look locks states first, the fan-out last."""
    total = Post.objects.filter(actor_id=actor_id).count()
    return FanOut.objects.create(actor_id=actor_id, total=total, started_at=now)


def of(row: Outbox) -> FanOut | None:
    """The fan-out that a row of work belongs to, if it shows one."""
    return FanOut.objects.filter(pk=row.payload.get("progress")).first()


def count(progress: FanOut, row: Outbox, posts: int, *, last: bool, now: datetime) -> None:
    """Add a batch. It is finished when this was the last one and no other part of it waits or runs."""
    held = FanOut.objects.select_for_update(no_key=True).get(pk=progress.pk)
    held.done += posts
    finished = last and not _rows(held).exclude(pk=row.pk).exists()
    # Posts may join or leave on the way: what was done is then the better count.
    held.total = held.done if finished else max(held.total, held.done)
    if finished and held.finished_at is None:
        held.finished_at = now
        held.paused_at = held.paused_by_id = None  # somebody paused it while its last batch ran
    held.save(update_fields=["done", "total", "finished_at", "paused_at", "paused_by"])


@transaction.atomic
def pause(fan_out_id: uuid.UUID, *, caller: Caller, now: datetime) -> FanOut:
    """Let no further batch begin; posts that it did not reach stay late until it goes on or a newer decision.

    Raises Refused; NotFound; Conflict (`finished`). Pausing twice changes nothing.
    """
    may_administer(caller).require()
    held = _held(fan_out_id)
    if held.paused_at is None:
        held.paused_at, held.paused_by_id = now, caller.person_id
        held.save(update_fields=["paused_at", "paused_by"])
        audit.record(AuditEvent.FAN_OUT_PAUSED, held, caller=caller, now=now, done=held.done)
    return held


@transaction.atomic
def resume(fan_out_id: uuid.UUID, *, caller: Caller, now: datetime) -> FanOut:
    """Go on where it stopped. Raises Refused; NotFound; Conflict (`finished`)."""
    may_administer(caller).require()
    known = FanOut.objects.filter(pk=fan_out_id).first()
    if known is not None:
        # The rows of work before the progress, as the workers lock them.
        waiting = _rows(known).select_for_update().order_by("id")
        ids = list(waiting.values_list("pk", flat=True))
        Outbox.objects.filter(pk__in=ids).update(available_at=now, attempts=0, error="")
    held = _held(fan_out_id)
    if held.paused_at is not None:
        held.paused_at = held.paused_by_id = None
        held.save(update_fields=["paused_at", "paused_by"])
        audit.record(AuditEvent.FAN_OUT_RESUMED, held, caller=caller, now=now, done=held.done)
    outbox.ring_after_commit("effects")
    return held


def paused() -> list[FanOut]:
    """Those that somebody stopped half-way, the longest first."""
    return list(FanOut.objects.filter(paused_at__isnull=False).order_by("paused_at", "id"))


def end_older(new: FanOut, *, now: datetime) -> None:
    """End those over the same posts: what they had left is passed over by this one."""
    same = Q(cluster_id=new.cluster_id) if new.cluster_id else Q(actor_id=new.actor_id)
    older = FanOut.objects.filter(same, finished_at__isnull=True).exclude(pk=new.pk)
    older.update(superseded_by=new, finished_at=now, paused_at=None, paused_by=None)


def give_way(fan_out_id: uuid.UUID, *, now: datetime) -> None:
    """End one that has nothing left to do: a newer policy or switch passes over its posts."""
    FanOut.objects.filter(pk=fan_out_id).update(finished_at=now, paused_at=None, paused_by=None)


def payload_of(fan_out: FanOut) -> dict[str, str]:
    """What the rows of its work carry."""
    return {"progress": str(fan_out.pk)}


def _rows(of: FanOut) -> "QuerySet[Outbox]":
    """Its work that waits or runs. Policies and switches are rolled out under the fan-out's own id, and their
    first row carries nothing yet."""
    waiting = Outbox.objects.filter(failed_at__isnull=True)
    if target := of.cluster_id or of.actor_id:
        return waiting.filter(target=target, payload__progress=str(of.pk))
    return waiting.filter(target=of.pk, kind__in=(OutboxKind.ROLL_OUT_POLICY, OutboxKind.ROLL_OUT_SWITCH))


def _held(fan_out_id: uuid.UUID) -> FanOut:
    held = FanOut.objects.select_for_update(no_key=True).filter(pk=fan_out_id).first()
    if held is None:
        raise NotFound("There is no such fan-out.")
    if held.finished_at is not None:
        raise Conflict("It has ended already.", code="finished")
    return held
