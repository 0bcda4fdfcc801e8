"""A queue with something in it, a reviewer before it, and what a reviewer's hands do."""

import re

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from moderation.enums import FlagReason
from moderation.models import ReviewItem
from tests.factories import platform as p
from tests.factories import programme as f


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


def take(page):
    """Take the next item by its key, and wait until it is there."""
    page.goto("/triage/")
    page.keyboard.press("c")
    expect(page.locator("#item-title")).to_be_focused()
    expect(page.locator("#verdict-false")).to_be_enabled()


def claim_field(page):
    return page.get_by_role("textbox", name=re.compile("^Claim"))


def fill(page, partner, *, headline="No, the well is not poisoned"):
    """Type the form, as a reviewer does who never touches the mouse."""
    claim_field(page).fill("The well is poisoned.")
    page.get_by_label("Headline").fill(headline)
    page.get_by_label("Explanation").fill("The laboratory published its results on Monday.")
    page.get_by_label(re.compile("^Article")).fill(f"https://{partner.domains[0]}/checks/well")
    page.keyboard.press("Escape")
