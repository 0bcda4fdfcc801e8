"""Which policy holds at a time. Versions never change, so their data are kept per process."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from moderation.models import PolicyVersion


@dataclass(frozen=True)
class Policy:
    number: int
    data: Mapping[str, Any]


def at(now: datetime) -> Policy:
    """The version with the latest `valid_from` not after `now`. One small query."""
    number = (
        PolicyVersion.objects.filter(valid_from__lte=now)
        .order_by("-valid_from", "-number")
        .values_list("number", flat=True)
        .first()
    )
    if number is None:
        raise LookupError("No policy version is loaded; run migrate.")
    return Policy(number, numbered(number))


@lru_cache(maxsize=32)
def numbered(number: int) -> Mapping[str, Any]:
    """What the version with this number says."""
    data: Mapping[str, Any] = PolicyVersion.objects.values_list("data", flat=True).get(pk=number)
    return data
