"""The page that shows the API: readable by everybody, to be tried by whoever is signed in."""

import pytest
from playwright.sync_api import expect

from tests.factories import platform as p
from tests.factories.platform import Clock

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def clock():
    from django.utils import timezone

    now = Clock()
    now.now = timezone.now()
    return now


def test_anybody_reads_every_operation_under_the_strict_policy(open_as):
    page = open_as()

    page.goto("/api/v1/docs/")

    expect(page.locator(".info .title")).to_contain_text("Veracity")
    expect(page.locator("#operations-queue-post_take_next")).to_be_visible()
    page.locator("#operations-flags-post_flags .opblock-summary-control").click()
    expect(page.locator("#operations-flags-post_flags")).to_contain_text("false_information")


def test_somebody_signed_in_tries_a_read_and_a_write(open_as, clock):
    page = open_as(p.member(clock=clock))
    post = p.post(clock=clock)
    page.goto("/api/v1/docs/")

    reading = page.locator("#operations-flags-get_flags")
    reading.locator(".opblock-summary-control").click()
    reading.get_by_role("button", name="Try it out").click()
    reading.get_by_role("button", name="Execute").click()
    expect(reading.locator(".live-responses-table tbody .response-col_status").first).to_contain_text("200")

    writing = page.locator("#operations-flags-post_flags")
    writing.locator(".opblock-summary-control").click()
    writing.get_by_role("button", name="Try it out").click()
    writing.locator("textarea.body-param__text").fill(f'{{"post": "{post.pk}", "reason": "scam"}}')
    writing.get_by_role("button", name="Execute").click()
    expect(writing.locator(".live-responses-table tbody .response-col_status").first).to_contain_text("201")
