"""Members' reports. Intake only inserts; counting and ranking follow in batches from the outbox."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import connection, transaction
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
from moderation.ids import new_id
from moderation.models import ClusterMember, Flag, PostVersion, Reporter, ReviewItem
from moderation.permissions import may_flag, may_flag_for_others, may_withdraw
from moderation.selectors import flagging, inputs, policies
from moderation.services import audit, outbox, queue, statements


@dataclass(frozen=True)
class Raised:
    """The flag, whether it is new, and whether it brought or joined an open item (else: cool-off)."""

    flag: Flag
    added: bool
    queued: bool


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
    reporter = _reporter(caller, reporter_external_id)
    return _raise(
        flagging.of_version(version_id, reporter, now=now), reporter, reason, note, caller=caller, now=now
    )


def raise_on_post(
    *,
    ref: str,
    number: int | None,
    reason: FlagReason,
    note: str = "",
    reporter_external_id: str | None = None,
    caller: Caller,
    now: datetime,
) -> Raised:
    """As `raise_flag`, on the version of a post with this number, or on its newest."""
    reporter = _reporter(caller, reporter_external_id)
    return _raise(
        flagging.of_post(ref, number, reporter, now=now), reporter, reason, note, caller=caller, now=now
    )


def _raise(
    seen: flagging.Situation | None,
    reporter: uuid.UUID | str,
    reason: FlagReason,
    note: str,
    *,
    caller: Caller,
    now: datetime,
) -> Raised:
    if seen is None:
        raise NotFound("There is no such post.")
    if seen.live is not None:
        return Raised(seen.live, added=False, queued=seen.item_is_open)
    return _store(seen, reporter, reason, note, caller=caller, now=now)


@transaction.atomic(savepoint=False)
def _store(
    seen: flagging.Situation,
    reporter: uuid.UUID | str,
    reason: FlagReason,
    note: str,
    *,
    caller: Caller,
    now: datetime,
) -> Raised:
    """Only the database says no from here on, so a caller's transaction needs no savepoint."""
    queued = reason in DANGEROUS_REASONS or not seen.cooling_off(now) or seen.in_review
    flag = Flag(
        post=seen.version.post,
        post_version=seen.version,
        reporter_id=seen.reporter_id or _new_reporter(reporter),
        reason=reason,
        note=note,
        at=now,
        # A review was there already: the flag is counted and answered, and says nothing about the flagger.
        outcome=FlagOutcome.PENDING if queued else workflow.FLAG.step(FlagOutcome.PENDING, "pass over"),
    )
    live = _insert(flag)
    if live.pk != flag.pk:
        return Raised(live, added=False, queued=seen.item_is_open or queued)
    owed = []
    if queued:
        if (about := seen.without_item()) is not None:
            queue.open_first(about, seen.version, reason=reason, rules=seen.rules, caller=caller, now=now)
        owed.append(outbox.once(OutboxKind.REFRESH_ITEM, [flag.post_id], now=now))
    statements.run(*owed, audit.row(AuditEvent.FLAG_RAISED, flag, caller=caller, now=now, reason=reason))
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
        outbox.put_once(OutboxKind.REFRESH_ITEM, [flag.post_id], now=now)
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


def _reporter(caller: Caller, external_id: str | None) -> uuid.UUID | str:
    """Who flags: the person's id, or the platform's own id of its member. Raises Refused."""
    may_flag(caller).require()
    if external_id is None:
        return caller.person
    may_flag_for_others(caller).require()
    return external_id


def _new_reporter(who: uuid.UUID | str) -> uuid.UUID:
    """The row of somebody who flags for the first time, perhaps twice at once."""
    column = "person_id" if isinstance(who, uuid.UUID) else "external_id"
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO moderation_reporter (id, {column}) VALUES (%s, %s) "  # noqa: S608 (two constants)
            f"ON CONFLICT ({column}) DO NOTHING RETURNING id",
            [new_id(), who],
        )
        inserted: tuple[uuid.UUID] | None = cursor.fetchone()
    return inserted[0] if inserted else Reporter.objects.values_list("pk", flat=True).get(**{column: who})


_INSERT = """
INSERT INTO moderation_flag (id, post_id, post_version_id, reporter_id, reason, note, at, outcome)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING
"""


def _insert(flag: Flag) -> Flag:
    """The flag, or the live one of the same reporter on the same version.

    The unique constraint decides between two clicks of one person: the second waits and reads the first's,
    and is inserted after all if that one was withdrawn before it could be read.
    """
    while True:
        with connection.cursor() as cursor:
            cursor.execute(
                _INSERT,
                [
                    flag.pk, flag.post_id, flag.post_version_id, flag.reporter_id,
                    flag.reason, flag.note, flag.at, flag.outcome,
                ],
            )  # fmt: skip
            if cursor.rowcount:
                return flag
        live = Flag.objects.filter(
            post_version_id=flag.post_version_id, reporter_id=flag.reporter_id, withdrawn_at__isnull=True
        ).first()
        if live is not None:
            live.post_version = flag.post_version
            return live
