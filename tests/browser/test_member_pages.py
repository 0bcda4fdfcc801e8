"""Members in a browser: the flag journey by keyboard, the feed that moves, and pages anybody can use."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from moderation.caller import SYSTEM
from moderation.models import Flag, User
from moderation.services import notices, posts
from moderation.services.posts import ActorDraft, PostDraft, Reach
from tests.factories import platform as p

pytestmark = pytest.mark.django_db(transaction=True)

now = timezone.now
LONG = (
    "A very long word follows: " + "Donaudampfschifffahrtsgesellschaft" * 20 + ". " + "And it goes on. " * 400
)
ARABIC = "عاجل: السلطات تقرر قطع الإنترنت في كل المدن ابتداءً من منتصف الليل."
REVERSED = "\u202eReversed name\u2066"


@pytest.fixture
def mira():
    return p.member("Mira", clock=now)


@pytest.fixture
def world(mira, work):
    """Something of everything: plain, false, disputed, removed, Arabic, very long, and Mira's own."""
    made = {
        "plain": p.post("The footbridge is open again.", clock=now),
        "false": p.post("This is downtown right now after the dam failed.", clock=now, actor="daily-truth"),
        "arabic": p.post(ARABIC, clock=now, language="ar", actor="city-news"),
        "long": p.post(LONG, clock=now, actor="wordy"),
        "removed": p.post("Meet at nine, bring stones.", clock=now, actor="mob"),
    }
    own = PostDraft(
        external_id="own-1",
        actor=ActorDraft("account", "own", REVERSED, User.objects.get(pk=mira.person_id)),
        text="I saw it myself.",
        language="en",
        published_at=now(),
    )
    made["own"] = posts.upsert(own, caller=SYSTEM, now=now()).post
    posts.record_reach([Reach(made["false"].pk, now(), 90_000, 4_000)], caller=SYSTEM, now=now())
    p.rated(made["false"], "false", clock=now, headline="The picture shows a flood in 2011")
    p.rated(made["own"], "altered", clock=now)
    p.removed(made["removed"], clock=now)
    for name in ("false", "arabic", "removed"):
        p.flag(made[name], by=mira, clock=now)
    work()
    notices.deliver(now=now() + timedelta(days=1))
    return made


