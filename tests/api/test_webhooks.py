"""Webhooks by the API: as an administrator's program would manage them."""

import pytest
from django.utils import timezone

from moderation.models import WebhookEndpoint
from tests.api.clients import as_person
from tests.factories import platform as p
from tests.factories.receivers import deliver, receiving

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(clock):
    return as_person(p.administrator(clock=clock))


def made(api, url="https://hooks.example/in", **more):
    body = {"name": "Ranking", "url": url, "events": ["post.removed"], **more}
    answer = api.post("/webhooks", body)
    assert answer.status_code == 201, answer.content
    return answer.json()


def test_the_secret_is_shown_once(api):
    first = made(api)

    assert first["secret"].startswith("whsec_")
    read = api.get(f"/webhooks/{first['id']}").json()
    listed = api.get("/webhooks").json()["results"]
    assert "secret" not in read and "secret" not in listed[0]
    assert read | {"secret": first["secret"]} == first


def test_a_rotated_secret_is_another_one_and_says_until_when_the_old_one_signs(api):
    first = made(api)

    again = api.post(f"/webhooks/{first['id']}/rotate", {"overlap_hours": 2}).json()
    at_once = api.post(f"/webhooks/{first['id']}/rotate", {"overlap_hours": 0}).json()

    assert len({first["secret"], again["secret"], at_once["secret"]}) == 3
    assert again["old_secret_until"] and at_once["old_secret_until"] is None
    assert api.post(f"/webhooks/{first['id']}/rotate", {"overlap_hours": 169}).status_code == 400


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("url", "https://169.254.169.254/latest/meta-data"), ("url", "https://[::ffff:10.0.0.1]/"),
        ("url", "https://2130706433/"), ("url", "http://hooks.example/"), ("url", "https://hooks.example:22/"),
        ("url", "https://a:b@hooks.example/"), ("url", "gopher://hooks.example/"),
        ("events", []), ("events", ["post.exploded"]), ("events", ["webhook.ping"]),
        ("organisation", "01900000-0000-7000-8000-000000000000"), ("name", ""),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_with_its_field_and_nothing_is_kept(api, field, value):
    body = {"name": "A", "url": "https://hooks.example/", "events": ["post.removed"], field: value}

    answer = api.post("/webhooks", body)

    assert answer.status_code in (400, 422), answer.content
    assert any(name.startswith(field) for name in answer.json()["errors"]) or field == "events"
    assert not WebhookEndpoint.objects.exists()


def test_a_test_a_failure_and_a_resend_are_seen_in_the_deliveries(settings):
    api = as_person(p.administrator(clock=timezone.now))
    settings.WEBHOOK_HOSTS_ALLOWED = frozenset({"127.0.0.1"})
    with receiving() as make:
        hook = make()
        hook.usual.status = 410
        at = f"/webhooks/{made(api, hook.url)['id']}"
        assert api.post(f"{at}/test", {}).status_code == 202
        deliver(timezone.now)
        (dead,) = api.get(f"{at}/deliveries?state=dead").json()["results"]
        assert (dead["type"], dead["last_status"], dead["attempts"]) == ("webhook.ping", 410, 1)
        webhook = api.get(at).json()
        assert (webhook["disabled_reason"], webhook["dead"]) == ("gone", 1)
        assert api.post(f"/deliveries/{dead['id']}/resend", {}).status_code == 409

        hook.usual.status = 204
        assert api.post(f"{at}/enable", {}).json()["disabled_at"] is None
        assert api.post(f"{at}/enable", {}).status_code == 409
        assert api.post(f"/deliveries/{dead['id']}/resend", {}).json()["state"] == "waiting"
        deliver(timezone.now)

        (done,) = api.get(f"{at}/deliveries").json()["results"]
        assert (done["state"], done["last_status"]) == ("delivered", 204)
        assert [got.id for got in hook.got] == [dead["event"]] * 2
        assert api.delete(at).status_code == 200
        assert api.get(at).status_code == api.get(f"{at}/deliveries").status_code == 404
        assert api.post(f"/deliveries/{dead['id']}/resend", {}).status_code == 404
