"""State machines as tables: from -> to, and who owns each state. docs/workflow.md is printed from here.

A status changes only through `step`, which refuses what the table does not hold.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from moderation.enums import (
    EscalationStatus,
    FlagOutcome,
    ItemStatus,
    PolicyStatus,
    ProposalStatus,
    Role,
    SwitchStatus,
)
from moderation.errors import Conflict


@dataclass(frozen=True)
class Machine:
    """One noun's states. `owner` names who acts next in each state; final states have no way out."""

    noun: str
    moves: Mapping[str, Mapping[str, str]]  # from -> verb -> to
    owner: Mapping[str, str]
    initial: str

    def step(self, current: str, verb: str) -> str:
        """The state after `verb`. Raises Conflict (`wrong_state`) if the table does not hold the move."""
        try:
            return self.moves[current][verb]
        except KeyError:
            raise Conflict(
                f"This {self.noun} is {current}; “{verb}” is not possible now.",
                code="wrong_state",
                current=current,
                possible=sorted(self.moves.get(current, {})),
            ) from None

    def may(self, current: str, verb: str) -> bool:
        return verb in self.moves.get(current, {})


def _values(table: Mapping[Enum, Mapping[str, Enum]]) -> dict[str, dict[str, str]]:
    return {str(a): {verb: str(b) for verb, b in moves.items()} for a, moves in table.items()}


ITEM = Machine(
    noun="item",
    initial=ItemStatus.OPEN,
    moves=_values(
        {
            ItemStatus.OPEN: {
                "take": ItemStatus.OPEN,
                "renew": ItemStatus.OPEN,
                "put back": ItemStatus.OPEN,
                "merge": ItemStatus.OPEN,
                "close": ItemStatus.CLOSED,
            },
            ItemStatus.CLOSED: {},
        }
    ),
    owner={ItemStatus.OPEN: Role.REVIEWER, ItemStatus.CLOSED: "nobody"},
)

ESCALATION = Machine(
    noun="escalation",
    initial=EscalationStatus.OPEN,
    moves=_values(
        {
            EscalationStatus.OPEN: {
                "hide": EscalationStatus.OPEN,
                "propose": EscalationStatus.PROPOSED,
                "restrict": EscalationStatus.RESTRICTED,
                "keep": EscalationStatus.KEPT,
            },
            EscalationStatus.PROPOSED: {
                "hide": EscalationStatus.PROPOSED,
                "confirm removal": EscalationStatus.REMOVED,
                "confirm restriction": EscalationStatus.RESTRICTED,
                "refuse": EscalationStatus.OPEN,
            },
            EscalationStatus.REMOVED: {"restore": EscalationStatus.KEPT},
            EscalationStatus.RESTRICTED: {
                "propose": EscalationStatus.PROPOSED,
                "restore": EscalationStatus.KEPT,
            },
            EscalationStatus.KEPT: {},
        }
    ),
    owner={
        EscalationStatus.OPEN: Role.POLICY_SPECIALIST,
        EscalationStatus.PROPOSED: "another policy specialist",
        EscalationStatus.REMOVED: "nobody, until an appeal",
        EscalationStatus.RESTRICTED: "nobody, until it ends",
        EscalationStatus.KEPT: "nobody",
    },
)

PROPOSAL = Machine(
    noun="proposal",
    initial=ProposalStatus.WAITING,
    moves=_values(
        {
            ProposalStatus.WAITING: {
                "confirm": ProposalStatus.CONFIRMED,
                "refuse": ProposalStatus.REFUSED,
            },
            ProposalStatus.CONFIRMED: {},
            ProposalStatus.REFUSED: {},
        }
    ),
    owner={
        ProposalStatus.WAITING: "another policy specialist",
        ProposalStatus.CONFIRMED: "nobody",
        ProposalStatus.REFUSED: "nobody",
    },
)

_JUDGED = {
    "agree": FlagOutcome.AGREED,
    "disagree": FlagOutcome.DISAGREED,
    "pass over": FlagOutcome.NEUTRAL,
    "wait": FlagOutcome.PENDING,
}
# A revised or withdrawn rating judges the flags again, so every outcome may move to every other.
FLAG = Machine(
    noun="flag",
    initial=FlagOutcome.PENDING,
    moves=_values(dict.fromkeys(FlagOutcome, _JUDGED)),
    owner={outcome: Role.REVIEWER if outcome is FlagOutcome.PENDING else "nobody" for outcome in FlagOutcome},
)

POLICY = Machine(
    noun="policy draft",
    initial=PolicyStatus.DRAFT,
    moves=_values(
        {
            PolicyStatus.DRAFT: {
                "change": PolicyStatus.DRAFT,
                "dry run": PolicyStatus.DRAFT,
                "propose": PolicyStatus.PROPOSED,
                "withdraw": PolicyStatus.WITHDRAWN,
            },
            PolicyStatus.PROPOSED: {
                "approve": PolicyStatus.APPROVED,
                "refuse": PolicyStatus.REFUSED,
                "withdraw": PolicyStatus.WITHDRAWN,
            },
            PolicyStatus.APPROVED: {},
            PolicyStatus.REFUSED: {},
            PolicyStatus.WITHDRAWN: {},
        }
    ),
    owner={
        PolicyStatus.DRAFT: Role.ADMINISTRATOR,
        PolicyStatus.PROPOSED: "another administrator",
        PolicyStatus.APPROVED: "nobody",
        PolicyStatus.REFUSED: "nobody",
        PolicyStatus.WITHDRAWN: "nobody",
    },
)

SWITCH = Machine(
    noun="programme switch",
    initial=SwitchStatus.PROPOSED,
    moves=_values(
        {
            SwitchStatus.PROPOSED: {
                "dry run": SwitchStatus.PROPOSED,
                "confirm": SwitchStatus.ON,
                "refuse": SwitchStatus.REFUSED,
                "withdraw": SwitchStatus.WITHDRAWN,
            },
            SwitchStatus.ON: {"return": SwitchStatus.OFF},
            SwitchStatus.OFF: {},
            SwitchStatus.REFUSED: {},
            SwitchStatus.WITHDRAWN: {},
        }
    ),
    owner={
        SwitchStatus.PROPOSED: "another administrator",
        SwitchStatus.ON: Role.ADMINISTRATOR,
        SwitchStatus.OFF: "nobody",
        SwitchStatus.REFUSED: "nobody",
        SwitchStatus.WITHDRAWN: "nobody",
    },
)

MACHINES = (ITEM, ESCALATION, PROPOSAL, FLAG, POLICY, SWITCH)
