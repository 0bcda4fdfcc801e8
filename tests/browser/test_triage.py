"""The reviewer's job in a real browser: by keyboard alone, live, and in every state that people meet."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from factcheck.models import Draft, Lease, Rating
from factcheck.services import leases, ratings
from moderation.enums import FlagReason
from moderation.models import Escalation, ReviewItem
from moderation.services import media, posts
from moderation.services.posts import Reach
from moderation.services.queue import ItemRef
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db(transaction=True)

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301010018dd8db0"
    "0000000049454e44ae426082"
)


@pytest.fixture
def partner():
    return f.partner(clock=timezone.now)


@pytest.fixture
def rita(partner):
    return f.reviewer(partner, clock=timezone.now)


@pytest.fixture
def queue(work):
    """`queue("text", "text")` flags posts; the first is the most urgent."""

    def filled(*texts, **fields):
        made = []
        for place, text in enumerate(texts):
            post = p.post(text, clock=timezone.now, actor=f"page-{place}", **fields)
            for _ in range(2 * (len(texts) - place)):
                p.flag(post, clock=timezone.now, reason=FlagReason.FALSE_INFORMATION)
            made.append(post)
        work()
        return made

    return filled


def open_items():
    return ReviewItem.objects.filter(status="open")


def focused(page):
    return page.evaluate("document.activeElement.id")


def take(page):
    """Take the next item by its key, and wait until it is there."""
    page.goto("/triage/")
    page.keyboard.press("c")
    expect(page.locator("#item-title")).to_be_focused()
    expect(page.locator(".lease[data-mine]")).to_be_visible()


def claim_field(page):
    return page.get_by_role("textbox", name=re.compile("^Claim"))


def fill(page, partner, *, headline="No, the well is not poisoned"):
    """Type the form, as a reviewer does who never touches the mouse."""
    claim_field(page).fill("The well is poisoned.")
    page.get_by_label("Headline").fill(headline)
    page.get_by_label("Explanation").fill("The laboratory published its results on Monday.")
    page.get_by_label(re.compile("^Article")).fill(f"https://{partner.domains[0]}/checks/well")
    page.keyboard.press("Escape")


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


def test_media_are_covered_until_asked(open_as, queue, rita):
    kept = media.keep(PIXEL, suffix=".png")
    queue("A picture.", media=[{**kept, "alt": "A flooded street"}])
    page = open_as(rita)
    take(page)
    picture = page.locator(".media-frame img")
    expect(picture).to_have_css("filter", re.compile("blur.*grayscale"))

    page.keyboard.press("b")
    expect(picture).to_have_css("filter", "none")
    page.reload()
    expect(picture).to_have_css("filter", re.compile("blur.*grayscale"))


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


def test_axe_finds_nothing(open_as, queue, rita, partner, axe, work):
    first, _ = queue(
        "The town well is poisoned \u202eand nobody tells you.",
        "بئر المدينة مسموم",
        links=["https://раypal.example/x"],
    )
    p.flag(first, clock=timezone.now, reason=FlagReason.VIOLENCE, note="They mean it.")
    now = timezone.now()
    posts.record_reach(
        [Reach(first.pk, now - p.timedelta(minutes=m), 4000 - m * 100) for m in (30, 20, 10)],
        caller=p.SYSTEM,
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
        "/work/",
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
