"""Partners, reviewers, specialists and their keys, made through the services for one run."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.contrib.auth.hashers import make_password

from factcheck.enums import MembershipRole
from factcheck.services import partners, people
from factcheck.services.partners import PartnerDraft
from moderation.caller import SYSTEM, Caller
from moderation.enums import Role, Scope
from moderation.services import api_clients, callers
from moderation.services import people as accounts

if TYPE_CHECKING:
    from factcheck.models import Partner
    from moderation.models import User

PLATFORM = (Scope.POSTS_WRITE, Scope.FLAGS_WRITE, Scope.SIGNALS_WRITE, Scope.DISTRIBUTION_READ)


@dataclass(frozen=True)
class Reviewer:
    """A reviewer's key, and the domain on which the partner publishes."""

    key: str
    domain: str
    person_id: uuid.UUID


@dataclass
class Cast:
    platform: str  # key
    reviewers: list[Reviewer] = field(default_factory=list)
    specialists: list[str] = field(default_factory=list)  # keys
    mark: str = ""


def make(
    *,
    partner_count: int,
    reviewer_count: int,
    specialist_count: int = 0,
    languages: Sequence[str] = ("en",),
    now: datetime,
) -> Cast:
    """People are named by a mark of the run, so that a run never meets another one's."""
    mark = uuid.uuid4().hex[:8]
    platform = api_clients.create(name=f"platform {mark}", scopes=PLATFORM, caller=SYSTEM, now=now)[1]
    cast = Cast(platform, mark=mark)
    administrator = _administrator(mark, now=now)
    made = [_partner(f"{mark}-{n}", languages, caller=administrator, now=now) for n in range(partner_count)]
    for n in range(reviewer_count):
        partner, domain = made[n % partner_count]
        person = _account(f"reviewer-{n}-{mark}")
        people.join(partner, person.pk, role=MembershipRole.REVIEWER, caller=administrator, now=now)
        key = _key(person, f"{Role.REVIEWER}:{partner.pk}", Scope.QUEUE_WORK, now=now)
        cast.reviewers.append(Reviewer(key, domain, person.pk))
    for n in range(specialist_count):
        person = _account(f"specialist-{n}-{mark}")
        accounts.grant_role(person, Role.POLICY_SPECIALIST, caller=SYSTEM, now=now)
        cast.specialists.append(_key(person, Role.POLICY_SPECIALIST, Scope.DESK_WORK, now=now))
    return cast


def _administrator(mark: str, *, now: datetime) -> Caller:
    person = _account(f"administrator-{mark}")
    accounts.grant_role(person, Role.ADMINISTRATOR, caller=SYSTEM, now=now)
    return callers.for_person(person, acting=Role.ADMINISTRATOR, now=now)


def _partner(name: str, languages: Sequence[str], *, caller: Caller, now: datetime) -> "tuple[Partner, str]":
    domain = f"partner-{name}.example"
    partner = partners.add(
        PartnerDraft(f"rehearsal-{name}", f"Rehearsal {name}", languages, (), (domain,)),
        caller=caller,
        now=now,
    )
    partners.certify(
        partner.pk,
        body="Rehearsal",
        valid_from=now - timedelta(days=1),
        valid_until=now + timedelta(days=2),
        caller=caller,
        now=now,
    )
    return partner, domain


def _account(name: str) -> "User":
    """An account nobody can sign in to: it works through its key."""
    return accounts.import_account(
        email=f"{name}@rehearsal.example",
        display_name=name,
        password_hash=make_password(None),
        language="en",
        time_zone="UTC",
    )


def _key(person: "User", acting: str, scope: Scope, *, now: datetime) -> str:
    return api_clients.create(
        name=str(person), scopes=[scope], person=person, acting=acting, caller=SYSTEM, now=now
    )[1]
