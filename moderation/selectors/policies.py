"""Which policy holds at a time. Versions never change, so their data are kept per process."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.db import connection

from moderation.caller import Caller
from moderation.enums import PolicyStatus
from moderation.models import PolicyDraft, PolicyVersion

if TYPE_CHECKING:
    from django.db.models import QuerySet


@dataclass(frozen=True)
class Policy:
    number: int
    data: Mapping[str, Any]


@dataclass(frozen=True)
class Held:
    """A version and its place in time: it holds from `begins` until `ends`; `begins` None: it never does."""

    version: PolicyVersion
    begins: datetime | None
    ends: datetime | None

    def state(self, now: datetime) -> str:
        if self.begins is None:
            return "never"
        if now < self.begins:
            return "scheduled"
        return "in_force" if self.ends is None or now < self.ends else "over"


# The number of the version that holds at %(now)s: the highest of those that have begun.
HOLDING = (
    "SELECT number FROM moderation_policyversion WHERE valid_from <= %(now)s ORDER BY number DESC LIMIT 1"
)


def at(now: datetime) -> Policy:
    """The highest number among the versions that have begun at `now`. One small query."""
    with connection.cursor() as cursor:
        cursor.execute(HOLDING, {"now": now})
        found = cursor.fetchone()
    if found is None:
        raise LookupError("No policy version is loaded; run migrate.")
    return Policy(found[0], numbered(found[0]))


def latest() -> PolicyVersion:
    """The version with the highest number, begun or not: what the next one follows."""
    return PolicyVersion.objects.order_by("-number")[:1].get()


def history() -> list[Held]:
    """All versions, newest first, each with the time in which it holds."""
    found: list[Held] = []
    ends: datetime | None = None
    for version in PolicyVersion.objects.select_related("author", "approver").order_by("-number"):
        begins = version.valid_from if ends is None or version.valid_from < ends else None
        found.append(Held(version, begins, ends if begins else None))
        ends = begins or ends
    return found


def drafts() -> "QuerySet[PolicyDraft]":
    """All drafts, newest first."""
    return PolicyDraft.objects.select_related("base", "author", "judged_by", "became").order_by("-id")


def waiting_for(caller: Caller) -> "QuerySet[PolicyDraft]":
    """Proposed drafts that somebody else wrote."""
    return PolicyDraft.objects.filter(status=PolicyStatus.PROPOSED).exclude(author_id=caller.person_id)


@lru_cache(maxsize=32)
def numbered(number: int) -> Mapping[str, Any]:
    """What the version with this number says."""
    data: Mapping[str, Any] = PolicyVersion.objects.values_list("data", flat=True).get(pk=number)
    return data
