"""People and keys, as an administrator looks after them."""

import uuid
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Prefetch, Q, QuerySet

from moderation.enums import ItemStatus
from moderation.models import ApiClient, ReviewItem, RoleGrant, User

_HELD = (
    RoleGrant.objects.filter(ended_at__isnull=True).select_related("granted_by").order_by("granted_at", "id")
)


def search(query: str) -> QuerySet[User]:
    """People whose name or address contains `query`, newest first, with the platform roles they hold."""
    people = User.objects.prefetch_related(Prefetch("role_grants", queryset=_HELD, to_attr="held_roles"))
    if query:
        people = people.filter(Q(display_name__icontains=query) | Q(email__icontains=query))
    return people.order_by("-pk")


def one(person_id: uuid.UUID) -> User | None:
    return search("").filter(pk=person_id).first()


def names(person_ids: set[uuid.UUID]) -> dict[uuid.UUID, str]:
    """What these people are called."""
    return dict(User.objects.filter(pk__in=person_ids).values_list("pk", "display_name"))


@dataclass(frozen=True)
class Holdings:
    """What ends when a person's account is turned off."""

    items: int  # review items held now
    keys: int  # live API keys that act as the person


def holdings(person_id: uuid.UUID, *, now: datetime) -> Holdings:
    held = ReviewItem.objects.filter(holder_id=person_id, status=ItemStatus.OPEN, held_until__gt=now)
    return Holdings(held.count(), live_keys(now=now).filter(person_id=person_id).count())


def keys() -> QuerySet[ApiClient]:
    """Every API key, newest first."""
    return ApiClient.objects.select_related("person", "created_by").order_by("-pk")


def live_keys(*, now: datetime) -> QuerySet[ApiClient]:
    """Keys that are neither revoked nor expired."""
    return keys().filter(Q(expires_at__isnull=True) | Q(expires_at__gt=now), revoked_at__isnull=True)
