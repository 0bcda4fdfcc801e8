"""Webhooks on the page: an administrator makes, tests, rotates and removes; an auditor reads."""

import re

import pytest
from django.urls import reverse

from moderation.models import WebhookDelivery, WebhookEndpoint
from moderation.services import deliveries
from tests.factories import platform as p
from tests.factories.receivers import Answer, deliver, endpoint, receiving
from tests.factories.visitors import visit

pytestmark = pytest.mark.django_db
FORM = {
    "name": "Ranking",
    "url": "https://hooks.example/in",
    "event_types": ["post.removed", "post.restored"],
}


@pytest.fixture
def adam(wall):
    return p.administrator(clock=wall)


def test_a_new_webhook_shows_its_secret_once_and_is_kept_by_nobody(adam):
    client = visit(adam)

    made = client.post(reverse("webhooks"), FORM)

    endpoint = WebhookEndpoint.objects.get()
    assert endpoint.secret in made.content.decode()
    assert made["Cache-Control"] == "no-store"
    assert endpoint.event_types == FORM["event_types"]
    for address in (reverse("webhooks"), reverse("webhooks-one", args=[endpoint.pk])):
        assert endpoint.secret not in client.get(address).content.decode()


@pytest.mark.parametrize("url", ["https://10.0.0.1/", "http://hooks.example/", "nonsense", "https://127.1/"])
def test_an_address_that_is_not_delivered_to_is_refused_on_its_field(adam, url):
    refused = visit(adam).post(reverse("webhooks"), FORM | {"url": url})

    assert refused.status_code == 422
    assert refused.context["form"].errors.keys() == {"url"}
    assert not WebhookEndpoint.objects.exists()


def test_a_secret_is_rotated_and_the_new_one_shown_once(wall, adam):
    made, old = endpoint("https://hooks.example/", clock=wall)
    client = visit(adam)

    answer = client.post(reverse("webhooks-rotate", args=[made.pk]), {"overlap": "24"})

    made.refresh_from_db()
    page = answer.content.decode()
    assert made.secret != old and made.secret in page and old not in page
    assert "The old one signs too until" in page
    assert answer["Cache-Control"] == "no-store"
    wrong = client.post(reverse("webhooks-rotate", args=[made.pk]), {"overlap": "900"})
    assert wrong.status_code == 422


def test_what_failed_is_listed_with_its_reason_and_sent_again(wall, adam, settings):
    settings.WEBHOOK_HOSTS_ALLOWED = frozenset({"127.0.0.1"})
    client = visit(adam)
    with receiving() as make:
        hook = make()
        hook.answers = [Answer(410, body=b"INSIDE"), Answer(200)]
        made, _ = endpoint(hook.url, clock=wall)
        at = reverse("webhooks-one", args=[made.pk])
        client.post(reverse("webhooks-test", args=[made.pk]))
        deliver(wall)
        page = client.get(at + "?state=dead").content.decode()
        assert "410" in page and "INSIDE" not in page and "it answered 410 Gone" in page
        assert "Send again" not in page  # it is off

        client.post(reverse("webhooks-on", args=[made.pk]))
        assert "Send again" in client.get(at).content.decode()
        client.post(reverse("webhooks-resend", args=[WebhookDelivery.objects.get().pk]))
        deliver(wall)

    assert "Delivered" in client.get(at).content.decode()
    assert len({got.id for got in hook.got}) == 1 and len(hook.got) == 2


def test_a_webhook_is_switched_off_and_removed_and_each_says_what_will_happen(wall, adam):
    made, _ = endpoint("https://hooks.example/", clock=wall)
    deliveries.ping(made.pk, caller=adam, now=wall())
    client = visit(adam)
    page = client.get(reverse("webhooks-one", args=[made.pk])).content.decode()
    assert len(re.findall("1 delivery waits", page)) == 2

    off = client.post(reverse("webhooks-off", args=[made.pk]), follow=True)
    assert "Switched off" in off.content.decode()
    gone = client.post(reverse("webhooks-remove", args=[made.pk]), follow=True)
    assert "No program is told of anything" in gone.content.decode()
    assert client.get(reverse("webhooks-one", args=[made.pk])).status_code == 404


def test_an_auditor_reads_and_finds_nothing_to_press(wall):
    made, secret = endpoint("https://hooks.example/", clock=wall)
    client = visit(p.auditor(clock=wall))

    pages = [client.get(reverse("webhooks")), client.get(reverse("webhooks-one", args=[made.pk]))]

    for page in pages:
        assert page.status_code == 200 and secret not in page.content.decode()
        assert "/webhooks/" not in "".join(re.findall(r'action="([^"]*)"', page.content.decode()))
    assert client.post(reverse("webhooks"), FORM).status_code == 403
    assert client.post(reverse("webhooks-rotate", args=[made.pk]), {"overlap": "0"}).status_code == 403
