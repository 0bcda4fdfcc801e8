"""Programme switches in a browser: one administrator proposes, the figures appear, another turns the key and returns it."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from moderation.enums import SwitchKind
from moderation.services import switches as service
from tests.factories import platform as p
from tests.factories import programme as f
from tests.factories.switches import proposed, returned, switched_on

pytestmark = pytest.mark.django_db(transaction=True)

now = timezone.now


@pytest.fixture
def ada():
    return p.administrator(clock=now)


@pytest.fixture
def ben():
    return p.administrator(clock=now)


def test_effects_are_lifted_in_one_country_and_come_back(open_as, ada, ben):
    post = p.post(clock=now)
    p.rated(post, clock=now)
    p.settle(now)
    page = open_as(ada)
    page.goto("/switches/")
    expect(page.get_by_text("Nothing is switched")).to_be_visible()
    page.get_by_label("Lift effects").check()
    page.get_by_label("Country").select_option("US")
    page.get_by_label("Why").fill("The programme ends there.")
    page.get_by_role("button", name="Propose and try it").click()
    expect(page.get_by_role("progressbar", name="Posts tried")).to_be_visible()
    p.settle(now)
    expect(page.locator("#waiting")).to_contain_text("1 post changes")  # by itself

    judge = open_as(ben)
    judge.goto("/switches/")
    judge.get_by_role("button", name="Turn the second key…").click()
    expect(judge.get_by_role("dialog")).to_contain_text("1 post changes.")
    judge.get_by_role("button", name="Turn it on").click()
    expect(judge.locator("#on")).to_contain_text("readers in United States")
    p.settle(now)
    assert (p.feed_of(post, clock=now, region="US"), p.feed_of(post, clock=now)) == (1.0, 0.2)

    page.goto("/switches/")
    page.get_by_role("button", name="Return…").click()
    expect(page.get_by_role("dialog")).to_contain_text("Nobody is told twice.")
    page.get_by_role("button", name="Return it").click()
    expect(page.get_by_text("Nothing is switched")).to_be_visible()
    p.settle(now)
    assert p.feed_of(post, clock=now, region="US") == 0.2


def test_axe_finds_nothing_on_the_page_of_switches_and_it_never_scrolls_sideways(open_as, ada, ben, axe):
    partner = f.partner(clock=now, country="US")
    f.rate(p.post(clock=now), by=f.lead(partner, clock=now), clock=now)
    p.settle(now)
    returned(switched_on(SwitchKind.LIFT_EFFECTS, by=(ada, ben), clock=now), by=ben, clock=now)
    refused = proposed(SwitchKind.CLEAR_STRIKES, by=ada, clock=now, country="FR")
    service.refuse(refused.pk, version=refused.version, reason="Not now.", caller=ben, now=now())
    switched_on(SwitchKind.CLEAR_STRIKES, by=(ada, ben), clock=now, country="US", work=False)
    proposed(SwitchKind.STOP_RATINGS, by=ada, clock=now, organisation=partner.pk, outcome="false")
    proposed(SwitchKind.LIFT_EFFECTS, by=ada, clock=now, country="US", organisation=partner.pk)
    page = open_as(ben)
    page.goto("/switches/")
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    axe(page)
    for width in (320, 390, 1440):
        page.set_viewport_size({"width": width, "height": 844})
        fits = page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert fits, width
    page.get_by_role("button", name="Propose and try it").click()
    expect(page.locator(".errorlist, .field-error, [id$=_error]").first).to_be_visible()
    axe(page)
    page.get_by_role("button", name="Turn the second key…").first.click()
    axe(page)
