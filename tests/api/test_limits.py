"""How often somebody may ask is counted by who they are, and no header of theirs changes it (API-04)."""

import pytest
import redis

from moderation.enums import Scope
from moderation.http import limits
from moderation.redis_client import server
from tests.api.clients import Api, as_person, at_once, key, program
from tests.factories import platform as p

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _five_a_day(settings):
    settings.API_LIMITS = {who: {"read": "5/day", "write": "5/day"} for who in settings.API_LIMITS}


def statuses(api, number, path="/flags?mine", **headers):
    return [api.get(path, **{n: h(i) for n, h in headers.items()}).status_code for i in range(number)]


def coming_from(address, **who):
    api = Api(**who)
    api.client.defaults["REMOTE_ADDR"] = address
    return api


def test_a_person_and_a_key_have_limits_of_their_own_and_are_told_when_to_come_back(clock):
    mira = as_person(p.member(clock=clock))
    platform = program(clock=clock)

    assert statuses(mira, 6) == [200] * 5 + [429]
    refused = mira.get("/flags?mine")
    assert refused.json()["code"] == "too_many_requests"
    assert 1 <= int(refused.headers["Retry-After"]) <= 24 * 3600
    assert statuses(platform, 6, "/flags?flagger=m") == [200] * 5 + [429]
    assert as_person(p.member(clock=clock)).get("/flags?mine").status_code == 200


def test_reading_and_writing_are_counted_apart(clock):
    mira = as_person(p.member(clock=clock))
    body = {"post": str(p.post(clock=clock).pk), "reason": "scam"}

    assert statuses(mira, 6)[-1] == 429
    written = [mira.post("/flags", body).status_code for _ in range(6)]

    assert written == [201, 200, 200, 200, 200, 429]


@pytest.mark.parametrize(
    "header", ["X_Forwarded_For", "X_Real_IP", "Forwarded", "X_Client_IP", "X_Request_ID", "User_Agent"]
)
def test_no_header_of_the_client_steers_its_limit(clock, header):
    mira = as_person(p.member(clock=clock))

    assert statuses(mira, 6, **{header: lambda n: f"10.0.0.{n}-fresh"}) == [200] * 5 + [429]


def test_nobody_is_counted_by_the_address_of_the_connection(clock):
    nobody = coming_from("192.0.2.6")

    spoofing = statuses(nobody, 7, X_Forwarded_For=lambda n: f"10.0.0.{n}, 192.0.2.7")

    assert spoofing == [401] * 5 + [429] * 2
    # to be named by others blocks nobody
    assert coming_from("192.0.2.7").get("/flags?mine").status_code == 401


def test_wrong_keys_are_counted_by_the_address_too(clock):
    guesses = [coming_from("192.0.2.8", key=f"vk_{n:08x}_wrong") for n in range(7)]

    answers = [guess.get("/flags?mine").status_code for guess in guesses]

    assert answers == [401] * 5 + [429] * 2


@pytest.mark.parametrize(
    ("proxies", "forwarded", "counted"),
    [
        (0, "203.0.113.9", "198.51.100.1"),
        (1, "203.0.113.9", "203.0.113.9"),
        (1, "6.6.6.6, 203.0.113.9", "203.0.113.9"),
        (2, "6.6.6.6, 203.0.113.9, 10.0.0.1", "203.0.113.9"),
        (2, "203.0.113.9", "198.51.100.1"),
        (1, "", "198.51.100.1"),
    ],
)
def test_as_many_hops_are_believed_as_there_are_trusted_proxies(rf, settings, proxies, forwarded, counted):
    settings.TRUSTED_PROXIES = proxies
    request = rf.get("/", headers={"X-Forwarded-For": forwarded}, REMOTE_ADDR="198.51.100.1")

    assert limits.client_address(request) == counted


@pytest.mark.django_db(transaction=True)
def test_fifty_at_once_pass_no_more_than_the_limit(clock):
    secret = key(Scope.FLAGS_WRITE, clock=clock)

    seen = at_once(*[lambda: Api(key=secret).get("/flags?flagger=m").status_code for _ in range(50)])

    assert sorted(seen) == [200] * 5 + [429] * 45


def test_without_redis_each_process_counts_for_itself(clock, monkeypatch):
    def gone(*args, **kwargs):
        raise redis.ConnectionError("gone")

    monkeypatch.setattr(limits, "_shared", gone)
    monkeypatch.setattr(server(), "_absent_until", 0.0)
    mira = as_person(p.member(clock=clock))

    assert statuses(mira, 6) == [200] * 5 + [429]
    monkeypatch.setattr(server(), "_absent_until", 0.0)
