"""The demo's people and partners."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.contrib.auth.hashers import make_password

from factcheck.demo import content
from factcheck.enums import MembershipRole
from factcheck.services import partners, people
from factcheck.services.partners import PartnerDraft
from moderation.caller import SYSTEM, Caller
from moderation.enums import Role
from moderation.services import callers
from moderation.services import people as accounts

if TYPE_CHECKING:
    from factcheck.models import Partner
    from moderation.models import User

PLATFORM_ROLES = (Role.POLICY_SPECIALIST, Role.ADMINISTRATOR, Role.AUDITOR)
JOINED = timedelta(days=200)


@dataclass
class Cast:
    """Who plays, by the names the files use."""

    people: "dict[str, User]" = field(default_factory=dict)
    partners: "dict[str, Partner]" = field(default_factory=dict)

    def acting(self, email: str, role: Role, *, partner: str = "", now: datetime) -> Caller:
        value = f"{role}:{self.partners[partner].pk}" if partner else str(role)
        return callers.for_person(self.people[email], acting=value, now=now)

    def holders(self, role: Role) -> list[str]:
        """Addresses of those who hold a platform role, in the order of the file."""
        return [p["email"] for p in content.rows("people") if any(r["role"] == role for r in p["roles"])]

    def people_of(self, partner: str, *, now: datetime) -> list[Caller]:
        """The partner's people, as callers, in the order of the file."""
        return [
            self.acting(row["email"], Role(held["role"]), partner=partner, now=now)
            for row in content.rows("people")
            for held in row["roles"]
            if held["partner"] == partner
        ]


def make(*, password: str, now: datetime) -> Cast:
    """Accounts, platform roles, partners with certificates, memberships."""
    cast = Cast()
    password_hash = make_password(password)
    for row in content.rows("people"):
        cast.people[row["email"]] = accounts.import_account(
            email=row["email"],
            display_name=row["display_name"],
            password_hash=password_hash,
            language=row["language"],
            time_zone=row["time_zone"],
        )
        for held in row["roles"]:
            if held["role"] in PLATFORM_ROLES:
                accounts.grant_role(
                    cast.people[row["email"]], Role(held["role"]), caller=SYSTEM, now=now - JOINED
                )
    administrator = cast.acting(cast.holders(Role.ADMINISTRATOR)[0], Role.ADMINISTRATOR, now=now)
    for row in content.rows("partners"):
        cast.partners[row["slug"]] = _partner(row, caller=administrator, now=now)
    for row in content.rows("people"):
        for held in row["roles"]:
            if held["partner"]:
                people.join(
                    cast.partners[held["partner"]],
                    cast.people[row["email"]].pk,
                    role=MembershipRole(held["role"]),
                    caller=administrator,
                    now=now - JOINED,
                )
    return cast


def _partner(row: dict[str, Any], *, caller: Caller, now: datetime) -> "Partner":
    draft = PartnerDraft(
        slug=row["slug"],
        name=row["name"],
        languages=row["languages"],
        countries=row["countries"],
        domains=row["domains"],
        time_zone=row["time_zone"],
        country=row["country"],
    )
    partner = partners.add(draft, caller=caller, now=now - JOINED)
    certificate = row["certification"]
    partners.certify(
        partner.pk,
        body=certificate["body"],
        valid_from=now - timedelta(days=certificate["from_days_ago"]),
        valid_until=now + timedelta(days=certificate["until_days_ahead"]),
        caller=caller,
        now=now - JOINED,
    )
    return partner
