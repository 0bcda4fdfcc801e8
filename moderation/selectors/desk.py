"""The policy desk's lists as specialists and auditors read them; one case in full is in `casefile`."""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, Count, F, IntegerField, Q, QuerySet, Value, When

from moderation.caller import Caller
from moderation.enums import DecisionKind, EscalationStatus, ProposalStatus
from moderation.models import Decision, Escalation, Proposal
from moderation.permissions import may_see_desk
from moderation.selectors import organisations

OPEN = (EscalationStatus.OPEN, EscalationStatus.PROPOSED)
DECIDED = (EscalationStatus.REMOVED, EscalationStatus.RESTRICTED, EscalationStatus.KEPT)


def cases(*, caller: Caller, status: str = "", ground: str = "", region: str = "") -> QuerySet[Escalation]:
    """Open cases, soonest due first; with `status` the cases in it. Empty for who may not see the desk.

    `region` finds the cases that name it, or name none.
    """
    if not may_see_desk(caller):
        return Escalation.objects.none()
    wanted = Escalation.objects.filter(status=status) if status else _open()
    return _narrowed(wanted, ground, region).annotate(
        decided_last=Case(
            When(decided_at__isnull=True, then=Value(0)), default=Value(1), output_field=IntegerField()
        )
    ).order_by("decided_last", "due_at", "id")  # fmt: skip


def decided(*, caller: Caller, ground: str = "", region: str = "") -> QuerySet[Escalation]:
    """Decided cases, the newest decision first."""
    if not may_see_desk(caller):
        return Escalation.objects.none()
    wanted = _narrowed(Escalation.objects.filter(status__in=DECIDED), ground, region)
    return wanted.order_by(F("decided_at").desc(), "-id")


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


def wait_for_key(*, caller: Caller, ground: str = "", region: str = "") -> QuerySet[Escalation]:
    """The cases of the second-key inbox, the longest waiting first."""
    if not may_see_desk(caller):
        return Escalation.objects.none()
    waiting = Q(proposals__status=ProposalStatus.WAITING) & ~Q(proposals__proposed_by_id=caller.person_id)
    return _narrowed(_open().filter(waiting), ground, region).order_by("proposals__proposed_at", "id")


@dataclass(frozen=True)
class Counts:
    """How many cases each list holds, and how many open ones are late."""

    open: int
    late: int
    keys: int
    decided: int


def counts(caller: Caller, *, now: datetime) -> Counts:
    if not may_see_desk(caller):
        return Counts(0, 0, 0, 0)
    found = Escalation.objects.aggregate(
        open=Count("id", filter=Q(status__in=OPEN)),
        late=Count("id", filter=Q(status__in=OPEN, due_at__lte=now)),
        decided=Count("id", filter=Q(status__in=DECIDED)),
    )
    return Counts(found["open"], found["late"], waiting_for(caller).count(), found["decided"])


def hidden_now(*, now: datetime) -> list[datetime]:
    """When the emergency hides that run now end, the soonest first."""
    ends = _running(now).order_by("in_force_until", "id").values_list("in_force_until", flat=True)
    return [end for end in ends if end is not None]


def regions_named() -> list[str]:
    """The regions that cases name, for the filter."""
    lists = Escalation.objects.exclude(regions=[]).order_by("regions").values_list("regions", flat=True)
    return sorted({code for codes in lists.distinct() for code in codes})


@dataclass(frozen=True)
class Row:
    """A case with what a list says about it. `hide` is the emergency hide that runs now."""

    case: Escalation
    hide: Decision | None
    proposal: Proposal | None
    organisation: str


def dress(found: Collection[Escalation], *, now: datetime) -> list[Row]:
    """The rows of these cases, in three queries."""
    hides = running_hides([case.post_version_id for case in found], now=now)
    waiting = Proposal.objects.filter(escalation__in=found, status=ProposalStatus.WAITING)
    proposals = {p.escalation_id: p for p in waiting.select_related("proposed_by").order_by("id")}
    named = organisations.names({case.opened_for for case in found if case.opened_for})
    return [
        Row(
            case,
            hides.get((case.post_version_id, case.ground)),
            proposals.get(case.pk),
            named.get(case.opened_for, "") if case.opened_for else "",
        )
        for case in found
    ]


def running_hides(
    version_ids: Sequence[uuid.UUID], *, now: datetime
) -> dict[tuple[uuid.UUID | None, str], Decision]:
    """The emergency hides in force now, by post version and ground."""
    rows = _running(now).filter(post_version_id__in=version_ids)
    return {
        (row.post_version_id, row.ground): row for row in rows.select_related("decided_by").order_by("id")
    }


def _running(now: datetime) -> QuerySet[Decision]:
    return Decision.objects.filter(
        kind=DecisionKind.HIDE,
        ends=False,
        superseded_by__isnull=True,
        in_force_from__lte=now,
        in_force_until__gt=now,
    )


def _open() -> QuerySet[Escalation]:
    return Escalation.objects.filter(status__in=OPEN)


def _narrowed(found: QuerySet[Escalation], ground: str, region: str) -> QuerySet[Escalation]:
    if ground:
        found = found.filter(ground=ground)
    if region:
        found = found.filter(Q(regions=[]) | Q(regions__overlap=[region, region.split("-")[0]]))
    return found.select_related("post__actor", "post__reach", "post_version__content", "opened_by")
