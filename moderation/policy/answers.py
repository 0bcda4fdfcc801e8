"""What a review says about the flags on a post (domain 6, flagger reliability)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from moderation.enums import DecisionKind
from moderation.policy.effect import Recorded, in_force, unbroken_run


@dataclass(frozen=True)
class FlagAnswer:
    """What the decisions on a post say about one kind of its flags: a verb of workflow.FLAG, "" for nothing.

    It is said of flags raised until `since`, before it was to be seen; without a verb, `since` is when
    the last word about them was taken back.
    """

    verb: str = ""
    since: datetime | None = None

    def verbs(self, *, item_is_open: bool) -> tuple[str, str]:
        """For flags raised until `since`, and for later ones: no flag waits where nobody will look."""
        early = self.verb or ("wait" if item_is_open else "pass over")
        late = "pass over" if self.verb and not item_is_open else "wait"
        return early, late


def flag_answers(
    decisions: Sequence[Recorded], at: datetime, policy: Mapping[str, Any]
) -> tuple[FlagAnswer, FlagAnswer]:
    """The answer to flags of truth and the one to flags of harm (domain 6, flagger reliability).

    Verdicts answer flags of truth: agreement outweighs disagreement where claims of one post differ; a
    disputed verdict, "not eligible" and a removal everywhere pass them over. Flags of harm are agreed with
    by a removal anywhere and passed over by whatever answers those of truth.
    """
    said, removals = [], []
    for d in in_force(decisions, at):
        since = unbroken_run(d, decisions)[-1].in_force_from
        if d.kind == DecisionKind.STANDING_VERDICT:
            said.append(("pass over" if d.contested else policy["verdicts"][d.outcome]["flag"], since))
        elif d.kind == DecisionKind.NOT_ELIGIBLE or (d.kind == DecisionKind.REMOVAL and not d.regions):
            said.append(("pass over", since))
        if d.kind == DecisionKind.REMOVAL:
            removals.append(since)
    answering = (DecisionKind.STANDING_VERDICT, DecisionKind.REMOVAL)
    ends = [d.in_force_from for d in decisions if d.ends and d.kind in answering and d.in_force_from <= at]
    ended = FlagAnswer("", max(ends, default=None))
    truth = FlagAnswer(*min(said)) if said else ended  # the verbs happen to sort by weight
    if removals:
        return truth, FlagAnswer("agree", min(removals))
    return truth, replace(truth, verb="pass over") if said else ended
