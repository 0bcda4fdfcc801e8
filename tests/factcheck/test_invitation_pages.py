"""Invitations: a letter, a page that changes nothing by being looked at, a button that works once."""

import re

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from factcheck.models import Invitation, Membership
from moderation.models import User
from tests.factories import platform as p
from tests.factories import programme as f
from tests.factories.desk import words
from tests.factories.visitors import visit

pytestmark = pytest.mark.django_db(transaction=True)  # a mail goes out when its invitation is stored


@pytest.fixture(autouse=True)
def _in_the_tests_time(clock, monkeypatch, settings):
    monkeypatch.setattr(timezone, "now", clock)
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    mail.outbox = []


@pytest.fixture
def partner(clock):
    return f.partner(clock=clock)


@pytest.fixture
def lena(partner, clock):
    return f.lead(partner, clock=clock)


def of(name, *args):
    return reverse(f"factcheck:{name}", args=args)


def invite(lead, email="nadia@people.example"):
    answer = visit(lead).post(of("people"), {"email": email, "role": "reviewer"})
    assert answer.status_code == 302
    return re.search(r"http://testserver(/invitations/\S+/)", mail.outbox[-1].body)[1]


def test_an_invitation_goes_by_mail_and_a_new_person_joins_with_a_name_and_a_password(partner, lena):
    link = invite(lena)
    letter = mail.outbox[0]
    assert letter.to == ["nadia@people.example"] and partner.name in letter.subject
    newcomer = Client()

    assert "You are invited as: Reviewer" in words(newcomer.get(link))
    weak = newcomer.post(link, {"display_name": "Nadia", "password": "12345678"})
    assert weak.status_code == 422 and "too common" in words(weak)
    joined = newcomer.post(link, {"display_name": "Nadia", "password": "correct horse battery"})

    assert joined["Location"] == reverse("home")
    assert newcomer.get("/triage/").status_code == 200
    again = Client().post(link, {"display_name": "Eve", "password": "correct horse battery"})
    assert again.status_code == 404 and "This invitation is over" in words(again)
    assert User.objects.get(email="nadia@people.example").display_name == "Nadia"


def test_scanners_that_follow_the_link_change_nothing(partner, lena, clock):
    """Field lesson APP-06: every link in every mail, fetched five times each way, with and without a session."""
    link = invite(lena)
    member = p.member(clock=clock)

    for letter in mail.outbox:
        for url in re.findall(r"http://testserver(\S+)", letter.body):
            for client in (Client(), visit(member), visit(lena)):
                for _ in range(5):
                    assert client.get(url).status_code == 200
                    assert client.head(url).status_code == 200

    invitation = Invitation.objects.get()
    assert (invitation.accepted_at, invitation.revoked_at) == (None, None)
    assert not User.objects.filter(email="nadia@people.example").exists()
    assert (
        Client().post(link, {"display_name": "Nadia", "password": "correct horse battery"}).status_code == 302
    )


def test_a_signed_in_person_joins_with_one_button_and_others_are_told_to_sign_out(lena, clock):
    nadia = p.member("Nadia", clock=clock)
    link = invite(lena, email=f.person_of(nadia).email)
    other = visit(p.member(clock=clock))

    assert "This address has an account." in words(Client().get(link))
    assert (
        Client().post(link, {"display_name": "Eve", "password": "correct horse battery"}).status_code == 409
    )
    assert "You are signed in as somebody else." in words(other.get(link))
    assert other.post(link).status_code == 409
    assert visit(nadia).post(link).status_code == 302

    assert Membership.objects.get(person_id=nadia.person_id).status == "active"


def test_a_revoked_and_an_ended_invitation_say_so(lena, clock):
    link = invite(lena)
    client = visit(lena)
    url = of("people_revoke", Invitation.objects.get().pk)
    assert "Its link stops working at once." in words(client.get(url))
    client.post(url)
    assert Client().get(link).status_code == 404

    later = invite(lena)
    clock.advance(days=7)
    assert "This invitation is over" in words(Client().get(later))


def test_a_mail_that_cannot_be_sent_is_said(lena, settings):
    settings.EMAIL_BACKEND = "tests.factcheck.test_invitation_pages.DeadPost"

    answer = visit(lena).post(
        of("people"), {"email": "nadia@people.example", "role": "reviewer"}, follow=True
    )

    assert "could not be sent" in words(answer)


class DeadPost:
    """A mail server that does not answer."""

    def __init__(self, **options: object) -> None:
        pass

    def send_messages(self, letters: object) -> int:
        raise OSError("Connection refused")


@pytest.mark.parametrize("email", ["nadia", "", "nadia@people.example, eve@people.example"])
def test_an_address_that_is_none_is_said_beside_the_field(lena, email):
    answer = visit(lena).post(of("people"), {"email": email, "role": "reviewer"})

    assert answer.status_code == 422
    assert not Invitation.objects.exists() and not mail.outbox
