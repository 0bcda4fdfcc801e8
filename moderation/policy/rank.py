"""Which item comes first, explained factor by factor, and when it is due (domain 6)."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any


@dataclass(frozen=True)
class PriorityInputs:
    views_per_hour: float
    reasons: Mapping[str, int]  # reason -> distinct reporters who wait for an answer
    flaggers: Mapping[
        tuple[int, int], int
    ]  # (judged, agreed) -> how many of these reporters have that record
    strongest_signal: float  # 0..1
    opened_at: datetime


def priority(inputs: PriorityInputs, policy: Mapping[str, Any]) -> tuple[float, list[dict[str, Any]]]:
    """Rank and its explanation, factor by factor (domain 6).

    rank = Σ ln(factor) − opened_at/τ: an item τ hours older beats one e times as urgent, so nothing starves
    and no row needs rewriting as it ages. Every factor is at least 0.1.
    """
    rules = policy["priority"]
    flaggers = sum(inputs.flaggers.values())
    harm_reason = max(inputs.reasons, key=lambda r: rules["harm"].get(r, 1.0), default="")
    velocity = 1 + inputs.views_per_hour / rules["velocity_views_per_hour"]
    factors = [
        _factor("reach_velocity", velocity, f"{inputs.views_per_hour:,.0f} views an hour"),
        _factor(
            "harm",
            rules["harm"].get(harm_reason, 1.0),
            f"most harmful reason given: {harm_reason.replace('_', ' ')}"
            if harm_reason
            else "no reason given",
        ),
        _factor(
            "flaggers",
            1 + math.log1p(flaggers),
            "flagged by nobody"
            if not flaggers
            else f"flagged by {flaggers} " + ("person" if flaggers == 1 else "people"),
        ),
        _factor(
            "flagger_reliability",
            _reliability_of(inputs.flaggers, policy),
            "how often reviewers agreed with these flaggers",
        ),
        _factor(
            "signals",
            1 + rules["signal_weight"] * inputs.strongest_signal,
            f"strongest machine signal {inputs.strongest_signal:.2f}"
            if inputs.strongest_signal
            else "no machine signal",
        ),
    ]
    age_term = inputs.opened_at.timestamp() / (rules["tau_hours"] * 3600)
    rank = sum(math.log(f["value"]) for f in factors) - age_term
    return rank, factors


def reliability(judged: int, agreed: int, policy: Mapping[str, Any]) -> float:
    """A flagger's weight: 1 until more than 5 flags were judged, 1 again at 70 % agreed, logarithmic (domain 6)."""
    rules = policy["priority"]["reliability"]
    if judged <= rules["judged_more_than"]:
        return 1.0
    share: float = agreed / judged
    weight = 1 + math.log2((share + 0.01) / (rules["pivot"] + 0.01))
    return min(max(weight, float(rules["least"])), float(rules["most"]))


def due_at(reasons: Iterable[str], opened_at: datetime, policy: Mapping[str, Any]) -> datetime:
    """When the item should be decided: the shortest time among its reasons."""
    hours = policy["priority"]["due_hours"]
    return opened_at + timedelta(
        hours=min((hours[r] for r in reasons if r in hours), default=max(hours.values()))
    )


def _factor(name: str, value: float, words: str) -> dict[str, Any]:
    return {"factor": name, "value": round(max(value, 0.1), 4), "words": words}


def _reliability_of(flaggers: Mapping[tuple[int, int], int], policy: Mapping[str, Any]) -> float:
    """The mean weight of these flaggers; 1 for nobody."""
    total = sum(n * reliability(judged, agreed, policy) for (judged, agreed), n in flaggers.items())
    return total / sum(flaggers.values()) if flaggers else 1.0
