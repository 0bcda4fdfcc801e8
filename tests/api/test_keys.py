"""Who asks: keys that hold, lapse and lose their power, and sessions that need a token."""

from datetime import timedelta

import pytest
from django.test import Client

from moderation.caller import SYSTEM
from moderation.enums import Role, Scope
from moderation.models import ApiClient
from moderation.services import api_clients, people
from tests.api.clients import Api, as_person, key
from tests.factories import platform as p

pytestmark = pytest.mark.django_db


def test_nobody_is_asked_who_they_are(nobody):
    answer = nobody.get("/flags?mine")

    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert answer.json()["code"] == "not_authenticated"


@pytest.mark.parametrize(
    "wrong", ["", "x", "vk_", "vk_abc", "vk_abc_def", "vk__", "é", "vk_\u202e_x", "a b c", "vk_" + "a" * 5000]
)
def test_a_key_that_is_none_is_refused_and_a_session_does_not_save_it(wrong, clock):
    api = as_person(p.member(clock=clock))
    assert api.get("/flags?mine").status_code == 200

    answer = api.get("/flags?mine", Authorization=f"Bearer {wrong}")

    assert answer.status_code == 401
    assert answer.json()["code"] == "authentication_failed"


def test_a_key_ends_by_time_by_revocation_and_with_its_person(clock):
    expires = clock() + timedelta(hours=1)
    client, secret = api_clients.create(
        name="Feed", scopes=[Scope.DISTRIBUTION_READ], caller=SYSTEM, now=clock(), expires_at=expires
    )
    paula = p.specialist(clock=clock)
    desk = Api(key=key(Scope.DESK_WORK, clock=clock, of=paula))
    feed = Api(key=secret)
    assert feed.get("/distribution/snapshot").status_code == 200
    assert desk.get("/escalations").status_code == 200

    admin = p.administrator(clock=clock)
    people.end_role(paula.person_id, Role.POLICY_SPECIALIST, caller=admin, now=clock())
    assert desk.get("/escalations").status_code == 401
    clock.advance(minutes=61)
    assert feed.get("/distribution/snapshot").status_code == 401
    ApiClient.objects.filter(pk=client.pk).update(expires_at=None)
    assert feed.get("/distribution/snapshot").status_code == 200
    api_clients.revoke(client.pk, caller=admin, now=clock())
    assert feed.get("/distribution/snapshot").status_code == 401


def test_a_deactivated_person_is_out_on_the_next_call_by_session_and_by_key(clock):
    mira = p.member(clock=clock)
    session, tool = as_person(mira), Api(key=key(Scope.FLAGS_WRITE, clock=clock, of=mira))
    assert session.get("/flags?mine").status_code == tool.get("/flags?mine").status_code == 200

    people.deactivate(mira.person_id, caller=p.administrator(clock=clock), now=clock())

    assert session.get("/flags?mine").status_code == tool.get("/flags?mine").status_code == 401


def test_a_session_writes_only_with_its_token(clock):
    api = as_person(p.member(clock=clock))
    post = p.post(clock=clock)
    body = {"post": str(post.pk), "reason": "scam"}

    without = api.post("/flags", body, X_CSRFToken="")

    assert without.status_code == 403
    assert "CSRF" in without.json()["detail"]
    assert api.post("/flags", body).status_code == 201


def test_a_key_is_never_kept_readable(clock):
    secret = key(Scope.FLAGS_WRITE, clock=clock)
    row = ApiClient.objects.get()

    assert secret.rpartition("_")[2] not in str(row.__dict__)
    assert row.last_used_at is None
    Api(key=secret).get("/flags?flagger=member/1")
    row.refresh_from_db()
    assert row.last_used_at == clock()


def test_the_schema_and_its_page_are_for_everybody():
    assert Client().get("/api/v1/schema/").status_code == 200
    assert Client().get("/api/v1/docs/").status_code == 200
