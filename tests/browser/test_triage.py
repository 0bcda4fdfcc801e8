"""The reviewer's job in a real browser, by keyboard alone."""

import re
from datetime import timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from factcheck.models import Lease, Rating
from moderation.caller import SYSTEM
from moderation.enums import FlagReason
from moderation.models import Escalation
from moderation.services import media, posts
from moderation.services.posts import Reach
from tests.browser.triage_fixtures import (
    claim_field,
    fill,
    open_items,
    take,
)
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db(transaction=True)

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301010018dd8db0"
    "0000000049454e44ae426082"
)


def test_the_whole_job_by_keyboard_alone(open_as, queue, work, rita, partner, faults):
    first, second, _ = queue("The town well is poisoned.", "Goats sit in parliament.", "The park is sold.")
    page = open_as(rita)
    page.goto("/triage/")

    page.keyboard.press("c")
    expect(page.locator("#item-title")).to_be_focused()
    expect(page.locator("#item-title")).to_contain_text("The town well is poisoned.")
    expect(page.locator(".lease[data-mine]")).to_contain_text("Yours for")

    page.keyboard.press("1")
    expect(page.locator("#verdict-false")).to_be_checked()
    expect(page.get_by_text("No basis in fact")).to_be_visible()
    expect(page.locator("#outlook")).to_contain_text("20% of the feed left")
    fill(page, partner)
    page.keyboard.press("n")

    # The next item has the focus, and the outcome is announced.
    expect(page.locator("#item-title")).to_contain_text("Goats sit in parliament.")
    expect(page.locator("#item-title")).to_be_focused()
    toast = page.locator("#toasts[role=status] .toast-item")
    expect(toast).to_contain_text("Rated false.")
    work()
    assert p.feed_of(first, clock=timezone.now) == 0.2

    page.wait_for_timeout(300)  # nobody reads an item and escalates it in less
    page.keyboard.press("e")
    page.keyboard.press("1")
    page.get_by_label("What should the desk know?").fill("They name a place and a time.")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Incites violence: Open.")).to_be_visible()
    assert Escalation.objects.get().post_id == second.pk
    expect(page.locator(".lease[data-mine]")).to_be_visible()

    page.keyboard.press("s")
    page.keyboard.press("2")
    expect(page.locator("#item-title")).to_contain_text("The park is sold.")
    assert Lease.objects.get(item__post=second).reason == "expertise"

    page.keyboard.press("u")
    expect(page.locator("#item-title")).to_contain_text("The town well is poisoned.")
    expect(page.get_by_label("Headline")).to_have_value("No, the well is not poisoned")
    assert Rating.objects.get().withdrawal.undone
    work()
    assert p.feed_of(first, clock=timezone.now) == 1.0


def test_the_list_is_walked_and_opened_by_keys_without_claiming(open_as, queue, rita):
    queue("One story.", "Two stories.", "Three stories.")
    page = open_as(rita)
    page.goto("/triage/")

    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("j")
    page.keyboard.press("Enter")

    expect(page.locator("#item-title")).to_contain_text("Two stories.")
    expect(page.locator("[data-row][aria-current]")).to_contain_text("Two stories.")
    assert not open_items().filter(holder__isnull=False).exists()


def test_c_takes_the_item_that_was_opened_from_the_list_and_never_the_next_one(open_as, queue, rita):
    """The list stays as it is while an item is opened beside it: its “Next” gives the key away."""
    queue("The town well is poisoned.", "Goats sit in parliament.")
    page = open_as(rita)
    page.goto("/triage/")
    expect(page.locator(".queue-top kbd")).to_be_visible()
    page.get_by_role("link", name=re.compile("Goats sit")).first.click()
    expect(page.locator("#item-title")).to_contain_text("Goats sit in parliament.")
    expect(page.locator(".queue-top kbd")).to_be_hidden()
    page.wait_for_timeout(300)  # (keys rest for a moment after another item appears)

    for _ in range(2):  # the second time there is nothing to take
        page.keyboard.press("c")
        expect(page.locator(".lease[data-mine]")).to_be_visible()
        page.wait_for_timeout(500)
        expect(page.locator("#item-title")).to_contain_text("Goats sit in parliament.")

    assert (
        open_items().get(holder__isnull=False).post.current_version.content.text == "Goats sit in parliament."
    )


