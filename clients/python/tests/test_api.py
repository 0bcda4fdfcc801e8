"""The calls that go to the server at once."""

import json

import pytest
from fake_server import EFFECT, FakeServer
from veracity_client import NO_EFFECT, UNKNOWN_POST, Api, Refused, Unavailable


@pytest.fixture
def api(server: FakeServer) -> Api:
    return Api(f"{server.address}/", "vk_test")


def answer(server, body, status=200):
    server.failing = [(status, {}, json.dumps(body).encode())]


def test_a_lookup_tells_effect_none_and_unknown_apart(server, api):
    answer(server, {"posts": [EFFECT, {"state": "none"}, {"state": "unknown"}]})

    found = api.lookup(["ext:1", "ext:2", "ext:3"], region="LK", viewer_preference="reduce_more")

    assert found[0].multiplier("feed") == 0.2
    assert found[1:] == [NO_EFFECT, UNKNOWN_POST]
    assert server.bodies == [
        {"posts": ["ext:1", "ext:2", "ext:3"], "region": "LK", "viewer_preference": "reduce_more"}
    ]


def test_a_flag_is_passed_on_with_a_key_that_makes_it_happen_once(server, api):
    answer(server, {"id": "f1", "outcome": "pending"}, 201)

    assert api.flag("ext:1", flagger="member/1", reason="scam", version=2, idempotency_key="k")["id"] == "f1"

    assert server.bodies == [
        {"post": "ext:1", "flagger": "member/1", "reason": "scam", "note": "", "version": 2}
    ]
    assert server.headers[0]["Idempotency-Key"] == "k"


def test_a_refusal_says_why(server, api):
    answer(server, {"code": "invalid", "detail": "No.", "errors": {"post": [{"code": "blank"}]}}, 400)

    with pytest.raises(Refused, match="400 invalid: No") as refused:
        api.lookup([""])

    assert refused.value.errors == {"post": [{"code": "blank"}]}


def test_nobody_there_is_unavailable(server, api):
    server.stop()

    with pytest.raises(Unavailable):
        api.lookup(["ext:1"])
