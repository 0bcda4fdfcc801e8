"""The policy desk: a case of its own beside the queue. Removal takes two people.

A case has one decision in force at a time: what the desk decides replaces what it decided before,
and ends an emergency hide.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from moderation import iso, locks, workflow
from moderation.caller import Caller
from moderation.enums import AuditEvent, DecisionKind, DeskAction, EscalationStatus, Ground, ItemOutcome
from moderation.errors import Conflict, Invalid, NotFound, StaleItem
from moderation.models import Decision, Escalation, PostVersion, Proposal
from moderation.permissions import (
    HIDDEN_BEFORE,
    RESTRICTED_BEFORE,
    may_escalate,
    may_judge_proposal,
    may_work_desk,
)
from moderation.selectors import policies
from moderation.services import announcements, audit, decisions, queue, subjects, words

OPEN = (EscalationStatus.OPEN, EscalationStatus.PROPOSED)
MEASURES = (DecisionKind.REMOVAL, DecisionKind.RESTRICTION, DecisionKind.HIDE)
# Where the desk's decisions come from; hides and one-key restrictions are once per version and ground.
DESK, HIDE, RESTRICT = "desk", "desk_hide", "desk_restrict"


@dataclass(frozen=True)
class CaseRef:
    """A case as the caller saw it; `shown` is the post version they read, if they say so."""

    id: uuid.UUID
    version: int
    shown: uuid.UUID | None = None


@transaction.atomic
def open_case(
    *,
    version_id: uuid.UUID,
    ground: Ground,
    note: str,
    regions: Sequence[str] = (),
    caller: Caller,
    now: datetime,
) -> tuple[Escalation, bool]:
    """Ask the desk to look; returns the case and whether it is new. Escalating twice makes one case.

    Raises Refused; NotFound; Invalid (`regions`).
    """
    may_escalate(caller).require()
    version = PostVersion.objects.select_related("post").filter(pk=version_id).first()
    if version is None:
        raise NotFound("There is no such post.")
    hours = policies.at(now).data["desk"]["due_hours"][ground]
    case = Escalation(
        post=version.post,
        post_version=version,
        ground=ground,
        regions=iso.regions(regions),
        note=note,
        opened_by_id=caller.person_id,
        opened_for=caller.organisation_id,
        opened_at=now,
        due_at=now + timedelta(hours=hours),
    )
    stored = None
    while stored is None:  # the open case that was in the way may be decided before it is read
        Escalation.objects.bulk_create([case], ignore_conflicts=True)
        stored = Escalation.objects.filter(post=version.post, ground=ground, status__in=OPEN).first()
    added = stored.pk == case.pk
    if added:
        audit.record(AuditEvent.ESCALATION_OPENED, stored, caller=caller, now=now, ground=ground)
        announcements.escalation_opened(stored, now=now)
    return stored, added


def look(case: Escalation, *, caller: Caller, now: datetime) -> None:
    """Note in the audit log that somebody read the case's content (domain 10)."""
    audit.record(AuditEvent.SENSITIVE_VIEWED, case, caller=caller, now=now)


@transaction.atomic
def propose(
    ref: CaseRef,
    *,
    action: DeskAction,
    ground: Ground,
    explanation: str,
    policy_section: str,
    regions: Sequence[str] = (),
    caller: Caller,
    now: datetime,
) -> Proposal:
    """Propose a removal (or a lasting restriction); another specialist must confirm it.

    Raises Refused; NotFound; Conflict (`wrong_state`, or `other_case_open` while the desk has an open case
    for the post and ground of this decided one); StaleItem; Invalid naming the field.
    """
    may_work_desk(caller).require()
    if action not in (DeskAction.REMOVE, DeskAction.RESTRICT):
        raise Invalid("Only a removal or a restriction is proposed.", field="action")
    words.require(explanation=explanation, policy_section=policy_section)
    regions = iso.regions(regions)
    case = _case(ref)
    try:
        with transaction.atomic():
            _step(case, "propose", now=now)
    except IntegrityError:  # this case was decided, and a newer one is open for the same post and ground
        raise Conflict(
            _("The desk has a newer open case for this post and ground; decide that one."),
            code="other_case_open",
        ) from None
    proposal = Proposal.objects.create(
        escalation=case,
        action=action,
        ground=ground,
        regions=regions,
        explanation=explanation,
        policy_section=policy_section,
        proposed_by_id=caller.person,
        proposed_at=now,
    )
    audit.record(
        AuditEvent.REMOVAL_PROPOSED, proposal, caller=caller, now=now, case=str(case.pk), action=action
    )
    return proposal


