"""Keys and clicks while an answer is on its way, and media that are shown step by step."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from moderation.services import media
from tests.browser.triage_fixtures import fill, open_items, take
from tests.factories import platform as p

pytestmark = pytest.mark.django_db(transaction=True)
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301010018dd8db0"
    "0000000049454e44ae426082"
)


def slowly(page, pattern):
    """Let requests to these addresses wait for `answer()`."""
    held = []
    page.route(re.compile(pattern), lambda route: held.append(route))

    def answer():
        for route in held:
            route.continue_()
        page.unroute_all()

    return answer


def test_a_key_that_waited_never_acts_on_another_item_and_is_told(open_as, queue, rita, partner):
    queue("The town well is poisoned.", "Goats sit in parliament.")
    page = open_as(rita)
    take(page)
    page.keyboard.press("1")
    fill(page, partner)
    answer = slowly(page, r"/triage/[^/]+/(\?|$)")

    page.keyboard.press("n")
    expect(page.locator("#triage")).to_have_attribute("data-busy", "")
    page.keyboard.press("s")
    page.keyboard.press("3")
    answer()

    expect(page.locator("#item-title")).to_contain_text("Goats sit in parliament.")
    expect(page.locator("#toasts")).to_contain_text("Not used: s, 3. Another item is open now.")
    expect(page.locator("#triage")).not_to_have_attribute("data-busy", "")
    expect(page.locator("dialog#skip")).to_be_hidden()
    expect(page.locator("input[name=verdict]:checked")).to_have_count(0)


def test_a_key_that_waited_is_used_when_the_same_item_is_still_open(open_as, queue, rita):
    queue("The town well is poisoned.")
    page = open_as(rita)
    page.goto("/triage/")
    page.locator("[data-row]").first.click()
    expect(page.locator("#item-title")).to_contain_text("The town well is poisoned.")
    answer = slowly(page, r"/take/")

    page.keyboard.press("c")
    expect(page.locator("#triage")).to_have_attribute("data-busy", "")
    page.keyboard.press("2")
    answer()

    expect(page.locator("#verdict-altered")).to_be_checked()


def test_a_second_click_while_an_answer_is_on_its_way_takes_nothing_more(open_as, queue, rita):
    queue("The town well is poisoned.", "Goats sit in parliament.")
    page = open_as(rita)
    page.goto("/triage/")
    answer = slowly(page, r"/triage/next/")
    take_next = page.get_by_role("button", name="Take next")

    take_next.click()
    page.get_by_role("button", name=re.compile("^Next")).click()
    answer()

    expect(page.locator("#item-title")).to_contain_text("The town well is poisoned.")
    page.wait_for_load_state("networkidle")
    assert open_items().filter(holder__isnull=False).count() == 1

    page.get_by_role("button", name=re.compile("^Next")).click()
    expect(page.locator("#item-title")).to_contain_text("Goats sit in parliament.")
    page.get_by_role("button", name="Put back").click()
    expect(page.get_by_text("Put back. What you typed is kept for you.")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Next")).click()
    expect(page.locator("#item-title")).to_contain_text("Goats sit in parliament.")


def test_media_are_shown_step_by_step_and_covered_again_on_leaving(open_as, rita, work):
    kept = media.keep(PIXEL, suffix=".png")
    post = p.post("See this.", clock=timezone.now, media=[{**kept, "alt": "A crowd"}])
    p.flag(post, clock=timezone.now)
    work()
    page = open_as(rita)
    take(page)
    shown = page.locator("figure.media .media-frame img")
    filters = lambda: shown.evaluate("(image) => getComputedStyle(image).filter")  # noqa: E731

    assert "blur" in filters() and "grayscale(1)" in filters()
    page.keyboard.press("b")
    assert filters() == "grayscale(1)"
    page.keyboard.press("v")
    assert filters() == "none"
    page.keyboard.press("v")
    expect(page.locator("#item-media-blurred")).to_be_checked()
    assert "blur" in filters()
    page.keyboard.press("v")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")
    assert "blur" in filters()
