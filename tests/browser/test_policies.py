"""Policies in a browser: an administrator changes a rule and tries it, another one approves it."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from tests.factories import platform as p
from tests.factories.policies import approved, changed, no_versions_kept, proposed, v1

pytestmark = pytest.mark.django_db(transaction=True)

now = timezone.now


@pytest.fixture(autouse=True)
def _versions():
    with no_versions_kept():
        yield


@pytest.fixture
def ada():
    return p.administrator(clock=now)


@pytest.fixture
def ben():
    return p.administrator(clock=now)


def test_a_rule_is_changed_tried_proposed_approved_and_taken_back(open_as, ada, ben):
    post = p.post(clock=now)
    p.rated(post, clock=now)
    p.settle(now)
    page = open_as(ada)
    page.goto("/policies/")
    page.get_by_role("button", name="Draft a change").click()
    page.locator("summary", has_text="Warn before sharing").first.click()
    page.get_by_label("Feed").first.fill("35")
    page.get_by_label("Why").fill("Corrections need readers.")
    page.get_by_role("button", name="Save the draft").click()
    expect(page.locator(".policy-changes").first).to_contain_text("False · Feed")

    page.get_by_role("button", name="Try it on all posts").click()
    expect(page.get_by_role("progressbar", name="Posts tried")).to_be_visible()
    p.settle(now)
    expect(page.locator("#dry-run")).to_contain_text("1 post changes")  # by itself
    page.get_by_role("button", name="Propose it").click()
    expect(page.get_by_text("Another administrator must judge")).to_be_visible()

    judge = open_as(ben)
    judge.goto("/policies/")
    judge.get_by_role("link", name=re.compile("1 change")).click()
    judge.get_by_role("button", name="Approve…").click()
    judge.get_by_role("button", name="Approve it").click()
    expect(judge.get_by_role("heading", name="Version 2")).to_be_visible()
    p.settle(now)
    assert p.feed_of(post, clock=now) == 0.35

    judge.goto("/policies/1/")
    judge.get_by_role("button", name="Draft a return to this version").click()
    expect(judge.locator(".policy-changes").first).to_contain_text("20\u00a0%")


def test_axe_finds_nothing_on_the_policy_pages_and_none_scrolls_sideways(open_as, ada, ben, axe):
    approved({"verdicts.false.multiplier.feed": 3000, "cool_off_days": 10}, by=(ada, ben), clock=now)
    rule = {k: v for k, v in v1()["verdicts"]["false"].items() if k not in ("strike", "article", "flag")}
    data = changed({"desk.hide_hours": 23}) | {"countries": {"US": {"false": rule}}}
    waiting = proposed({}, by=ada, clock=now, data=data)
    page = open_as(ben)
    page.goto("/policies/")
    page.get_by_role("button", name="Draft a change").click()
    editor = page.url
    for address in ("/policies/", "/policies/2/", f"/policies/drafts/{waiting.pk}/", editor):
        page.goto(address)
        if address == editor:
            page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        axe(page)
        for width in (320, 390, 1440):
            page.set_viewport_size({"width": width, "height": 844})
            fits = page.evaluate(
                "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            )
            assert fits, f"{address} at {width}"
        page.set_viewport_size({"width": 1440, "height": 900})
