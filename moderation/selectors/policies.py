"""Which policy holds at a time. Versions never change, so their data are kept per process."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.db import connection

from moderation.models import PolicyVersion


@dataclass(frozen=True)
class Policy:
    number: int
    data: Mapping[str, Any]


_HOLDING = """
SELECT number FROM moderation_policyversion WHERE valid_from <= %s ORDER BY valid_from DESC, number DESC LIMIT 1
"""


def at(now: datetime) -> Policy:
    """The version with the latest `valid_from` not after `now`. One small query."""
    with connection.cursor() as cursor:
        cursor.execute(_HOLDING, [now])
        found = cursor.fetchone()
    if found is None:
        raise LookupError("No policy version is loaded; run migrate.")
    return Policy(found[0], numbered(found[0]))


@lru_cache(maxsize=32)
def numbered(number: int) -> Mapping[str, Any]:
    """What the version with this number says."""
    data: Mapping[str, Any] = PolicyVersion.objects.values_list("data", flat=True).get(pk=number)
    return data
