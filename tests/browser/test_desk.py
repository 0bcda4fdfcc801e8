"""The policy desk in a real browser: two people remove, with and without scripts, by hand and by keyboard."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from moderation.caller import SYSTEM
from moderation.enums import FlagReason, Ground
from moderation.models import Decision, Escalation
from moderation.services import escalations, media, posts
from moderation.services.escalations import CaseRef
from moderation.services.posts import Reach
from tests.factories import platform as p
from tests.factories.desk import opened, page_of, proposed

pytestmark = pytest.mark.django_db(transaction=True)
clock = timezone.now
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301010018dd8db0"
    "0000000049454e44ae426082"
)
LONG = "Meet at the old market at nine and bring what you have. They must not get home tonight. " * 40
ARABIC = "عاجل: السلطات تقرر قطع الإنترنت في كل المدن ابتداءً من منتصف الليل. انشر قبل الحذف!"


@pytest.fixture
def paula():
    return p.specialist(clock=clock)


@pytest.fixture
def piet():
    return p.specialist(clock=clock)


@pytest.fixture
def case(paula, work):
    """A case with a picture, flags, reach and an edit."""
    picture = {**media.keep(PIXEL, suffix=".png"), "alt": "A crowd at a market"}
    post = p.post(
        "Meet at the old market at nine and bring what you have.",
        clock=clock,
        media=[picture],
        regions=["ET"],
    )
    posts.record_reach([Reach(post.pk, clock(), views=12_400, shares=31)], caller=SYSTEM, now=clock())
    p.flag(post, clock=clock, reason=FlagReason.VIOLENCE, note="He has done it before.")
    p.flag(post, clock=clock, reason=FlagReason.HATE)
    work()
    return opened(post, by=paula, clock=clock, regions=["ET"])


def propose(page, *, regions="ET, LK"):
    page.get_by_label("Propose removal").check(force=True)
    page.get_by_label("Some regions").check()
    page.get_by_role("textbox", name="Regions").fill(regions)
    page.get_by_label("Policy section").fill("Violence 1.2")
    page.get_by_label("Words to the author").fill(
        "Your post names a place and an hour and calls for an attack."
    )
    page.get_by_role("button", name="Continue").click()


def test_two_specialists_remove_a_post_and_it_is_gone(open_as, case, paula, piet, work, axe):
    first = open_as(paula)
    first.goto(reverse("desk"))
    axe(first)
    first.get_by_role("link", name="Open the first").click()
    axe(first)
    propose(first)
    dialog = first.get_by_role("dialog")
    expect(dialog).to_contain_text("Nothing changes yet: another specialist must confirm.")
    expect(dialog).to_contain_text("Ethiopia (ET) and Sri Lanka (LK)")
    axe(first)
    dialog.get_by_role("button", name="Propose removal").click()
    expect(first.get_by_text("Another specialist must confirm: you proposed this.")).to_be_visible()
    expect(first.get_by_role("button", name="Turn the second key")).to_be_disabled()
    axe(first)

    second = open_as(piet)
    second.goto(reverse("desk_keys"))
    second.get_by_role("link", name="Your key is needed").click()
    axe(second)
    second.get_by_role("button", name="Turn the second key").click()
    second.get_by_role("dialog").get_by_role("button", name="Confirm the removal").click()
    expect(second.get_by_text("Removed in Ethiopia (ET) and Sri Lanka (LK).")).to_be_visible()
    axe(second)

    work()
    post = Escalation.objects.get().post
    assert p.lookup(post, clock=clock, region="LK")["removed"]
    assert not p.lookup(post, clock=clock, region="FR")["removed"]


def test_cancelling_the_question_changes_nothing_and_keeps_the_form(open_as, case, paula):
    page = open_as(paula)
    page.goto(page_of(case))
    propose(page)
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()

    expect(page.get_by_label("Policy section")).to_have_value("Violence 1.2")
    propose(page, regions="Atlantis")
    expect(page.get_by_text("“Atlantis” is no ISO code").first).to_be_visible()
    expect(page.get_by_label("Words to the author")).to_have_value(
        "Your post names a place and an hour and calls for an attack."
    )
    propose(page, regions="LK")
    page.keyboard.press("Escape")

    assert Escalation.objects.get().version == 1


def test_only_what_the_chosen_act_takes_is_asked(open_as, case, paula):
    page = open_as(paula)
    page.goto(page_of(case))
    expect(page.get_by_label("Words to the author")).to_be_hidden()

    page.get_by_label("Keep").check(force=True)
    expect(page.get_by_label("Words to the author")).to_be_visible()
    expect(page.get_by_label("Policy section")).to_be_hidden()
    page.get_by_label("Restrict for 7 days").check(force=True)
    expect(page.get_by_label("Policy section")).to_be_visible()
    expect(page.locator("#id_ground")).to_be_hidden()
    page.get_by_label("Propose removal").check(force=True)
    expect(page.locator("#id_ground")).to_be_visible()


def test_without_scripts_the_whole_way_works(open_as, case, paula, piet, work):
    first = open_as(paula, java_script_enabled=False)
    first.goto(page_of(case))
    propose(first)
    expect(first.get_by_role("heading", level=1)).to_contain_text("Propose to remove it in")
    first.get_by_role("button", name="Change something").click()
    expect(first.get_by_label("Policy section")).to_have_value("Violence 1.2")
    first.get_by_role("button", name="Continue").click()
    first.get_by_role("button", name="Propose removal").click()
    expect(first.get_by_text("Waits for the second key")).to_be_visible()

    second = open_as(piet, java_script_enabled=False)
    second.goto(page_of(case))
    second.get_by_role("button", name="Turn the second key").click()
    second.get_by_role("button", name="Confirm the removal").click()

    assert Escalation.objects.get().status == "removed"


def test_the_slower_of_two_sees_what_happened_and_keeps_the_words(open_as, case, paula, piet):
    slow, fast = open_as(paula), open_as(piet)
    for page in (slow, fast):
        page.goto(page_of(case))
    propose(slow)
    fast.get_by_label("Keep").check(force=True)
    fast.get_by_label("Words to the author").fill("A report of the trial.")
    fast.get_by_role("button", name="Continue").click()
    fast.get_by_role("dialog").get_by_role("button", name="Keep").click()
    expect(fast.get_by_text("This case is decided.")).to_be_visible()

    slow.get_by_role("dialog").get_by_role("button", name="Propose removal").click()

    expect(slow.get_by_role("alert")).to_contain_text("The case changed since you read it.")
    expect(slow.get_by_role("alert")).to_contain_text("Your post names a place and an hour")
    assert Decision.objects.filter(kind="removal").count() == 0


def test_the_cases_are_walked_by_keyboard_and_media_revealed_by_a_key(open_as, case, paula):
    other = opened(p.post("A list of houses.", clock=clock), by=paula, clock=clock, ground=Ground.HATE)
    page = open_as(paula)
    page.goto(page_of(case))
    picture = page.get_by_role("img", name="A crowd at a market")
    assert "blur" in picture.evaluate("e => getComputedStyle(e).filter")

    page.keyboard.press("b")
    assert "blur" not in picture.evaluate("e => getComputedStyle(e).filter")
    page.keyboard.press("j")
    page.keyboard.press("Enter")

    page.wait_for_url(f"**{page_of(other)}*")
    page.keyboard.press("g")
    page.keyboard.press("f")
    page.wait_for_url("**/feed/")


@pytest.mark.parametrize("width", [320, 390, 1440])
def test_long_words_from_right_to_left_break_nothing(open_as, paula, piet, work, axe, shoot, width):
    long = opened(p.post(LONG, clock=clock, actor="x" * 90), by=paula, clock=clock, note="Y" * 600)
    arabic = opened(p.post(ARABIC, clock=clock, language="ar"), by=paula, clock=clock, ground=Ground.HATE)
    escalations.hide(CaseRef(arabic.pk, 1), explanation=ARABIC, caller=paula, now=clock())
    proposed(arabic, by=paula, clock=clock)
    work()
    page = open_as(piet)
    page.set_viewport_size({"width": width, "height": 844})

    for name, address in (("long", page_of(long)), ("arabic", page_of(arabic)), ("list", reverse("desk"))):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        axe(page)
        if width == 1440:
            shoot(page, f"desk-{name}")
    if width < 768:
        page.goto(page_of(arabic))
        page.get_by_role("link", name="Decision").click()
        expect(page.get_by_role("button", name="Turn the second key")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        axe(page)


def test_an_empty_desk_is_a_page_too(open_as, paula, axe, shoot):
    page = open_as(paula)
    page.goto(reverse("desk"))

    expect(page.get_by_text("Nothing to decide")).to_be_visible()
    axe(page)
    shoot(page, "desk-empty")
