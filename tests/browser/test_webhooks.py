"""Webhooks in a browser: made, tested, sent again, and pages that anybody can use."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from moderation.models import WebhookDelivery
from moderation.services import deliveries
from tests.factories import platform as p
from tests.factories.receivers import Answer, deliver, endpoint, receiving

pytestmark = pytest.mark.django_db(transaction=True)
now = timezone.now


@pytest.fixture
def adam():
    return p.administrator(clock=now)


def test_a_webhook_is_made_tested_and_sent_again(open_as, adam, settings):
    settings.WEBHOOK_HOSTS_ALLOWED = frozenset({"127.0.0.1"})
    with receiving() as make:
        hook = make()
        hook.answers = [Answer(503)]
        page = open_as(adam)
        page.goto("/webhooks/")
        page.get_by_label("Name").fill("Ranking")
        page.get_by_label("Address").fill(hook.url)
        page.get_by_label("A post was removed").check()
        page.get_by_role("button", name="Make the webhook").click()
        secret = page.get_by_label("Ranking").input_value()
        assert secret.startswith("whsec_")

        page.get_by_role("link", name="Send it a test").click()
        page.get_by_role("button", name="Send a test").click()
        expect(page.get_by_text("Waiting").first).to_be_visible()
        deliver(now)
        page.reload()
        expect(page.get_by_text("503")).to_be_visible()
        WebhookDelivery.objects.update(next_at=None, dead_at=now())
        page.get_by_role("link", name="Given up").click()
        page.get_by_role("button", name="Send again").click()
        deliver(now)
        page.reload()

        expect(page.locator(".chip", has_text="Delivered")).to_be_visible()
        assert len(hook.got) == 2 and all(got.is_signed_with(secret) for got in hook.got)


def test_axe_finds_nothing_on_the_webhook_pages_and_none_scrolls_sideways(open_as, adam, axe):
    made, _ = endpoint("https://hooks.example/" + "x" * 300, clock=now, by=adam)
    for _ in range(2):
        p.removed(p.post(clock=now), clock=now)
    p.settle(now)
    deliveries.turn(now=now())
    failed = WebhookDelivery.objects.order_by("id").values("pk")[:1]
    WebhookDelivery.objects.filter(pk__in=failed).update(
        next_at=None,
        dead_at=now(),
        attempts=10,
        last_at=now(),
        last_error="The name hooks.example is not known.",
    )
    page = open_as(adam)
    for address in ("/webhooks/", f"/webhooks/{made.pk}/"):
        page.goto(address)
        axe(page)
        for width in (320, 390, 1440):
            page.set_viewport_size({"width": width, "height": 844})
            fits = page.evaluate(
                "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            )
            assert fits, f"{address} at {width}"
        page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("button", name="Remove…").click()
    expect(page.get_by_role("dialog", name="Remove this webhook?")).to_be_visible()
    axe(page)
