"""A form that arrives several times in the same moment is carried out once."""

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from factcheck.models import Invitation
from moderation.enums import Scope
from moderation.models import ApiClient, ReviewItem
from tests.concurrency.at_once import at_once
from tests.factories import platform as p
from tests.factories import programme as f
from tests.factories.pages import visitor

pytestmark = pytest.mark.django_db(transaction=True)
TOKEN = "a" * 64
TIMES = 4


def sent(who, address, **fields):
    """The statuses of the same form, sent TIMES at once from one browser."""
    session = visitor(who).cookies[settings.SESSION_COOKIE_NAME].value

    def send():
        client = Client()
        client.cookies[settings.SESSION_COOKIE_NAME] = session
        return client.post(address, {**fields, "csrfmiddlewaretoken": TOKEN}).status_code

    return sorted(at_once([send] * TIMES))


def test_clicks_in_the_same_moment_make_one_key():
    adam = p.administrator(clock=timezone.now)

    statuses = sent(adam, reverse("keys"), name="Bridge", scopes=[Scope.POSTS_WRITE], expires="90")

    assert statuses == [201, *[302] * (TIMES - 1)]
    assert ApiClient.objects.count() == 1


def test_clicks_in_the_same_moment_invite_once_and_write_one_mail(mailoutbox):
    lena = f.lead(f.partner(clock=timezone.now), clock=timezone.now)

    statuses = sent(lena, reverse("factcheck:people"), email="nadia@people.example", role="reviewer")

    assert statuses == [302] * TIMES
    assert Invitation.objects.count() == len(mailoutbox) == 1


def test_clicks_in_the_same_moment_take_one_item():
    partner = f.partner(clock=timezone.now)
    rita = f.reviewer(partner, clock=timezone.now)
    for _ in range(TIMES):
        p.flag(p.post(clock=timezone.now), clock=timezone.now)
    p.settle(timezone.now)

    assert sent(rita, reverse("factcheck:triage_next")) == [302] * TIMES
    assert ReviewItem.objects.filter(holder_id=rita.person_id).count() == 1
