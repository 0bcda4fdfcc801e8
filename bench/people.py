"""Keys for the callers of a benchmark, made through the services."""

import uuid
from datetime import timedelta

from django.utils import timezone

from factcheck.enums import MembershipRole
from factcheck.services import partners, people
from factcheck.services.partners import PartnerDraft
from moderation.caller import SYSTEM
from moderation.enums import Role, Scope
from moderation.services import api_clients, callers
from moderation.services import people as accounts

PLATFORM = (Scope.POSTS_WRITE, Scope.FLAGS_WRITE, Scope.DISTRIBUTION_READ)


def platform_key() -> str:
    now = timezone.now()
    return api_clients.create(name="bench", scopes=PLATFORM, caller=SYSTEM, now=now)[1]


def reviewer_keys(count: int, *, languages: tuple[str, ...] = ("en", "fr", "es")) -> list[str]:
    """Keys of that many reviewers of one certified partner, whose articles live on bench.example."""
    now = timezone.now()
    mark = uuid.uuid4().hex[:8]
    root = _account(f"root-{mark}")
    accounts.grant_role(root, Role.ADMINISTRATOR, caller=SYSTEM, now=now)
    administrator = callers.for_person(root, acting=Role.ADMINISTRATOR, now=now)
    partner = partners.add(
        PartnerDraft(f"bench-{mark}", f"Bench {mark}", languages, (), ("bench.example",)),
        caller=administrator,
        now=now,
    )
    partners.certify(
        partner.pk,
        body="Bench",
        valid_from=now - timedelta(days=1),
        valid_until=now + timedelta(days=1),
        caller=administrator,
        now=now,
    )
    keys = []
    for number in range(count):
        person = _account(f"reviewer-{number}-{mark}")
        people.join(partner, person.pk, role=MembershipRole.REVIEWER, caller=administrator, now=now)
        acting = f"{Role.REVIEWER}:{partner.pk}"
        keys.append(
            api_clients.create(
                name=str(person),
                scopes=[Scope.QUEUE_WORK],
                person=person,
                acting=acting,
                caller=SYSTEM,
                now=now,
            )[1]
        )
    return keys


def _account(name: str) -> "accounts.User":
    return accounts.import_account(
        email=f"{name}@bench.example", display_name=name, password_hash="!", language="en", time_zone="UTC"
    )
