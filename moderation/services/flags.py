"""Members' reports. Intake only inserts; counting and ranking follow in batches from the outbox."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from moderation import locks, policy, workflow
from moderation.caller import Caller
from moderation.enums import (
    DANGEROUS_REASONS,
    AuditEvent,
    FlagOutcome,
    FlagReason,
    ItemKind,
    ItemOutcome,
    ItemStatus,
    OutboxKind,
)
from moderation.errors import Conflict, NotFound
from moderation.models import ClusterMember, Flag, PostVersion, Reporter, ReviewItem
from moderation.permissions import may_flag, may_flag_for_others, may_withdraw
from moderation.selectors import inputs, policies
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
    queued = (
        reason in DANGEROUS_REASONS
        or not cooling_off(version, now=now)
        or bool(queue.posts_in_review([version.post_id]))
    )
    flag = Flag(
        post=version.post,
        post_version=version,
        reporter=reporter,
        reason=reason,
        note=note,
        at=now,
        # A review was there already: the flag is counted and answered, and says nothing about the flagger.
        outcome=FlagOutcome.PENDING if queued else workflow.FLAG.step(FlagOutcome.PENDING, "pass over"),
    )
    live = _insert(flag)
    if live.pk != flag.pk:
        return Raised(live, added=False, queued=queue.is_open_for(version))
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
    """Whether this version was decided lately, so that flags are stored without a second review (domain 6).

    A rating counts as long as this version makes the rated claim, a re-check in any case.
    """
    since = now - timedelta(days=policies.at(now).data["cool_off_days"])
    makes_it = Q(cluster__members__post_version=version, cluster__members__left_at__isnull=True)
    rated = Q(outcome=ItemOutcome.RATED) & (makes_it | Q(kind=ItemKind.RE_CHECK))
    decided = Q(outcome__in=[ItemOutcome.NOT_ELIGIBLE, ItemOutcome.DESK_CLOSED, ItemOutcome.REMOVED])
    if ReviewItem.objects.filter(
        rated | decided, displayed_version=version, status=ItemStatus.CLOSED, closed_at__gt=since
    ).exists():
        return True
    return queue.every_cluster_is_rated(version, now=now)


@transaction.atomic
def answer(post_ids: Collection[uuid.UUID], *, now: datetime) -> None:
    """Bring what is said of the live flags on these posts in line with the decisions in force.

    Run after any decision about the posts, in any order: the flags are locked before the decisions are
    read. A post whose flags wait without an open item is given to ranking.refresh.
    """
    flagged = locks.flagged_posts(post_ids)
    in_review = set(queue.posts_in_review(flagged))
    rules = policies.at(now).data
    groups: dict[tuple[policy.FlagAnswer, policy.FlagAnswer, bool], list[uuid.UUID]] = {}
    for post_id, known in inputs.load_inputs(flagged, now=now).items():
        answers = policy.flag_answers(known.decisions, now, rules)
        groups.setdefault((*answers, post_id in in_review), []).append(post_id)
    to_refresh = set(posts_waiting(flagged)) - in_review
    for (truth, harm, item_is_open), posts in groups.items():
        live = Flag.objects.filter(post_id__in=posts, withdrawn_at__isnull=True)
        of_harm = Q(reason__in=DANGEROUS_REASONS)
        said = _say(live.exclude(of_harm), truth, item_is_open=item_is_open)
        said += _say(live.filter(of_harm), harm, item_is_open=item_is_open)
        if said:
            to_refresh |= set(posts)
    outbox.put(OutboxKind.REFRESH_ITEM, sorted(to_refresh), now=now)


def _say(live: "QuerySet[Flag]", answer: policy.FlagAnswer, *, item_is_open: bool) -> int:
    early, late = answer.verbs(item_is_open=item_is_open)
    if answer.since is None:
        return _move(live, late)
    return _move(live.filter(at__lte=answer.since), early) + _move(live.filter(at__gt=answer.since), late)


def _move(live: "QuerySet[Flag]", verb: str) -> int:
    """Give these flags the outcome of a verb; returns how many had another one."""
    moved = 0
    for outcome in FlagOutcome:
        to = workflow.FLAG.step(outcome, verb)
        if to != outcome:
            moved += live.filter(outcome=outcome).update(outcome=to)
    return moved


def posts_waiting(post_ids: "Collection[uuid.UUID] | QuerySet[ClusterMember, uuid.UUID]") -> list[uuid.UUID]:
    """Those of the posts on which a flag waits for an answer."""
    waiting = Flag.objects.filter(
        post_id__in=post_ids, withdrawn_at__isnull=True, outcome=FlagOutcome.PENDING
    )
    return list(waiting.order_by("post_id").values_list("post_id", flat=True).distinct())


@transaction.atomic
def pass_over(post_id: uuid.UUID) -> None:
    """Answer the flags that still wait on a post which nobody will review."""
    locks.flagged_posts([post_id])
    _move(
        Flag.objects.filter(post_id=post_id, outcome=FlagOutcome.PENDING, withdrawn_at__isnull=True),
        "pass over",
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


def _insert(flag: Flag) -> Flag:
    """The flag, or the live one of the same reporter on the same version.

    The unique constraint decides between two clicks of one person: the second waits and reads the first's,
    and is inserted after all if that one was withdrawn before it could be read.
    """
    live = None
    while live is None:
        Flag.objects.bulk_create([flag], ignore_conflicts=True)
        live = (
            Flag.objects.select_related("reporter")
            .filter(post_version=flag.post_version, reporter=flag.reporter, withdrawn_at__isnull=True)
            .first()
        )
    return live
