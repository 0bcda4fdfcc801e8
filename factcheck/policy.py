"""Pure rules of the programme: which verdict stands when several partners rated one claim."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from factcheck.enums import Verdict

# Severity (domain 4): equal severity never conflicts.
SEVERITY = {
    Verdict.FALSE: 5,
    Verdict.ALTERED: 5,
    Verdict.PARTLY_FALSE: 4,
    Verdict.MISSING_CONTEXT: 3,
    Verdict.SATIRE: 2,
    Verdict.TRUE: 1,
}


@dataclass(frozen=True)
class Given:
    """A rating in force, as the rule sees it."""

    rating_id: str
    partner_id: str
    verdict: Verdict
    at: datetime


@dataclass(frozen=True)
class Standing:
    """The one verdict recorded as a decision, the ratings it rests on, and whether partners disagree."""

    verdict: Verdict
    rests_on: tuple[str, ...]  # rating ids, earliest first: their articles are shown
    contested: bool


def standing(given: Sequence[Given]) -> Standing | None:
    """Resolve the ratings in force on one claim; None when there is none (domain 4, conflict).

    Partners of equal severity agree: the earliest one's word stands. If they differ, a severity that more
    partners share than any other is settled. Until then the softer effect holds, contested.
    """
    if not given:
        return None
    ordered = sorted(given, key=lambda g: (g.at, g.rating_id))
    votes = Counter(SEVERITY[g.verdict] for g in ordered)
    ranked = votes.most_common()
    settled = len(ranked) == 1 or ranked[0][1] > ranked[1][1]
    severity = ranked[0][0] if settled else min(votes)
    agreeing = [g for g in ordered if SEVERITY[g.verdict] == severity]
    shown = agreeing if settled else ordered
    return Standing(agreeing[0].verdict, tuple(g.rating_id for g in shown), contested=not settled)
