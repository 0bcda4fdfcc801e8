"""Partners and their people in a real browser: from nothing to a newcomer at work, with and without scripts."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from factcheck.models import Membership, Partner
from factcheck.services import partners
from factcheck.services.partners import PartnerDraft
from moderation.models import User
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db(transaction=True)
clock = timezone.now
LONG = "An Independent Organisation of Fact Checkers with an Unreasonably Long Name for the Whole of the Archipelago and"


@pytest.fixture(autouse=True)
def letters(settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    mail.outbox = []
    return mail.outbox


@pytest.fixture
def adam():
    return p.administrator(clock=clock)


@pytest.fixture
def partner():
    return f.partner(clock=clock, countries=("LK", "IN"))


def of(name, *args):
    return reverse(f"factcheck:{name}", args=args)


def fill_partner(page):
    page.get_by_label("Name", exact=True).fill("Lanka Checks")
    page.get_by_label("Short name").fill("lanka-checks")
    page.get_by_label("Languages").fill("si, English")
    page.get_by_label("Countries").fill("LK")
    page.get_by_label("Domains of its articles").fill("lanka-checks.example")
    page.get_by_label("Time zone").select_option("Asia/Colombo")
    page.get_by_role("button", name="Add the partner").click()


def test_from_nothing_to_a_newcomer_at_work(open_as, adam, letters, axe, base_url):
    page = open_as(adam)
    page.goto(of("partners"))
    axe(page)
    page.get_by_role("link", name="Add a partner").first.click()
    fill_partner(page)
    expect(page.get_by_text("Write en for English.").first).to_be_visible()
    axe(page)
    page.get_by_label("Languages").fill("si, en")
    page.get_by_role("button", name="Add the partner").click()
    expect(page.get_by_text("Not certified").first).to_be_visible()
    axe(page)

    page.get_by_role("link", name="Record a certificate").click()
    axe(page)
    page.get_by_label("Certified by").fill("IFCN")
    page.get_by_label("First day").fill((clock() - timedelta(days=30)).strftime("%Y-%m-%d"))
    page.get_by_label("Last day").fill((clock() + timedelta(days=300)).strftime("%Y-%m-%d"))
    page.get_by_role("button", name="Record").click()
    expect(page.get_by_text("Holds until").first).to_be_visible()
    page.get_by_label("E-mail address").fill("lena@people.example")
    page.get_by_role("button", name="Send the invitation").click()
    expect(page.get_by_text("Invitation sent to lena@people.example.")).to_be_visible()
    axe(page)

    link = re.search(r"http://\S+?(/invitations/\S+/)", letters[0].body)[1]
    newcomer = open_as()
    newcomer.goto(link)
    axe(newcomer)
    newcomer.get_by_label("Your name").fill("Lena Perera")
    newcomer.get_by_label("Password").fill("12345678")
    newcomer.get_by_role("button", name="Accept and join").click()
    expect(newcomer.get_by_text("too common")).to_be_visible()
    newcomer.get_by_label("Password").fill("correct horse battery")
    newcomer.get_by_role("button", name="Accept and join").click()
    newcomer.wait_for_url("**/triage/**")

    newcomer.goto(of("people"))
    expect(newcomer.get_by_text("Lena Perera").first).to_be_visible()
    axe(newcomer)
    newcomer.goto(link)
    expect(newcomer.get_by_role("heading", name="This invitation is over")).to_be_visible()
    axe(newcomer)


def test_suspending_a_partner_ends_a_session_that_is_open_elsewhere(open_as, adam, partner, axe):
    rita = f.reviewer(partner, clock=clock)
    working = open_as(rita)
    working.goto("/triage/")
    page = open_as(adam)
    page.goto(of("partners_one", partner.slug))
    page.get_by_role("link", name="Suspend", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("1 person loses access now")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    assert Partner.objects.get().status == "active"

    page.get_by_role("link", name="Suspend", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Suspend the partner").click()
    expect(page.get_by_text("Nobody of this organisation can sign in for it.")).to_be_visible()
    axe(page)
    working.reload()

    expect(working.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_lead_keeps_the_people_without_scripts(open_as, partner):
    lena, rita = f.lead(partner, clock=clock), f.reviewer(partner, clock=clock)
    page = open_as(lena, java_script_enabled=False)
    page.goto(of("people"))
    name = f.person_of(rita).display_name
    expect(page.get_by_text("A partner keeps at least one lead")).to_be_visible()

    page.get_by_role("link", name=f"Suspend {name}").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Suspend {name}?")
    page.get_by_role("button", name="Suspend").click()
    page.get_by_role("link", name=f"Resume {name}").click()
    page.get_by_role("button", name="Resume").click()
    page.get_by_label("E-mail address").fill("nadia@people.example")
    page.get_by_role("button", name="Send the invitation").click()
    page.get_by_role("link", name="Revoke nadia@people.example").click()
    page.get_by_role("button", name="Revoke the invitation").click()

    expect(page.get_by_text("Open invitations")).to_be_hidden()
    assert Membership.objects.get(person_id=rita.person_id).status == "active"


def test_an_invitation_for_somebody_who_is_here_already(open_as, partner, letters, axe):
    lena, nadia = f.lead(partner, clock=clock), p.member("Nadia", clock=clock)
    page = open_as(lena)
    page.goto(of("people"))
    page.get_by_label("E-mail address").fill(f.person_of(nadia).email)
    page.get_by_role("button", name="Send the invitation").click()
    expect(page.get_by_text("Invitation sent")).to_be_visible()
    link = re.search(r"http://\S+?(/invitations/\S+/)", letters[0].body)[1]

    for who, sentence in (
        (None, "This address has an account."),
        (p.member(clock=clock), "You are signed in as somebody else."),
    ):
        other = open_as(who)
        other.goto(link)
        expect(other.get_by_text(sentence)).to_be_visible()
        axe(other)
    theirs = open_as(nadia)
    theirs.goto(link)
    axe(theirs)
    theirs.get_by_role("button", name="Accept and join").click()

    expect(theirs.get_by_text(f"Welcome to {partner.name}.")).to_be_visible()


@pytest.mark.parametrize("width", [320, 390, 1440])
def test_long_names_and_every_state_break_nothing(open_as, adam, axe, shoot, width):
    every = PartnerDraft(
        slug="archipelago",
        name=f"{LONG} سنجه",
        languages=["en", "fr", "es", "ar", "hi", "fa", "si", "ta", "bn", "ur"],
        countries=["LK", "IN", "NP", "BD", "PK", "AF", "IR", "MM", "TH", "MY"],
        domains=["very-long-subdomain-for-checks.archipelago-fact-checkers.example"],
        time_zone="America/Argentina/ComodRivadavia",
    )
    long = partners.add(every, caller=adam, now=clock())
    lead = f.lead(long, clock=clock)
    User.objects.filter(pk=lead.person_id).update(
        display_name="Q" * 110, email=f"{'q' * 60}@{'w' * 60}.example"
    )
    for days in (200, 10, -5):
        made = f.partner(clock=clock, certified=False)
        partners.certify(
            made.pk,
            body="IFCN",
            valid_from=clock() - timedelta(days=300),
            valid_until=clock() + timedelta(days=days),
            caller=adam,
            now=clock(),
        )
    partners.suspend(made.pk, caller=adam, now=clock())
    page = open_as(adam)
    page.set_viewport_size({"width": width, "height": 844})

    for name, address in (("partners", of("partners")), ("partner-long", of("partners_one", long.slug))):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        axe(page)
        if width == 1440:
            shoot(page, name)
    theirs = open_as(lead)
    theirs.set_viewport_size({"width": width, "height": 844})
    theirs.goto(of("people"))
    assert theirs.evaluate("document.documentElement.scrollWidth") <= width
    axe(theirs)
    if width == 1440:
        shoot(theirs, "people-long")
