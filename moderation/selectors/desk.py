"""The policy desk as specialists and auditors read it."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Count, IntegerField, QuerySet, Value, When

from moderation.caller import Caller
from moderation.enums import EscalationStatus, ProposalStatus
from moderation.models import Decision, EffectiveState, Escalation, Flag, PostVersion, Proposal, Strike
from moderation.permissions import may_see_desk
from moderation.selectors import standing

OPEN = (EscalationStatus.OPEN, EscalationStatus.PROPOSED)


def cases(*, caller: Caller, status: str = "") -> QuerySet[Escalation]:
    """Open cases, soonest due first; with `status` the cases in it. Empty for who may not see the desk."""
    if not may_see_desk(caller):
        return Escalation.objects.none()
    wanted = (
        Escalation.objects.filter(status=status) if status else Escalation.objects.filter(status__in=OPEN)
    )
    return (
        wanted.select_related("post__actor", "post__reach", "post_version__content", "opened_by")
        .annotate(
            decided_last=Case(
                When(decided_at__isnull=True, then=Value(0)), default=Value(1), output_field=IntegerField()
            )
        )
        .order_by("decided_last", "due_at", "id")
    )


def waiting_for(caller: Caller) -> QuerySet[Proposal]:
    """The second-key inbox: proposals that another specialist made."""
    if not may_see_desk(caller):
        return Proposal.objects.none()
    return (
        Proposal.objects.filter(status=ProposalStatus.WAITING)
        .exclude(proposed_by_id=caller.person_id)
        .select_related("escalation__post__actor", "escalation__post_version__content", "proposed_by")
        .order_by("proposed_at", "id")
    )


@dataclass(frozen=True)
class CaseFile:
    """Everything the desk sees about a case."""

    case: Escalation
    versions: Sequence[PostVersion]
    flags: Sequence[dict[str, Any]]
    decisions: Sequence[Decision]
    proposals: Sequence[Proposal]
    effect: dict[str, Any] | None
    counting_strikes: Sequence[Strike]
    other_cases: Sequence[Escalation]
    similar_removals: Sequence[Escalation]


def case_file(case_id: uuid.UUID, *, caller: Caller, now: datetime) -> CaseFile | None:
    """None if there is no such case or the caller may not see the desk."""
    case = (
        Escalation.objects.filter(pk=case_id)
        .select_related("post__actor", "post__reach", "post_version__content", "opened_by")
        .first()
    )
    if case is None or not may_see_desk(caller):
        return None
    state = EffectiveState.objects.filter(post=case.post).first()
    of_author = Escalation.objects.filter(post__actor_id=case.post.actor_id).exclude(pk=case.pk)
    return CaseFile(
        case=case,
        versions=list(case.post.versions.select_related("content").order_by("number")),
        flags=list(
            Flag.objects.filter(post=case.post, withdrawn_at__isnull=True)
            .values("reason")
            .annotate(count=Count("reporter", distinct=True))
            .order_by("-count", "reason")
        ),
        decisions=list(
            Decision.objects.filter(post=case.post)
            .select_related("decided_by", "confirmed_by")
            .order_by("-id")
        ),
        proposals=list(case.proposals.select_related("proposed_by", "judged_by").order_by("-id")),
        effect=state.document if state else None,
        counting_strikes=standing.counting([case.post.actor_id], now=now).get(case.post.actor_id, []),
        other_cases=list(of_author.order_by("-id")[:20]),
        similar_removals=list(
            Escalation.objects.filter(ground=case.ground, status=EscalationStatus.REMOVED)
            .exclude(pk=case.pk)
            .select_related("post__actor", "post_version__content")
            .order_by("-decided_at")[:5]
        ),
    )
