"""Pure rules of the platform: no database, no clock. Section numbers are those of docs/domain.md."""

from moderation.policy.answers import FlagAnswer, flag_answers
from moderation.policy.effect import (
    FULL,
    LABEL_SEVERITY,
    BasisPoints,
    Inputs,
    Recorded,
    State,
    effective_state,
    for_viewer,
    in_force,
    level,
    post_multiplier,
    surface_multipliers,
    unbroken_run,
)
from moderation.policy.measured import Measured, Sample, Seen, measured
from moderation.policy.rank import PriorityInputs, due_at, priority, reliability
from moderation.policy.switches import Switched, covers
from moderation.policy.versions import Changed, Fault, difference, faults, leaves

__all__ = [
    "FULL",
    "LABEL_SEVERITY",
    "BasisPoints",
    "Changed",
    "Fault",
    "FlagAnswer",
    "Inputs",
    "Measured",
    "PriorityInputs",
    "Recorded",
    "Sample",
    "Seen",
    "State",
    "Switched",
    "covers",
    "difference",
    "due_at",
    "effective_state",
    "faults",
    "flag_answers",
    "for_viewer",
    "in_force",
    "leaves",
    "level",
    "measured",
    "post_multiplier",
    "priority",
    "reliability",
    "surface_multipliers",
    "unbroken_run",
]
