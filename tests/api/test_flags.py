"""Members flag, by themselves or through the platform."""

import pytest

from moderation.enums import Scope
from moderation.models import Flag, ReviewItem
from tests.api.clients import Api, as_person, at_once, key, program
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db


@pytest.fixture
def post(clock):
    return p.post(clock=clock)


def body(post, **changes):
    return {"post": str(post.pk), "reason": "false_information", "flagger": "member/1", **changes}


def test_a_double_click_through_the_platform_makes_one_flag(platform, post):
    first, second = platform.post("/flags", body(post)), platform.post("/flags", body(post))

    assert [first.status_code, second.status_code] == [201, 200]
    assert first.json()["id"] == second.json()["id"]
    assert first.json()["queued"] is True
    assert Flag.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_thirty_members_at_once_one_of_them_twice_are_thirty_flags_and_one_item(clock):
    """FLG-05: no duplicate, no error, one entry in the queue."""
    post = p.post(clock=clock)
    secret = key(Scope.FLAGS_WRITE, clock=clock)
    members = [*range(30), 7]

    answers = at_once(
        *[lambda n=n: Api(key=secret).post("/flags", body(post, flagger=f"member/{n}")) for n in members]
    )
    p.settle(clock)

    assert sorted(a.status_code for a in answers) == [200] + [201] * 30
    assert Flag.objects.filter(withdrawn_at__isnull=True).count() == 30
    assert ReviewItem.objects.get().flaggers == 30


def test_two_members_are_two_flags(platform, post, clock):
    platform.post("/flags", body(post))
    platform.post("/flags", body(post, flagger="member/2"))
    p.settle(clock)

    assert Flag.objects.count() == 2


def test_a_person_flags_for_themselves_only(post, clock):
    mira = as_person(p.member(clock=clock))

    assert mira.post("/flags", body(post)).status_code == 403
    mine = mira.post(
        "/flags", {"post": f"ext:{post.external_id}", "reason": "scam", "note": "Asks for money."}
    )

    assert mira.get("/flags?flagger=member/1").status_code == 403
    assert mine.status_code == 201
    assert mine.json()["note"] == "Asks for money."
    assert [flag["id"] for flag in mira.get("/flags?mine").json()["results"]] == [mine.json()["id"]]


def test_the_platform_must_say_who_flags(platform, post):
    answer = platform.post("/flags", {"post": str(post.pk), "reason": "scam"})

    assert answer.status_code == 400
    assert answer.json()["errors"]["flagger"][0]["code"] == "required"


def test_a_flag_names_the_version_that_was_seen_and_survives_the_deletion(platform, post, clock):
    p.edit(post, "Something else entirely.", clock=clock)
    platform.delete(f"/posts/{post.pk}")

    answer = platform.post("/flags", body(post, version=1))

    assert answer.status_code == 201
    assert answer.json()["version"] == 1
    assert platform.post("/flags", body(post, version=9)).status_code == 404


def test_a_withdrawn_flag_counts_no_more_and_withdrawing_twice_changes_nothing(platform, post):
    flag = platform.post("/flags", body(post)).json()["id"]

    first, second = platform.delete(f"/flags/{flag}"), platform.delete(f"/flags/{flag}")
    again = platform.post("/flags", body(post))

    assert first.json() == second.json()
    assert again.status_code == 201
    assert Flag.objects.filter(withdrawn_at__isnull=True).count() == 1
    told = platform.get("/flags?flagger=member/1").json()["results"]
    assert [flag["withdrawn_at"] is None for flag in told] == [True, False]


def test_somebody_elses_flag_does_not_exist_for_me(post, clock):
    flag = p.flag(post, clock=clock)
    other = as_person(p.member(clock=clock))

    foreign = other.delete(f"/flags/{flag.pk}")
    missing = other.delete("/flags/0193787a-5f00-7abc-8def-000000000001")

    assert foreign.status_code == missing.status_code == 404
    assert foreign.json()["detail"] == missing.json()["detail"]


def test_an_answered_flag_is_not_withdrawn(platform, post, clock):
    flag = platform.post("/flags", body(post)).json()["id"]
    p.settle(clock)
    f.rate(post, by=f.reviewer(f.partner(clock=clock), clock=clock), clock=clock)
    p.settle(clock)

    answer = platform.delete(f"/flags/{flag}")

    assert answer.status_code == 409
    assert answer.json()["code"] == "already_answered"
    assert answer.json()["current"] == "agreed"
    assert platform.get("/flags?flagger=member/1").json()["results"][0]["outcome"] == "agreed"


def test_a_key_without_the_scope_neither_flags_nor_reads_flags(post, clock):
    reader = program(Scope.DISTRIBUTION_READ, clock=clock)

    assert reader.post("/flags", body(post)).status_code == 403
    assert reader.get("/flags?flagger=member/1").status_code == 403


def test_a_signal_is_received_once_and_opens_an_item(platform, post, clock):
    signal = {
        "post": str(post.pk),
        "source": "classifier",
        "kind": "likely_false",
        "score": 0.9,
        "at": "2026-11-30T11:00:00Z",
        "details": {"model": "a", "nested": {"n": [1, 2.5, None, True]}},
    }

    first, second = platform.post("/signals", signal), platform.post("/signals", signal)

    assert [first.status_code, second.status_code] == [201, 200]
    assert first.json() == second.json()
    assert first.json()["details"] == signal["details"]