@transaction.atomic
def confirm(
    proposal_id: uuid.UUID, *, shown: uuid.UUID | None = None, caller: Caller, now: datetime
) -> Decision:
    """The second key: the proposal takes effect. `shown` is the post version the caller read.

    Raises Refused (the proposer, or no specialist); NotFound; Conflict (`wrong_state`); StaleItem.
    """
    # Items come before cases and posts in the lock order.
    about = Proposal.objects.filter(pk=proposal_id).values_list("escalation__post_id", flat=True)
    queue.lock_about(post_ids=list(about))
    case, proposal = _judged(proposal_id, caller=caller)
    _require_shown(case, shown)
    proposal.status = workflow.PROPOSAL.step(proposal.status, "confirm")
    proposal.judged_by_id, proposal.judged_at = caller.person_id, now
    proposal.save()
    removal = proposal.action == DeskAction.REMOVE
    _step(case, "confirm removal" if removal else "confirm restriction", now=now)
    replaced = (DecisionKind.HIDE, DecisionKind.RESTRICTION)
    _end_in_force(case, replaced, key=f"confirm:{proposal.pk}", caller=caller, now=now)
    if removal and not proposal.regions:
        subjects.close_removed(case.post, outcome=ItemOutcome.REMOVED, caller=caller, now=now)
    decision = decisions.on_post(
        case.post,
        kind=DecisionKind.REMOVAL if removal else DecisionKind.RESTRICTION,
        source=DESK,
        source_key=f"proposal:{proposal.pk}",
        post_version=case.post_version,
        ground=proposal.ground,
        regions=proposal.regions,
        presentation={"explanation": proposal.explanation, "policy_section": proposal.policy_section},
        decided_by=proposal.proposed_by_id,
        confirmed_by=caller.person_id,
        caller=caller,
        now=now,
        urgent=True,
    )
    audit.record(
        AuditEvent.PROPOSAL_CONFIRMED,
        proposal,
        caller=caller,
        now=now,
        case=str(case.pk),
        decision=str(decision.pk),
    )
    return decision


@transaction.atomic
def refuse(proposal_id: uuid.UUID, *, reason: str, caller: Caller, now: datetime) -> Proposal:
    """The second specialist says no; the case is open again. Raises Refused, Conflict, Invalid (`reason`)."""
    words.require(reason=reason)
    case, proposal = _judged(proposal_id, caller=caller)
    proposal.status = workflow.PROPOSAL.step(proposal.status, "refuse")
    proposal.judged_by_id, proposal.judged_at, proposal.reason = caller.person_id, now, reason
    proposal.save()
    _step(case, "refuse", now=now)
    audit.record(AuditEvent.PROPOSAL_REFUSED, proposal, caller=caller, now=now, case=str(case.pk))
    return proposal


@transaction.atomic
def hide(ref: CaseRef, *, explanation: str, caller: Caller, now: datetime) -> Decision:
    """One specialist hides the post at once, for at most 24 h; once per post version and ground, ever.

    Raises Refused; Conflict (`hidden_before`, `wrong_state`); StaleItem; Invalid (`explanation`).
    """
    may_work_desk(caller).require()
    words.require(explanation=explanation)
    case = _case(ref)
    if Decision.objects.filter(source=HIDE, source_key=_once(case)).exists():
        raise Conflict(str(HIDDEN_BEFORE), code="hidden_before")
    _step(case, "hide", now=now)
    hours = policies.at(now).data["desk"]["hide_hours"]
    decision = decisions.on_post(
        case.post,
        kind=DecisionKind.HIDE,
        source=HIDE,
        source_key=_once(case),
        post_version=case.post_version,
        ground=case.ground,
        in_force_until=now + timedelta(hours=hours),
        presentation={"explanation": explanation},
        caller=caller,
        now=now,
        urgent=True,
    )
    audit.record(AuditEvent.POST_HIDDEN, case, caller=caller, now=now, decision=str(decision.pk))
    return decision


@transaction.atomic
def keep(ref: CaseRef, *, explanation: str, caller: Caller, now: datetime) -> Decision:
    """The desk lets the post stand: ends what this case decided before, and a demotion before review.

    Raises Refused; Conflict (`wrong_state`); StaleItem; Invalid (`explanation`).
    """
    may_work_desk(caller).require()
    words.require(explanation=explanation)
    case = _case(ref)
    _step(case, "keep", now=now)
    _end_in_force(case, MEASURES, key=f"keep:{case.pk}", explanation=explanation, caller=caller, now=now)
    decision = decisions.on_post(
        case.post,
        kind=DecisionKind.KEPT,
        source=DESK,
        source_key=f"keep:{case.pk}",
        post_version=case.post_version,
        ground=case.ground,
        presentation={"explanation": explanation},
        caller=caller,
        now=now,
        urgent=True,
    )
    audit.record(AuditEvent.ESCALATION_DECIDED, case, caller=caller, now=now, action="keep")
    return decision