def fits(page: Page) -> bool:
    """Whether nothing makes the page scroll sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


PAGES = ["feed", "post:false", "post:own", "post:long", "post:removed", "flag:plain", "share:false", "flags",
         "flags-one", "notices", "standing", "settings"]  # fmt: skip


def address(name: str, world: dict) -> str:
    name, _, which = name.partition(":")
    if name == "flags-one":
        return reverse(name, args=[Flag.objects.earliest("pk").pk])
    return reverse(name, args=[world[which].pk] if which else [])


def test_axe_finds_nothing_on_any_member_page_and_none_scrolls_sideways(open_as, mira, world, axe):
    page = open_as(mira)
    for name in PAGES:
        page.goto(address(name, world))
        axe(page)
        for width in (320, 390, 1440, 2560):
            page.set_viewport_size({"width": width, "height": 844})
            assert fits(page), f"{name} at {width}"
        page.set_viewport_size({"width": 1440, "height": 900})


def test_empty_pages_say_what_to_do_next(open_as, axe):
    page = open_as(p.member(clock=now))
    for name, words in [
        ("feed", "Nothing was published"),
        ("flags", "You have not flagged anything yet"),
        ("notices", "No notices"),
        ("standing", "No page or account is linked to you"),
    ]:
        page.goto(reverse(name))
        expect(page.get_by_text(words)).to_be_visible()
        axe(page)


def test_a_post_is_flagged_by_keyboard_alone(open_as, mira, axe):
    post = p.post("The well is poisoned.", clock=now)
    page = open_as(mira)
    page.goto("/feed/")

    opener = page.get_by_role("link", name=re.compile("^Flag"))
    opener.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Flag this post")
    expect(dialog).to_be_visible()
    axe(page)
    dialog.get_by_role("radio", name="False information").focus()
    page.keyboard.press("ArrowDown")
    expect(dialog.get_by_role("radio", name="Altered photo")).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.type("jjj is not a shortcut here ?")
    expect(dialog.get_by_text("28 / 2,000")).to_be_visible()
    dialog.get_by_role("button", name="Send the flag").focus()
    page.keyboard.press("Enter")

    told = page.get_by_role("dialog", name="Thank you")
    expect(told.get_by_text("It waits for a reviewer.")).to_be_visible()
    expect(told.get_by_role("button", name="Done")).to_be_focused()
    axe(page)
    page.keyboard.press("Enter")
    expect(told).to_be_hidden()
    expect(page.get_by_text("You flagged this")).to_be_visible()
    flag = Flag.objects.get()
    assert (flag.reason, flag.note) == ("altered_media", "jjj is not a shortcut here ?")
    assert flag.post_version_id == post.current_version_id

    page.keyboard.press("g")
    page.keyboard.press("m")
    expect(page).to_have_url(re.compile("/flags/$"))
    expect(page.get_by_text("In review")).to_be_visible()


def test_leaving_the_flag_dialog_flags_nothing_and_gives_the_focus_back(open_as, mira):
    p.post("The well is poisoned.", clock=now)
    page = open_as(mira)
    page.goto("/feed/")
    opener = page.get_by_role("link", name=re.compile("^Flag"))
    opener.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")

    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(opener).to_be_focused()
    assert not Flag.objects.exists()


def test_two_impatient_clicks_send_one_flag(open_as, mira):
    p.post("The well is poisoned.", clock=now)
    page = open_as(mira)
    page.goto("/feed/")
    page.get_by_role("link", name=re.compile("^Flag")).click()
    page.get_by_role("radio", name="Scam or fraud").check()
    page.get_by_role("button", name="Send the flag").dblclick()

    expect(page.get_by_role("dialog").get_by_text("In review")).to_be_visible()
    assert Flag.objects.count() == 1


def test_a_refused_flag_keeps_what_was_typed(open_as, mira):
    p.post("The well is poisoned.", clock=now)
    page = open_as(mira)
    page.goto("/feed/")
    page.get_by_role("link", name=re.compile("^Flag")).click()
    page.get_by_role("radio", name="Something else").check()
    page.get_by_label("Note for the reviewer").fill("   ")
    page.get_by_role("button", name="Send the flag").click()

    expect(page.get_by_role("dialog").get_by_text("Say in a few words what is wrong.").first).to_be_visible()
    expect(page.get_by_role("radio", name="Something else")).to_be_checked()


def test_the_whole_journey_works_without_javascript(open_as, mira, world):
    page = open_as(mira, java_script_enabled=False)
    page.goto("/feed/")
    cover = page.locator(".post", has_text="The picture shows a flood in 2011")
    assert not cover.get_by_text("after the dam failed").is_visible()
    cover.locator("summary", has_text="See post anyway").click()
    expect(cover.get_by_text("after the dam failed")).to_be_visible()

    page.locator(".post", has_text="footbridge").get_by_role("link", name=re.compile("^Flag")).click()
    page.get_by_role("radio", name="False information").check()
    page.get_by_role("button", name="Send the flag").click()
    expect(page.get_by_role("heading", name="My flag")).to_be_visible()
    page.get_by_text("Withdraw this flag").click()
    page.get_by_role("button", name="Withdraw the flag").click()
    expect(page.get_by_text("You took this flag back.")).to_be_visible()


def test_more_posts_arrive_while_scrolling_and_by_a_link_without_scripts(open_as, mira):
    for n in range(50):
        p.post(f"Post number {n}.", clock=now)
    page = open_as(mira)
    page.goto("/feed/")
    expect(page.locator(".post")).to_have_count(20)
    for count in (40, 50):
        page.mouse.wheel(0, 20_000)
        expect(page.locator(".post")).to_have_count(count)
    expect(page.get_by_text("That is all from the last two weeks.")).to_be_visible()

    plain = open_as(mira, java_script_enabled=False)
    plain.goto("/feed/")
    plain.get_by_role("link", name="Older").click()
    expect(plain.locator(".post")).to_have_count(20)


def test_the_language_filter_keeps_the_page_and_its_address(open_as, mira, world):
    page = open_as(mira)
    page.goto("/feed/")
    page.get_by_label("Language").select_option("ar")
    expect(page.locator(".post")).to_have_count(1)
    expect(page).to_have_url(re.compile("language=ar"))
    assert page.locator(".post bdi.post-text").evaluate("e => getComputedStyle(e).direction") == "rtl"
    page.reload()
    expect(page.locator(".post")).to_have_count(1)


def test_a_name_that_reverses_text_leaves_its_neighbours_alone(open_as, mira, world):
    page = open_as(mira)
    page.goto(address("post:own", world))
    kind = page.locator(".post .actor-meta").first
    name = page.locator(".post .actor-name bdi").first
    assert name.evaluate("e => getComputedStyle(e).unicodeBidi") == "isolate"
    assert kind.inner_text().strip().startswith("Account")
    left = kind.locator("span").first.bounding_box()["x"]
    assert left < kind.locator("span").nth(1).bounding_box()["x"]  # still from left to right


def test_the_page_of_a_right_to_left_reader_is_mirrored_and_fits(open_as, mira, world, axe, settings):
    settings.LANGUAGES = [("en", "English"), ("ar", "Arabic")]  # once its words are there
    page = open_as(mira, locale="ar")
    page.goto("/feed/")
    assert page.locator("html").get_attribute("dir") == "rtl"
    axe(page)
    assert fits(page)


def test_single_keys_rest_when_they_are_switched_off(open_as, mira):
    page = open_as(mira)
    page.goto("/settings/")
    page.get_by_role("switch", name="Keyboard shortcuts").uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Your settings are saved.")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("f")
    expect(page).to_have_url(re.compile("/settings/$"))


def test_pictures_for_the_eye(open_as, mira, world, shoot):
    page = open_as(mira)
    for name in ("feed", "post:false", "post:own", "flag:plain", "flags", "standing"):
        page.goto(address(name, world))
        assert all(path.stat().st_size > 5_000 for path in shoot(page, name.replace(":", "-")))
