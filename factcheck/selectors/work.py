"""A reviewer's own work: what they hold, began, put off and rated."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import F, QuerySet

from factcheck.enums import LeaseEnding
from factcheck.models import Draft, Lease, Partner, Rating
from factcheck.selectors import ratings
from moderation.caller import Caller
from moderation.selectors import items

if TYPE_CHECKING:
    from moderation.models import ReviewItem

LATELY = 30


@dataclass(frozen=True)
class Work:
    held: "Sequence[ReviewItem]"
    drafts: Sequence[Draft]  # of open items that they do not hold
    snoozed: Sequence[Lease]  # until later, soonest first
    skipped: Sequence[Lease]  # at the item's present version
    rated: Sequence[Rating]  # newest first


def of_person(caller: Caller, partner: Partner, *, now: datetime) -> Work:
    """Everything the page "My work" lists, in a fixed number of queries."""
    held = list(items.held_by(caller.person_id, organisation=partner.pk, now=now)) if caller.person_id else []
    set_aside = _leases(caller, partner)
    return Work(
        held=held,
        drafts=list(
            Draft.objects.filter(person_id=caller.person_id, item__status="open")
            .exclude(item_id__in=[i.pk for i in held])
            .select_related("item__displayed_version__content", "item__displayed_version__post__actor")
            .order_by("-saved_at")[:LATELY]
        ),
        snoozed=_newest_per_item(
            set_aside.filter(ending=LeaseEnding.SNOOZED, wake_at__gt=now).order_by("wake_at")
        ),
        skipped=_newest_per_item(
            set_aside.filter(ending=LeaseEnding.SKIPPED, item_version=F("item__version")).order_by(
                "-ended_at"
            )
        ),
        rated=list(ratings.made_by(caller.person_id, partner.pk)[:LATELY]),
    )


def _leases(caller: Caller, partner: Partner) -> QuerySet[Lease]:
    return Lease.objects.filter(
        person_id=caller.person_id, partner=partner, item__status="open"
    ).select_related("item__displayed_version__content", "item__displayed_version__post__actor")


def _newest_per_item(leases: QuerySet[Lease]) -> list[Lease]:
    found: dict[object, Lease] = {}
    for lease in leases[: 3 * LATELY]:
        found.setdefault(lease.item_id, lease)
    return list(found.values())[:LATELY]
