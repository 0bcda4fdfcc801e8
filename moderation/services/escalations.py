"""The policy desk: a case of its own beside the queue. Removal takes two people."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from moderation import locks, workflow
from moderation.caller import Caller
from moderation.enums import AuditEvent, DecisionKind, DeskAction, EscalationStatus, Ground, ItemOutcome
from moderation.errors import Conflict, Invalid, NotFound, StaleItem
from moderation.models import Decision, Escalation, PostVersion, Proposal
from moderation.permissions import may_escalate, may_judge_proposal, may_work_desk
from moderation.selectors import policies
from moderation.services import audit, decisions, queue

OPEN = (EscalationStatus.OPEN, EscalationStatus.PROPOSED)


@dataclass(frozen=True)
class CaseRef:
    """A case as the caller saw it."""

    id: uuid.UUID
    version: int


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

    Raises Refused; NotFound.
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
        regions=list(regions),
        note=note,
        opened_by_id=caller.person_id,
        opened_for=caller.organisation_id,
        opened_at=now,
        due_at=now + timedelta(hours=hours),
    )
    Escalation.objects.bulk_create([case], ignore_conflicts=True)
    stored = Escalation.objects.get(post=version.post, ground=ground, status__in=OPEN)
    added = stored.pk == case.pk
    if added:
        audit.record(AuditEvent.ESCALATION_OPENED, stored, caller=caller, now=now, ground=ground)
    return stored, added


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

    Raises Refused; NotFound; Conflict (`wrong_state`); StaleItem; Invalid naming the empty field.
    """
    may_work_desk(caller).require()
    if action not in (DeskAction.REMOVE, DeskAction.RESTRICT):
        raise Invalid("Only a removal or a restriction is proposed.", field="action")
    _require_words(explanation=explanation, policy_section=policy_section)
    case = _case(ref)
    _step(case, "propose", now=now)
    proposal = Proposal.objects.create(
        escalation=case,
        action=action,
        ground=ground,
        regions=list(regions),
        explanation=explanation,
        policy_section=policy_section,
        proposed_by_id=caller.person_id,
        proposed_at=now,
    )
    audit.record(
        AuditEvent.REMOVAL_PROPOSED, proposal, caller=caller, now=now, case=str(case.pk), action=action
    )
    return proposal


@transaction.atomic
def confirm(proposal_id: uuid.UUID, *, caller: Caller, now: datetime) -> Decision:
    """The second key: the proposal takes effect. Raises Refused (the proposer, or no specialist); Conflict."""
    case, proposal = _judged(proposal_id, caller=caller)
    proposal.status = workflow.PROPOSAL.step(proposal.status, "confirm")
    proposal.judged_by_id, proposal.judged_at = caller.person_id, now
    proposal.save()
    removal = proposal.action == DeskAction.REMOVE
    _step(case, "confirm removal" if removal else "confirm restriction", now=now)
    # Items come before posts and cases in the lock order, but nobody locks an item while holding a case.
    if removal and not proposal.regions:
        queue.close_removed(case.post, outcome=ItemOutcome.REMOVED, caller=caller, now=now)
    decision = decisions.on_post(
        case.post,
        kind=DecisionKind.REMOVAL if removal else DecisionKind.RESTRICTION,
        source="desk",
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
    _require_words(reason=reason)
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
    _require_words(explanation=explanation)
    case = _case(ref)
    key = f"{case.post_version_id}:{case.ground}"
    if Decision.objects.filter(source="desk_hide", source_key=key).exists():
        raise Conflict(
            "This version was hidden on this ground before; a hide cannot be repeated.", code="hidden_before"
        )
    _step(case, "hide", now=now)
    hours = policies.at(now).data["desk"]["hide_hours"]
    decision = decisions.on_post(
        case.post,
        kind=DecisionKind.HIDE,
        source="desk_hide",
        source_key=key,
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
    """The desk lets the post stand: ends a hide of this case and a demotion before review.

    Raises Refused; Conflict (`wrong_state`); StaleItem; Invalid (`explanation`).
    """
    may_work_desk(caller).require()
    _require_words(explanation=explanation)
    case = _case(ref)
    _step(case, "keep", now=now)
    _end_in_force(case, (DecisionKind.HIDE,), key=f"keep:{case.pk}", caller=caller, now=now)
    decision = decisions.on_post(
        case.post,
        kind=DecisionKind.KEPT,
        source="desk",
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
    """One key restricts for 7 days; a longer restriction is proposed. Raises as `keep`."""
    may_work_desk(caller).require()
    _require_words(explanation=explanation, policy_section=policy_section)
    case = _case(ref)
    _step(case, "restrict", now=now)
    days = policies.at(now).data["desk"]["restrict_days"]
    decision = decisions.on_post(
        case.post,
        kind=DecisionKind.RESTRICTION,
        source="desk",
        source_key=f"restrict:{case.pk}",
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
    """Take a removal or restriction of this case back; ratings it masked show again. Returns how many ended.

    Raises as `keep`.
    """
    may_work_desk(caller).require()
    _require_words(explanation=explanation)
    case = _case(ref)
    _step(case, "restore", now=now)
    kinds = (DecisionKind.REMOVAL, DecisionKind.RESTRICTION, DecisionKind.HIDE)
    ended = _end_in_force(case, kinds, key=f"restore:{case.pk}", caller=caller, now=now)
    audit.record(AuditEvent.POST_RESTORED, case, caller=caller, now=now, ended=ended)
    return ended


def _end_in_force(
    case: Escalation, kinds: Sequence[DecisionKind], *, key: str, caller: Caller, now: datetime
) -> int:
    rows = Decision.objects.filter(
        post=case.post, ground=case.ground, kind__in=kinds, ends=False, superseded_by__isnull=True
    ).order_by("id")
    ended = 0
    for row in rows:
        decisions.end(row, source="desk", source_key=f"{key}:{row.pk}", caller=caller, now=now, urgent=True)
        ended += 1
    return ended


def _case(ref: CaseRef) -> Escalation:
    case = locks.escalation(ref.id)
    if case.version != ref.version:
        raise StaleItem(
            "The case changed since you read it.",
            current={"version": case.version, "status": case.status},
        )
    return case


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


def _require_words(**fields: str) -> None:
    for name, text in fields.items():
        if not text.strip():
            raise Invalid("This must be filled in.", field=name, code="required")
