"""Administrators in a browser: pages anybody can use, live figures, and acts that ask once."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from moderation.enums import OutboxKind, Scope
from moderation.models import ApiClient, Outbox, User
from moderation.services import api_clients
from tests.factories import platform as p

pytestmark = pytest.mark.django_db(transaction=True)

now = timezone.now


@pytest.fixture
def adam():
    return p.administrator(clock=now)


def set_aside():
    return Outbox.objects.create(
        queue="effects",
        kind=OutboxKind.PUBLISH,
        target="01900000-0000-7000-8000-000000000000",
        at=now(),
        available_at=now(),
        attempts=8,
        failed_at=now(),
        error="LookupError: Redis did not take the states. " + "x" * 300,
    )


def test_axe_finds_nothing_on_any_staff_page_and_none_scrolls_sideways(open_as, adam, axe):
    zoe = p.person("Zo\u202eë" + "y" * 80)
    set_aside()
    api_clients.create(name="K" * 120, scopes=list(Scope)[:6], caller=adam, now=now())
    page = open_as(adam)
    for address in ("/system/", "/audit/", "/keys/", "/people/", reverse("people-one", args=[zoe.pk])):
        page.goto(address)
        axe(page)
        for width in (320, 390, 1440):
            page.set_viewport_size({"width": width, "height": 844})
            fits = page.evaluate(
                "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            )
            assert fits, f"{address} at {width}"
        page.set_viewport_size({"width": 1440, "height": 900})


def test_the_system_page_shows_what_happens_without_being_reloaded(open_as, adam):
    page = open_as(adam)
    page.goto("/system/")
    expect(page.get_by_text("Nothing was set aside")).to_be_visible()

    set_aside()

    expect(page.get_by_text("LookupError: Redis did not take the states.")).to_be_visible(timeout=10_000)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("It is back in its queue.")).to_be_visible()
    assert Outbox.objects.get().failed_at is None


def test_a_key_is_made_copied_and_revoked(open_as, adam, axe):
    page = open_as(adam, permissions=["clipboard-read", "clipboard-write"])
    page.goto("/keys/")
    page.get_by_label("Name").fill("Ranking")
    page.get_by_role("checkbox", name="Read effective state").check()
    page.get_by_role("button", name="Make the key").click()
    key = page.get_by_label("Ranking", exact=True)
    expect(key).to_have_value(re.compile(r"^vk_"))
    axe(page)
    value = key.input_value()
    assert api_clients.find(value, now=now()) is not None

    page.get_by_role("button", name="Revoke… Ranking").click()
    dialog = page.get_by_role("dialog", name="Revoke this key?")
    expect(dialog.get_by_text("Every program that uses it is refused")).to_be_visible()
    axe(page)
    dialog.get_by_role("button", name="Cancel").click()
    assert ApiClient.objects.get().revoked_at is None
    page.get_by_role("button", name="Revoke… Ranking").click()
    dialog.get_by_role("button", name="Revoke the key").click()
    expect(page.get_by_text("The key is revoked.")).to_be_visible()
    assert api_clients.find(value, now=now()) is None


def test_turning_an_account_off_asks_once_and_ends_the_other_window(open_as, adam):
    zoe = p.person("Zoe")
    theirs = open_as(zoe)
    theirs.goto("/feed/")
    page = open_as(adam)
    page.goto(f"/people/?q={zoe.email}")
    page.get_by_role("link", name=zoe.display_name).click()
    page.get_by_role("button", name="Turn the account off…").click()
    page.get_by_role("dialog").get_by_role("button", name="Turn the account off").click()

    expect(page.get_by_text("The account is turned off.")).to_be_visible()
    theirs.goto("/feed/")
    expect(theirs).to_have_url(re.compile("/accounts/login/"))
    assert not User.objects.get(pk=zoe.pk).is_active


def test_the_chain_is_verified_from_the_page(open_as, axe):
    page = open_as(p.auditor(clock=now))
    page.goto("/audit/")
    page.get_by_role("button", name="Verify the chain").click()
    expect(page.get_by_text("The chain holds.")).to_be_visible()
    axe(page)