def test_cancel_escape_and_back_claim_and_decide_nothing(open_as, queue, rita):
    queue("One story.", "Two stories.")
    page = open_as(rita)
    page.goto("/triage/")
    page.locator("[data-row]").first.click()
    expect(page.locator("#item-title")).to_contain_text("One story.")
    page.keyboard.press("e")
    expect(page.locator("#escalate")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#escalate")).to_be_hidden()
    page.go_back()
    expect(page).to_have_url(re.compile(r"/triage/$"))
    expect(page.get_by_text("2 items wait for you")).to_be_visible()

    assert not Lease.objects.exists() and not Rating.objects.exists() and not Escalation.objects.exists()


def test_keys_rest_while_typing_and_where_they_are_switched_off(open_as, queue, rita):
    queue("One story.")
    page = open_as(rita)
    take(page)
    page.get_by_label("Headline").press_sequentially("nusez127")
    expect(page.get_by_label("Headline")).to_have_value("nusez127")
    assert open_items().get().holder_id == rita.person_id
    page.keyboard.press("?")
    expect(page.locator("#keyboard-help")).to_be_hidden()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#keyboard-help")).to_contain_text("Submit and next")

    person = f.person_of(rita)
    person.shortcuts_on = False
    person.save()
    page.reload()
    page.keyboard.press("s")
    expect(page.locator("#skip")).to_be_hidden()
    expect(page.locator(".hints")).to_be_hidden()


def test_selected_words_become_the_claim_but_never_overwrite_ones_own(open_as, queue, rita):
    queue("Read this: the town well is poisoned.")
    page = open_as(rita)
    take(page)
    words = page.locator(".item-text .post-text")
    words.dblclick(position={"x": 30, "y": 10})
    expect(claim_field(page)).to_have_value(re.compile("Read|this"))
    claim_field(page).fill("My own words.")
    words.dblclick(position={"x": 120, "y": 10})
    page.wait_for_timeout(100)

    expect(claim_field(page)).to_have_value("My own words.")
    assert page.locator("#id_fragment").input_value() != ""


def test_a_field_made_taller_by_hand_breaks_no_policy_at_the_next_swap(open_as, queue, rita, faults):
    queue("One story.", "Two stories.")
    page = open_as(rita)
    take(page)
    box = page.get_by_label("Explanation").bounding_box()
    corner = box["x"] + box["width"] - 4, box["y"] + box["height"] - 4
    page.mouse.move(*corner)
    page.mouse.down()
    page.mouse.move(corner[0], corner[1] + 60, steps=4)
    page.mouse.up()
    assert "height" in page.get_by_label("Explanation").get_attribute("style")

    page.keyboard.press("Escape")
    page.keyboard.press("s")
    page.keyboard.press("3")

    expect(page.locator("#item-title")).to_contain_text("Two stories.")
    assert faults == []


def test_media_are_covered_until_asked(open_as, queue, rita):
    kept = media.keep(PIXEL, suffix=".png")
    queue("A picture.", media=[{**kept, "alt": "A flooded street"}])
    page = open_as(rita)
    take(page)
    picture = page.locator(".media-frame img")
    expect(picture).to_have_css("filter", re.compile("blur.*grayscale"))

    page.keyboard.press("b")
    expect(picture).to_have_css("filter", "grayscale(1)")
    page.keyboard.press("v")
    expect(picture).to_have_css("filter", "none")
    page.reload()
    expect(picture).to_have_css("filter", re.compile("blur.*grayscale"))


def test_axe_finds_nothing(open_as, queue, rita, partner, axe, work):
    first, _ = queue(
        "The town well is poisoned \u202eand nobody tells you.",
        "بئر المدينة مسموم",
        links=["https://раypal.example/x"],
    )
    p.flag(first, clock=timezone.now, reason=FlagReason.VIOLENCE, note="They mean it.")
    now = timezone.now()
    posts.record_reach(
        [Reach(first.pk, now - timedelta(minutes=m), 4000 - m * 100) for m in (30, 20, 10)],
        caller=SYSTEM,
        now=now,
    )
    work()
    other = f.reviewer(f.partner(clock=timezone.now), clock=timezone.now)
    rated = f.rate(
        p.post("Old story.", clock=timezone.now, actor="page-9"), by=other, clock=timezone.now,
        claim="The town well is poisoned by somebody",
    )  # fmt: skip
    work()
    page = open_as(rita)
    page.goto("/triage/")
    axe(page)
    page.keyboard.press("c")
    expect(page.locator("#item-title")).to_be_focused()
    page.keyboard.press("1")
    page.keyboard.press("n")
    expect(page.locator(".form-errors")).to_be_visible()
    axe(page)
    page.keyboard.press("e")
    expect(page.locator("#escalate")).to_be_visible()
    # What lies under the backdrop cannot be read or used: the dialog alone is judged.
    assert Axe().run(page, context="#escalate").response["violations"] == []
    page.keyboard.press("Escape")
    for address in (
        reverse("factcheck:work"),
        "/claims/",
        reverse("factcheck:claims_one", args=[rated.claim_id]),
        "/posts/pick/?q=story",
        "/triage/?view=aside",
    ):
        page.goto(address)
        axe(page)
    mine = f.rate(
        p.post("Mine.", clock=timezone.now, actor="page-8"), by=rita, clock=timezone.now, claim="It is."
    )
    page.goto(reverse("factcheck:ratings_revise", args=[mine.pk]))
    axe(page)


def test_an_opened_item_is_taken_and_the_outlook_follows_the_verdict(open_as, queue, rita, partner):
    queue("The town well is poisoned.")
    page = open_as(rita)
    page.goto("/triage/")
    page.locator("[data-row]").first.click()
    expect(page.locator("#item-title")).to_be_focused()
    page.keyboard.press("c")
    expect(page.locator("#verdict-false")).to_be_enabled()

    page.keyboard.press("1")
    expect(page.locator("#outlook")).to_contain_text("20% of the feed left")
    page.keyboard.press("3")
    expect(page.locator("#outlook")).to_contain_text("50% of the feed left")
    page.keyboard.press("7")
    expect(page.get_by_label("Why it is not eligible")).to_be_visible()
    expect(page.get_by_label("Headline")).to_be_hidden()

    page.keyboard.press("1")
    page.get_by_label(re.compile("^Article")).fill("https://elsewhere.example/x")
    expect(page.get_by_text("The article must be on your own domain")).to_be_visible()
    page.get_by_label(re.compile("^Article")).fill(f"https://{partner.domains[0]}/x")
    expect(page.get_by_text("On your domain.")).to_be_visible()


def test_a_claim_that_sounds_alike_is_confirmed_with_one_key(open_as, queue, rita, work):
    now = timezone.now
    f.rate(
        p.post("Old.", clock=now, actor="page-9"),
        by=rita,
        clock=now,
        claim="The town well was poisoned last week",
    )
    (post,) = queue("Our town well was poisoned last week, pass it on before they delete it")
    page = open_as(rita)
    take(page)
    expect(page.get_by_text("6 of 7 words the same")).to_be_visible()

    page.keyboard.press("m")

    expect(page.locator("#toasts")).to_contain_text("Matched")
    work()
    assert p.feed_of(post, clock=now) == 0.2
