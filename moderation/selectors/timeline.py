"""What time alone will make of posts: for copies that must be right on the second without asking."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from moderation import policy
from moderation.selectors import inputs


@dataclass(frozen=True)
class Stretch:
    """What holds from `begins` until the next stretch, if no decision comes in between."""

    begins: datetime
    document: dict[str, Any] | None


def ahead(post_ids: Collection[uuid.UUID], *, now: datetime) -> dict[uuid.UUID, list[Stretch]]:
    """For each post what holds at `now`, and every stretch that follows by itself, soonest first."""
    return {i: stretches(known, now) for i, known in inputs.load_inputs(post_ids, now=now).items()}


def stretches(known: policy.Inputs, now: datetime) -> list[Stretch]:
    """The course of one post. The last stretch has no end: what begins and ends by time is known now."""
    state = policy.effective_state(known, now)
    found = [Stretch(now, state.document)]
    while state.valid_until is not None:
        begins = state.valid_until
        state = policy.effective_state(known, begins)
        found.append(Stretch(begins, state.document))
    return found
