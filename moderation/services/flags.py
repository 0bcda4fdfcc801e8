"""Members' reports. Intake only inserts; counting and ranking follow in batches from the outbox."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from moderation import workflow
from moderation.caller import Caller
from moderation.enums import (
    DANGEROUS_REASONS,
    AuditEvent,
    FlagOutcome,
    FlagReason,
    ItemOutcome,
    ItemStatus,
    OutboxKind,
)
from moderation.errors import Conflict, NotFound
from moderation.models import ClusterMember, Flag, PostVersion, Reporter, ReviewItem
from moderation.permissions import may_flag, may_flag_for_others, may_withdraw
from moderation.selectors import policies
from moderation.services import audit, outbox, queue


@dataclass(frozen=True)
class Raised:
    """The flag, whether it is new, and whether it brought or joined an open item (else: cool-off)."""

    flag: Flag
    added: bool
    queued: bool


@transaction.atomic
def raise_flag(
    *,
    version_id: uuid.UUID,
    reason: FlagReason,
    note: str = "",
    reporter_external_id: str | None = None,
    caller: Caller,
    now: datetime,
) -> Raised:
    """Report a post version. The same reporter flagging it again gets the live flag back, unchanged.

    A deleted post can still be flagged on the version that was seen (its author may be fast).
    Raises Refused; NotFound if there is no such version.
    """
    may_flag(caller).require()
    version = PostVersion.objects.select_related("post").filter(pk=version_id).first()
    if version is None:
        raise NotFound("There is no such post.")
    reporter = _reporter(caller, reporter_external_id)
    flag = Flag(post=version.post, post_version=version, reporter=reporter, reason=reason, note=note, at=now)
    # The unique constraint decides between two clicks of one person; the loser waits and reads the winner's.
    if not _insert(flag):
        live = Flag.objects.select_related("reporter").get(
            post_version=version, reporter=reporter, withdrawn_at__isnull=True
        )
        return Raised(live, added=False, queued=queue.is_open_for(version))
    queued = reason in DANGEROUS_REASONS or not cooling_off(version, now=now)
    if queued:
        queue.open_for_version(version, now=now, caller=caller, reasons=[reason])
        outbox.put(OutboxKind.REFRESH_ITEM, [version.post_id], now=now)
    audit.record(AuditEvent.FLAG_RAISED, flag, caller=caller, now=now, reason=reason)
    return Raised(flag, added=True, queued=queued)


@transaction.atomic
def withdraw(flag_id: uuid.UUID, *, caller: Caller, now: datetime) -> Flag:
    """Take a flag back. Withdrawing twice changes nothing.

    Raises NotFound if there is no such flag of the caller's.
    """
    flag = (
        Flag.objects.select_related("reporter")
        .select_for_update(no_key=True, of=("self",))
        .filter(pk=flag_id)
        .first()
    )
    if flag is None or not may_withdraw(caller, flag):
        raise NotFound("There is no such flag.")
    if flag.withdrawn_at is None:
        if flag.outcome != FlagOutcome.PENDING:
            raise Conflict("This flag has been answered.", code="already_answered", current=flag.outcome)
        flag.withdrawn_at = now
        flag.save(update_fields=["withdrawn_at"])
        outbox.put(OutboxKind.REFRESH_ITEM, [flag.post_id], now=now)
        audit.record(AuditEvent.FLAG_WITHDRAWN, flag, caller=caller, now=now)
    return flag


def cooling_off(version: PostVersion, *, now: datetime) -> bool:
    """Whether this version was decided lately, so that flags are stored without a second review (domain 6)."""
    since = now - timedelta(days=policies.at(now).data["cool_off_days"])
    decided = [ItemOutcome.RATED, ItemOutcome.NOT_ELIGIBLE, ItemOutcome.DESK_CLOSED, ItemOutcome.REMOVED]
    if ReviewItem.objects.filter(
        displayed_version=version, status=ItemStatus.CLOSED, outcome__in=decided, closed_at__gt=since
    ).exists():
        return True
    return queue.every_cluster_is_rated(version, now=now)


@transaction.atomic
def judge(*, post_ids: Collection[uuid.UUID], verb: str, before: datetime) -> int:
    """Record what a decision made at `before` says about the live flags on these posts; returns how many.

    Only flags made before the outcome was visible count towards a flagger's record (domain 6).
    """
    machine = workflow.FLAG
    changed = 0
    for outcome in FlagOutcome:
        if not machine.may(outcome, verb):
            continue
        changed += Flag.objects.filter(
            post_id__in=post_ids, outcome=outcome, at__lte=before, withdrawn_at__isnull=True
        ).update(outcome=machine.step(outcome, verb))
    return changed


def posts_of_cluster(cluster_id: uuid.UUID) -> list[uuid.UUID]:
    return list(
        ClusterMember.objects.filter(cluster_id=cluster_id, left_at__isnull=True)
        .order_by("post_id")
        .values_list("post_id", flat=True)
        .distinct()
    )


def _reporter(caller: Caller, external_id: str | None) -> Reporter:
    if external_id is not None:
        may_flag_for_others(caller).require()
        who = {"external_id": external_id}
    else:
        who = {"person_id": str(caller.person_id)}
    found = Reporter.objects.filter(**who).first()
    if found is None:
        Reporter.objects.bulk_create([Reporter(**who)], ignore_conflicts=True)
        found = Reporter.objects.get(**who)
    return found


def _insert(flag: Flag) -> bool:
    Flag.objects.bulk_create([flag], ignore_conflicts=True)
    return Flag.objects.filter(pk=flag.pk).exists()
