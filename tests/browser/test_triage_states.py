"""What happens meanwhile: others act, the lease is lost, scripts are off, the screen is small."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from factcheck.models import Draft, Lease, Rating
from factcheck.services import leases, ratings
from moderation.services.queue import ItemRef
from tests.browser.triage_fixtures import (
    claim_field,
    fill,
    open_items,
    take,
)
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_draft_is_saved_while_typing_and_survives_a_lost_lease(open_as, queue, rita, partner):
    queue("One story.")
    page = open_as(rita)
    take(page)
    page.get_by_label("Explanation").fill("Half a thought, kept.")
    expect(page.locator("[data-draft-state]")).to_contain_text(re.compile(r"Saved \d\d:\d\d"))
    assert Draft.objects.get().fields["explanation"] == "Half a thought, kept."

    item = open_items().get()
    roy = f.reviewer(partner, clock=timezone.now)
    leases.release(item.pk, caller=rita, now=timezone.now())
    leases.take(item.pk, caller=roy, now=timezone.now())
    expect(page.get_by_text("You no longer hold this item.")).to_be_visible()
    expect(page.get_by_label("Explanation")).to_have_value("Half a thought, kept.")

    leases.release(item.pk, caller=roy, now=timezone.now())
    page.get_by_role("button", name="Take it again").click()
    expect(page.locator(".lease[data-mine]")).to_be_visible()
    expect(page.get_by_label("Explanation")).to_have_value("Half a thought, kept.")


def test_a_stale_page_is_told_live_and_refused_with_what_changed(open_as, queue, rita, partner):
    (post,) = queue("The well was tested.")
    page = open_as(rita)
    take(page)
    page.keyboard.press("6")
    fill(page, partner, headline="It was")
    p.edit(post, "The well was never tested.", clock=timezone.now)
    expect(page.get_by_text("This item changed since you opened it.")).to_be_visible()

    page.keyboard.press("n")

    expect(page.get_by_text("Not sent.")).to_be_visible()
    expect(page.locator("#item-news .diff ins")).to_contain_text("never")
    expect(page.locator("#item-news")).to_be_focused()
    expect(page.get_by_label("Headline")).to_have_value("It was")
    assert not Rating.objects.exists()

    page.keyboard.press("n")
    expect(page.locator("#item-title")).to_have_text("The queue is empty")
    assert Rating.objects.get().post_version.number == 2


def test_new_items_and_others_leases_appear_without_moving_focus_or_scroll(
    open_as, queue, rita, partner, work
):
    queue(
        *[f"Story number {n}, told at some length so that it takes two lines in the list." for n in range(20)]
    )
    page = open_as(rita)
    page.goto("/triage/")
    page.locator("[data-row]").nth(9).focus()
    scrolled = page.evaluate("document.getElementById('queue-scroll').scrollTop")
    text = page.evaluate("document.activeElement.innerText")
    assert scrolled > 0

    item = open_items().order_by("-rank")[9]
    leases.take(
        item.pk, caller=f.reviewer(f.partner(clock=timezone.now), clock=timezone.now), now=timezone.now()
    )

    expect(page.locator("[data-row]").nth(9)).to_contain_text("Held by Partner")
    assert page.evaluate("document.getElementById('queue-scroll').scrollTop") == scrolled
    assert page.evaluate("document.activeElement.innerText").startswith(text.splitlines()[0])


def test_nothing_is_below_a_fold_on_a_desktop(open_as, queue, rita):
    queue(*[f"Story number {n}. " * 40 for n in range(12)])
    page = open_as(rita)
    take(page)
    page.keyboard.press("1")
    expect(page.locator("#outlook")).to_contain_text("left")

    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    for place in ("#queue-scroll", "#item-scroll", "#form-scroll"):
        box = page.locator(place).bounding_box()
        assert box["y"] + box["height"] <= 900
    assert page.locator("button[value=next]").bounding_box()["y"] < 870


def test_on_a_phone_the_step_that_is_shown_is_the_one_that_is_marked(open_as, queue, rita):
    queue("One story.")
    page = open_as(rita)
    page.set_viewport_size({"width": 390, "height": 844})
    take(page)
    page.locator("nav [data-goto-step=form]").click()
    page.get_by_role("button", name="Submit", exact=True).click()

    expect(page.get_by_text(re.compile("Not sent"))).to_be_visible()
    expect(page.locator("nav [data-goto-step][aria-current=step]")).to_have_text("Rating")


def test_on_a_phone_list_item_and_form_are_one_flow(open_as, queue, rita, partner):
    queue("The town well is poisoned.")
    page = open_as(rita, has_touch=True)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/triage/")
    page.locator("[data-row]").first.tap()
    expect(page.get_by_role("article")).to_be_visible()
    expect(page.locator("#queue")).to_be_hidden()
    page.get_by_role("button", name="Take this item to rate it").first.tap()
    page.get_by_role("link", name="To the rating").tap()
    expect(page.locator("#triage-item")).to_be_hidden()
    page.locator("#verdict-false").check()
    fill(page, partner)
    page.get_by_role("button", name="Submit and next").tap()

    expect(page.get_by_text("The queue is empty", exact=True).first).to_be_visible()
    assert Rating.objects.count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_everything_but_live_and_keys_works_without_scripts(open_as, queue, rita, partner):
    queue("The town well is poisoned.", "Goats sit in parliament.")
    page = open_as(rita, java_script_enabled=False)
    page.goto("/triage/")
    page.get_by_role("button", name="Take next", exact=True).click()
    page.locator("#verdict-false").check()
    claim_field(page).fill("The well is poisoned.")
    page.get_by_label("Headline").fill("No")
    page.get_by_label("Explanation").fill("It is not.")
    page.get_by_label(re.compile("^Article")).fill(f"https://{partner.domains[0]}/x")
    page.get_by_role("button", name="What would it do?").click()
    expect(page.locator("#outlook")).to_contain_text("20% of the feed left")
    page.get_by_role("button", name="Submit and next").click()

    expect(page.locator("#item-title")).to_contain_text("Goats sit in parliament.")
    page.get_by_role("button", name="Skip").click()
    page.get_by_role("button", name="Needs other expertise").click()
    assert Lease.objects.filter(reason="expertise").exists()
    assert Rating.objects.count() == 1


def test_a_closed_item_says_who_decided_and_keeps_what_was_typed(open_as, queue, rita, partner):
    queue("The town well is poisoned.")
    page = open_as(rita)
    take(page)
    page.keyboard.press("1")
    fill(page, partner)
    item = open_items().get()
    other = f.partner(clock=timezone.now)
    stranger = f.reviewer(other, clock=timezone.now)
    leases.release(item.pk, caller=rita, now=timezone.now())
    leases.take(item.pk, caller=stranger, now=timezone.now())
    ratings.submit(ItemRef(item.pk, item.version), f.draft(other), caller=stranger, now=timezone.now())

    page.keyboard.press("n")

    expect(page.locator("#item-news")).to_contain_text(f"{other.name} rated it: False.")
    expect(page.get_by_label("Headline")).to_have_value("No, the well is not poisoned")
    assert Rating.objects.count() == 1
