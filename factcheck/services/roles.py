"""The roles that memberships bring, and what the platform asks about partners."""

import uuid
from datetime import datetime

from factcheck.enums import MembershipRole
from factcheck.selectors import partners
from moderation.caller import Organisation
from moderation.enums import Role
from moderation.selectors import organisations
from moderation.services import callers
from moderation.services.callers import Capacity

_ROLE = {MembershipRole.REVIEWER: Role.REVIEWER, MembershipRole.LEAD: Role.LEAD}


def of_person(person_id: uuid.UUID, now: datetime) -> list[Capacity]:
    places = partners.memberships_of(person_id).values_list("role", "partner_id", "partner__name")
    return [
        Capacity(_ROLE[MembershipRole(role)], Organisation(partner_id, name))
        for role, partner_id, name in places
    ]


def register() -> None:
    callers.add_role_source(of_person)
    organisations.add_sources(names=partners.names, everybody=partners.everybody, stopping=partners.stopping)
