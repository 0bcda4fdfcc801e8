"""The one place where a Caller is built: which roles a person holds, and in which they act now.

Other parts of the product add roles (a partner's reviewers, say) with `add_role_source`.
"""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from moderation.caller import Caller, Organisation
from moderation.enums import Role
from moderation.models import ApiClient, RoleGrant, User


@dataclass(frozen=True)
class Capacity:
    """A role a person may act in: as such, or for an organisation."""

    role: Role
    organisation: Organisation | None = None

    @property
    def value(self) -> str:
        """How a session or key names it: "role" or "role:organisation id"."""
        return f"{self.role}:{self.organisation.id}" if self.organisation else str(self.role)


RoleSource = Callable[[uuid.UUID, datetime], list[Capacity]]
_sources: list[RoleSource] = []


def add_role_source(source: RoleSource) -> None:
    _sources.append(source)


def capacities(person: User, *, now: datetime) -> list[Capacity]:
    """Everything the person may act as now, their working roles before plain membership."""
    return list(_held(person, now=now))


def _held(person: User, *, now: datetime) -> Iterator[Capacity]:
    """One after the other, so that whoever looks for one asks no further than it."""
    if not person.is_active:
        return
    for source in _sources:
        yield from source(person.pk, now)
    grants = RoleGrant.objects.filter(person=person, ended_at__isnull=True).order_by("granted_at", "id")
    for role in grants.values_list("role", flat=True):
        yield Capacity(Role(role))
    yield Capacity(Role.MEMBER)


def choose(person: User, held: list[Capacity], acting: str) -> Caller:
    """The person in the capacity named by `acting` if it is among those held, else in their first one."""
    chosen = next((c for c in held if c.value == acting), held[0] if held else Capacity(Role.MEMBER))
    return Caller(role=chosen.role, person_id=person.pk, organisation=chosen.organisation)


def for_person(person: User, *, acting: str = "", now: datetime) -> Caller:
    return choose(person, capacities(person, now=now), acting)


def for_client(client: ApiClient, *, now: datetime) -> Caller | None:
    """The key's caller; None when the person or capacity behind it is gone."""
    scopes = frozenset(client.scopes)
    if client.person is None:
        return Caller(role=Role.API_CLIENT, client_id=client.pk, scopes=scopes)
    held = _held(client.person, now=now)
    capacity = next((c for c in held if c.value == client.acting), None)
    if capacity is None:
        return None
    return Caller(
        role=capacity.role,
        person_id=client.person_id,
        organisation=capacity.organisation,
        client_id=client.pk,
        scopes=scopes,
    )
