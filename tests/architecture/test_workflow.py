"""The transition tables are whole: every state is reached and owned, and nothing moves beside them."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import translation

from launcher.places import ROOT
from moderation.enums import EscalationStatus, FlagOutcome, ItemStatus, ProposalStatus
from moderation.errors import Conflict
from moderation.management.commands.print_workflow import machines
from moderation.workflow import ESCALATION, FLAG, ITEM, PROPOSAL, Machine

STATES = {
    ITEM.noun: ItemStatus,
    ESCALATION.noun: EscalationStatus,
    PROPOSAL.noun: ProposalStatus,
    FLAG.noun: FlagOutcome,
}
every_machine = pytest.mark.parametrize("machine", list(machines()), ids=lambda m: m.noun)


def test_the_states_of_each_machine_are_those_of_its_column():
    for machine in (ITEM, ESCALATION, PROPOSAL, FLAG):
        assert set(machine.moves) == set(STATES[machine.noun].values)


@every_machine
def test_every_state_is_owned_and_every_move_leads_to_a_state(machine: Machine):
    assert set(machine.owner) == set(machine.moves)
    assert all(machine.owner.values())
    for moves in machine.moves.values():
        assert set(moves.values()) <= set(machine.moves)


@every_machine
def test_every_state_can_be_reached_from_the_first(machine: Machine):
    reached, ahead = set(), {machine.initial}
    while ahead:
        reached |= ahead
        ahead = {to for state in ahead for to in machine.moves[state].values()} - reached

    assert reached == set(machine.moves)


@every_machine
def test_a_state_without_a_way_out_waits_for_nobody(machine: Machine):
    for state, moves in machine.moves.items():
        if not moves:
            assert machine.owner[state].startswith("nobody")


@every_machine
def test_every_move_that_is_not_in_the_table_is_a_conflict_that_says_what_is_possible(machine: Machine):
    verbs = {verb for moves in machine.moves.values() for verb in moves} | {"sing"}
    for state in machine.moves:
        for verb in verbs:
            if machine.may(state, verb):
                assert machine.step(state, verb) == machine.moves[state][verb]
                continue
            with pytest.raises(Conflict) as refusal:
                machine.step(state, verb)
            assert refusal.value.code == "wrong_state"
            assert refusal.value.data["current"] == state
            assert refusal.value.data["possible"] == sorted(machine.moves[state])


def test_the_printed_diagrams_are_those_of_the_tables():
    printed = StringIO()
    with translation.override("en"):
        call_command("print_workflow", stdout=printed)

    assert (ROOT / "docs" / "workflow.md").read_text() == printed.getvalue(), (
        "run: manage.py print_workflow > docs/workflow.md"
    )
