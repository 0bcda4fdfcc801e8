"""Accounts and roles that several people change at the same moment."""

import pytest
from django.utils import timezone

from factcheck.services import claims, leases
from moderation.caller import SYSTEM
from moderation.enums import Role
from moderation.models import AuditRow, ReviewItem, RoleGrant, User
from moderation.services import people
from tests.concurrency.at_once import at_once, done, refused
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db(transaction=True)
now = timezone.now


def test_a_role_that_several_administrators_give_at_once_is_held_once():
    person = p.person()

    grants = at_once([lambda: people.grant_role(person, Role.AUDITOR, caller=SYSTEM, now=now())] * 12)

    assert len({grant.pk for grant in grants}) == RoleGrant.objects.count() == 1
    assert AuditRow.objects.filter(event="role_granted").count() == 1


def test_an_address_that_two_open_an_account_for_at_once_has_one_and_the_others_are_told():
    def make():
        return people.create_account(
            email="nadia@people.example", display_name="Nadia", password="correct horse battery"
        )

    results = at_once([make] * 8)

    assert len(done(results)) == User.objects.filter(email="nadia@people.example").count() == 1
    assert set(refused(results)) == {"address_in_use"}


def test_an_account_turned_off_while_its_owner_takes_items_locks_nobody_out():
    adam = p.administrator(clock=now)
    rita = f.reviewer(f.partner(clock=now), clock=now)
    items = [
        claims.pick(post_ref=str(p.post(f"Post {n}.", clock=now).pk), caller=rita, now=now())
        for n in range(6)
    ]

    for _ in range(8):
        takes = [lambda item=item: leases.take(item.pk, caller=rita, now=now()) for item in items]
        at_once([*takes, lambda: people.deactivate(rita.person_id, caller=adam, now=now())] * 2)
        people.deactivate(rita.person_id, caller=adam, now=now())
        assert not ReviewItem.objects.filter(holder_id=rita.person_id).exists()
        people.reactivate(rita.person_id, caller=adam, now=now())
