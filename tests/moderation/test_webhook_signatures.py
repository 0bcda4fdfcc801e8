"""Signatures over the bytes that are sent: verified by the library, by another implementation, during a rotation."""

import base64
import subprocess
import time
import uuid
from datetime import timedelta

import pytest
from django.utils import timezone
from standardwebhooks import Webhook, WebhookVerificationError

from moderation.enums import WebhookEventType
from moderation.services import announcements, webhooks
from moderation.services.announcements import News
from tests.factories import platform as p
from tests.factories.receivers import deliver, endpoint, removed_post

pytestmark = pytest.mark.django_db


def test_a_receiver_verifies_with_the_library_from_the_raw_bytes_and_refuses_what_was_touched(receiver):
    wall = timezone.now
    hook = receiver()
    _, secret = endpoint(hook.url, "actor.standing_changed", clock=wall)
    for number in (1, 2):
        post = p.post(f"Wörter {number} ‮ 1.0", clock=wall, actor="page-ünïcode")
        p.rated(post, clock=wall)
    p.settle(wall)
    deliver(wall)

    got = hook.got[-1]
    library = Webhook(secret)

    assert library.verify(got.body, dict(got.headers))["data"]["external_id"] == "page-ünïcode"
    assert "ünï".encode() in got.body
    for headers, body in (
        (dict(got.headers), got.body.replace(b"page", b"Page")),
        ({**got.headers, "webhook-timestamp": str(int(time.time()) + 1)}, got.body),
        ({**got.headers, "webhook-id": "another"}, got.body),
    ):
        with pytest.raises(WebhookVerificationError):
            library.verify(body, headers)


def test_another_implementation_verifies_the_raw_bytes_whatever_they_hold(clock, receiver):
    hook = receiver()
    _, secret = endpoint(hook.url, "post.removed", clock=clock)
    data = {
        "whole": 1.0,
        "none": {"deep": [None, {"x": None}]},
        "text": "ünï \u202e می\u200cروم </script>\\u0000",
    }
    announcements.tell([News(WebhookEventType.POST_REMOVED, uuid.UUID(int=7), 2**53 - 1, data)], now=clock())
    deliver(clock)
    (got,) = hook.got
    key = base64.b64decode(secret.removeprefix("whsec_")).hex()
    signed = f"{got.id}.{got.headers['webhook-timestamp']}.".encode() + got.body

    made = subprocess.run(
        ["openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt", f"hexkey:{key}", "-binary"],
        input=signed, capture_output=True, check=True,
    )  # fmt: skip

    assert got.headers["webhook-signature"] == "v1," + base64.b64encode(made.stdout).decode()
    assert got.told["data"] == {"id": str(uuid.UUID(int=7)), "version": 2**53 - 1, **data}


def test_a_rotated_secret_signs_beside_the_old_one_for_the_overlap_only(clock, receiver):
    hook = receiver()
    made, old = endpoint(hook.url, "post.removed", clock=clock)
    admin = p.administrator(clock=clock)
    _, new = webhooks.rotate(made.pk, overlap=timedelta(hours=2), caller=admin, now=clock())
    removed_post(clock)
    deliver(clock)
    assert hook.got[-1].is_signed_with(old) and hook.got[-1].is_signed_with(new)

    clock.advance(hours=2)
    removed_post(clock)
    deliver(clock)
    assert not hook.got[-1].is_signed_with(old) and hook.got[-1].is_signed_with(new)
    webhooks.forget_secrets(now=clock())
    made.refresh_from_db()
    assert (made.previous_secret, made.previous_until) == ("", None)

    _, newest = webhooks.rotate(made.pk, overlap=timedelta(0), caller=admin, now=clock())
    removed_post(clock)
    deliver(clock)
    assert not hook.got[-1].is_signed_with(new) and hook.got[-1].is_signed_with(newest)
