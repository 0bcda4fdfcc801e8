"""Specialists at the same case at the same moment: one act happens, the other is told what happened."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from moderation.enums import DecisionKind, DeskAction, Ground
from moderation.errors import Conflict
from moderation.models import Decision, Escalation, Proposal
from moderation.services import escalations
from moderation.services.escalations import CaseRef
from tests.factories import platform as p

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = {"explanation": "Calls for an attack.", "policy_section": "Violence 1"}


def together(*acts: Callable[[], object]) -> list[object]:
    """Start all at once, each in a thread with a connection of its own; results or Conflicts, in order."""
    start = Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        try:
            start.wait(timeout=10)
            return act()
        except Conflict as refusal:
            return refusal
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return [future.result(timeout=30) for future in [pool.submit(run, act) for act in acts]]


def refused(results: list[object]) -> int:
    return sum(isinstance(result, Conflict) for result in results)


@pytest.fixture
def case(clock):
    case, _ = escalations.open_case(
        version_id=p.post(clock=clock).current_version_id,
        ground=Ground.INCITES_VIOLENCE,
        note="",
        caller=p.specialist(clock=clock),
        now=clock(),
    )
    return case


def propose(ref, *, by, clock):
    return escalations.propose(
        ref, action=DeskAction.REMOVE, ground=Ground.INCITES_VIOLENCE, caller=by, now=clock(), **WORDS
    )


def test_two_second_keys_at_once_confirm_once(case, clock):
    proposal = propose(CaseRef(case.pk, case.version), by=p.specialist(clock=clock), clock=clock)
    others = [p.specialist(clock=clock) for _ in range(4)]

    results = together(
        *[lambda by=by: escalations.confirm(proposal.pk, caller=by, now=clock()) for by in others]
    )

    assert refused(results) == 3
    assert Decision.objects.filter(kind=DecisionKind.REMOVAL).count() == 1


def test_confirming_and_refusing_at_once_does_one_of_them(case, clock):
    proposal = propose(CaseRef(case.pk, case.version), by=p.specialist(clock=clock), clock=clock)
    one, two = p.specialist(clock=clock), p.specialist(clock=clock)

    results = together(
        lambda: escalations.confirm(proposal.pk, caller=one, now=clock()),
        lambda: escalations.refuse(proposal.pk, reason="A report.", caller=two, now=clock()),
    )

    assert refused(results) == 1
    assert Decision.objects.count() == (Proposal.objects.get().status == "confirmed")


def test_two_proposals_at_once_make_one(case, clock):
    ref = CaseRef(case.pk, case.version)
    three = [p.specialist(clock=clock) for _ in range(3)]

    results = together(*[lambda by=by: propose(ref, by=by, clock=clock) for by in three])

    assert refused(results) == 2
    assert Proposal.objects.count() == 1


def test_hiding_keeping_and_proposing_at_once_does_one_of_them(case, clock):
    ref = CaseRef(case.pk, case.version)
    one, two, three = (p.specialist(clock=clock) for _ in range(3))

    results = together(
        lambda: escalations.hide(ref, explanation="Now.", caller=one, now=clock()),
        lambda: escalations.keep(ref, explanation="A report.", caller=two, now=clock()),
        lambda: propose(ref, by=three, clock=clock),
    )

    assert refused(results) == 2


def test_a_case_reopening_while_a_new_one_is_opened_leaves_one_open_case(case, clock):
    one, two = p.specialist(clock=clock), p.specialist(clock=clock)
    escalations.restrict(CaseRef(case.pk, case.version), caller=one, now=clock(), **WORDS)
    ref = CaseRef(case.pk, case.version + 1)

    results = together(
        lambda: propose(ref, by=one, clock=clock),
        lambda: escalations.open_case(
            version_id=case.post_version_id,
            ground=Ground.INCITES_VIOLENCE,
            note="",
            caller=two,
            now=clock(),
        ),
    )

    assert refused(results[1:]) == 0
    assert Escalation.objects.filter(status__in=("open", "proposed")).count() == 1