@transaction.atomic
def restrict(
    ref: CaseRef,
    *,
    explanation: str,
    policy_section: str,
    regions: Sequence[str] = (),
    caller: Caller,
    now: datetime,
) -> Decision:
    """One key restricts for 7 days, once per post version and ground; a longer restriction is proposed.

    Raises as `keep`; Conflict (`restricted_before`); Invalid (`regions`).
    """
    may_work_desk(caller).require()
    words.require(explanation=explanation, policy_section=policy_section)
    regions = iso.regions(regions)
    case = _case(ref)
    if Decision.objects.filter(source=RESTRICT, source_key=_once(case)).exists():
        raise Conflict(str(RESTRICTED_BEFORE), code="restricted_before")
    _step(case, "restrict", now=now)
    _end_in_force(case, (DecisionKind.HIDE,), key=f"restrict:{case.pk}", caller=caller, now=now)
    days = policies.at(now).data["desk"]["restrict_days"]
    decision = decisions.on_post(
        case.post,
        kind=DecisionKind.RESTRICTION,
        source=RESTRICT,
        source_key=_once(case),
        post_version=case.post_version,
        ground=case.ground,
        regions=regions,
        in_force_until=now + timedelta(days=days),
        presentation={"explanation": explanation, "policy_section": policy_section},
        caller=caller,
        now=now,
        urgent=True,
    )
    audit.record(AuditEvent.ESCALATION_DECIDED, case, caller=caller, now=now, action="restrict")
    return decision


@transaction.atomic
def restore(ref: CaseRef, *, explanation: str, caller: Caller, now: datetime) -> int:
    """Take a removal or restriction of this case back; ratings it masked show again, rating work that it cut
    short goes on. Returns how many ended. Raises as `keep`.
    """
    may_work_desk(caller).require()
    words.require(explanation=explanation)
    about = Escalation.objects.filter(pk=ref.id).values_list("post_id", flat=True)
    queue.lock_about(post_ids=list(about))  # as in confirm
    case = _case(ref)
    _step(case, "restore", now=now)
    ended = _end_in_force(
        case, MEASURES, key=f"restore:{case.pk}", explanation=explanation, caller=caller, now=now
    )
    subjects.go_on_restored(case.post, caller=caller, now=now)
    audit.record(AuditEvent.POST_RESTORED, case, caller=caller, now=now, ended=ended)
    return ended


def made_by(case: Escalation) -> Q:
    """The decisions of this case, whatever ground each names: a filter on Decision."""
    proposals = [f"proposal:{i}" for i in case.proposals.order_by("id").values_list("pk", flat=True)]
    return Q(source__in=(HIDE, RESTRICT), source_key=_once(case)) | Q(source=DESK, source_key__in=proposals)


def _end_in_force(
    case: Escalation,
    kinds: Sequence[DecisionKind],
    *,
    key: str,
    explanation: str = "",
    caller: Caller,
    now: datetime,
) -> int:
    """End what this case decided before, if it still holds; returns how many decisions ended."""
    rows = Decision.objects.filter(
        made_by(case),
        Q(in_force_until__isnull=True) | Q(in_force_until__gt=now),
        kind__in=kinds,
        superseded_by__isnull=True,
    ).order_by("id")
    ended = 0
    for row in rows:
        decisions.end(
            row,
            source=DESK,
            source_key=f"{key}:{row.pk}",
            presentation={"explanation": explanation},
            caller=caller,
            now=now,
            urgent=True,
        )
        ended += 1
    return ended


def _once(case: Escalation) -> str:
    """Names what one key may do only once: this post version on this ground."""
    return f"{case.post_version_id}:{case.ground}"


def _case(ref: CaseRef) -> Escalation:
    case = locks.escalation(ref.id)
    if case.version != ref.version:
        raise StaleItem(
            _("The case changed since you read it."),
            current={"version": case.version, "status": case.status},
        )
    _require_shown(case, ref.shown)
    return case


def _require_shown(case: Escalation, shown: uuid.UUID | None) -> None:
    if shown is not None and shown != case.post.current_version_id:
        raise StaleItem(
            _("The author edited the post since you read it."),
            current={"version": case.version, "shown": str(case.post.current_version_id)},
        )


def _judged(proposal_id: uuid.UUID, *, caller: Caller) -> tuple[Escalation, Proposal]:
    """The proposal and its case, locked case first, after asking whether this caller may judge it."""
    case_id = Proposal.objects.filter(pk=proposal_id).values_list("escalation_id", flat=True).first()
    if case_id is None:
        raise NotFound("There is no such proposal.")
    case = locks.escalation(case_id)
    proposal = locks.proposal(proposal_id)
    may_judge_proposal(caller, proposal).require()
    return case, proposal


def _step(case: Escalation, verb: str, *, now: datetime) -> None:
    case.status = workflow.ESCALATION.step(case.status, verb)
    case.version += 1
    case.decided_at = None if case.status in OPEN else now
    case.save(update_fields=["status", "version", "decided_at"])
