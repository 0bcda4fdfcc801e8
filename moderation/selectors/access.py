"""What ends when somebody's access ends: said in numbers before it is done."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from moderation.enums import ItemStatus
from moderation.models import ApiClient, ReviewItem


@dataclass(frozen=True)
class Access:
    """Leases that run now, and keys that act for the organisation."""

    leases: int
    keys: int


def of_organisation(organisation: uuid.UUID, *, person_id: uuid.UUID | None = None, now: datetime) -> Access:
    """Of all its people, or of one of them."""
    held = ReviewItem.objects.filter(status=ItemStatus.OPEN, held_for=organisation, held_until__gt=now)
    keys = ApiClient.objects.filter(
        Q(expires_at__isnull=True) | Q(expires_at__gt=now),
        acting__endswith=f":{organisation}",
        revoked_at__isnull=True,
    )
    if person_id is not None:
        held, keys = held.filter(holder_id=person_id), keys.filter(person_id=person_id)
    return Access(leases=held.count(), keys=keys.count())
