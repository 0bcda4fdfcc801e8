"""Who is asking: every service and selector takes one."""

import uuid
from dataclasses import dataclass, field

from moderation.enums import Role, Scope
from moderation.errors import Refused


@dataclass(frozen=True)
class Organisation:
    """The organisation somebody acts in, as far as the platform knows it."""

    id: uuid.UUID
    name: str


@dataclass(frozen=True)
class Caller:
    """A person in one role of one organisation, or an API client with scopes. Built by services.callers."""

    role: Role
    person_id: uuid.UUID | None = None
    organisation: Organisation | None = None
    client_id: uuid.UUID | None = None
    scopes: frozenset[str] = field(default_factory=frozenset)

    @property
    def organisation_id(self) -> uuid.UUID | None:
        return self.organisation.id if self.organisation else None

    @property
    def person(self) -> uuid.UUID:
        """The person who acts. Raises Refused for a program that acts for nobody."""
        if self.person_id is None:
            raise Refused("Only a person does this.")
        return self.person_id

    @property
    def key(self) -> str:
        """What idempotency keys and rate limits are counted by."""
        return f"client:{self.client_id}" if self.client_id else f"person:{self.person_id}"

    def acts_as(self, *roles: Role) -> bool:
        return self.role in roles

    def has(self, scope: Scope) -> bool:
        """A person on a page is bound by the role alone; a key also by its scopes."""
        return self.client_id is None or scope in self.scopes


SYSTEM = Caller(role=Role.SYSTEM)
