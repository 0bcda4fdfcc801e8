"""A write sent again under its key is done once; the connection may break wherever it likes."""

import threading

import pytest
from django.db import connection, transaction

from factcheck.models import Rating
from moderation.enums import Scope
from moderation.models import Flag, IdempotencyKey, Post
from moderation.services import repeats
from tests.api.clients import Api, as_person, at_once, key, program
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db


@pytest.fixture
def post(clock):
    return p.post(clock=clock)


def flag_body(on, **changes):
    return {"post": str(on.pk), "reason": "scam", "flagger": "member/1", **changes}


def test_the_same_request_gets_the_first_answer(platform, post, clock):
    first = platform.post("/flags", flag_body(post), Idempotency_Key="a")
    platform.delete(f"/flags/{first.json()['id']}")
    again = platform.post("/flags", flag_body(post), Idempotency_Key="a")

    assert (again.status_code, again.json()) == (201, first.json())
    assert again.headers["Idempotent-Replayed"] == "true"
    assert Flag.objects.count() == 1


def test_the_connection_breaks_after_the_commit_and_the_client_sends_again(post, clock):
    """API-03: the first answer never arrives. One record with the key; two ratings with equal text stay two."""
    partner = f.partner(clock=clock)
    rita = as_person(f.reviewer(partner, clock=clock))
    body = {
        "version": 1,
        "verdict": "true",
        "claim": {"text": "The water is clean."},
        "headline": "Yes, it is",
        "explanation": "The results are public.",
    }
    ids = []
    for on in (post, p.post("The water of the town well was tested again.", clock=clock)):
        item = rita.post("/items", {"post": str(on.pk)}).json()["id"]
        rita.post(f"/items/{item}/take")
        lost, again = (
            rita.post(f"/items/{item}/ratings", body, Idempotency_Key=f"key-{item}") for _ in range(2)
        )
        assert lost.json() == again.json()
        ids.append(again.json()["id"])

    assert Rating.objects.count() == len(set(ids)) == 2


@pytest.mark.parametrize(
    ("path", "changes"),
    [("/flags", {"reason": "hate"}), ("/flags", {"note": "other"}), ("/signals", {}), ("/flags?x=1", {})],
)
def test_another_request_under_the_same_key_is_refused(platform, post, path, changes):
    platform.post("/flags", flag_body(post), Idempotency_Key="a")

    answer = platform.post(path, flag_body(post, **changes), Idempotency_Key="a")

    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")


def test_a_refused_request_uses_no_key_up_and_leaves_nothing(platform, post):
    refused = platform.post("/flags", flag_body(post, post="ext:nothing"), Idempotency_Key="a")

    assert refused.status_code == 404
    assert not IdempotencyKey.objects.exists()
    assert platform.post("/flags", flag_body(post), Idempotency_Key="a").status_code == 201


def test_keys_are_each_callers_own(platform, post, clock):
    other = program(Scope.FLAGS_WRITE, clock=clock)

    first = platform.post("/flags", flag_body(post), Idempotency_Key="a").json()
    second = other.post("/flags", flag_body(post, flagger="member/2"), Idempotency_Key="a").json()

    assert first["id"] != second["id"]


def test_an_answer_is_kept_for_a_day(platform, post, clock):
    first = platform.post("/flags", flag_body(post), Idempotency_Key="a").json()
    clock.advance(hours=23, minutes=59)
    assert platform.post("/flags", flag_body(post), Idempotency_Key="a").json() == first
    clock.advance(minutes=1)

    other = platform.post("/flags", flag_body(post, flagger="member/2"), Idempotency_Key="a")
    clock.advance(hours=25)

    assert other.status_code == 201
    assert repeats.clear_old(now=clock()) == 1
    assert not IdempotencyKey.objects.exists()


@pytest.mark.parametrize("bad", ["", " ", "two words", "é", "x" * 201, "line\tbreak"])
def test_a_key_that_is_none_is_refused(platform, post, bad):
    answer = platform.post("/flags", flag_body(post), Idempotency_Key=bad)

    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == ["Idempotency-Key"]
    assert not Flag.objects.exists()


def test_reading_needs_no_key_and_keeps_none(platform, post):
    platform.post("/distribution/lookup", {"posts": [str(post.pk)]}, Idempotency_Key="a")
    platform.get(f"/posts/{post.pk}", Idempotency_Key="a")

    assert not IdempotencyKey.objects.exists()


def test_an_invitation_sent_again_is_one_invitation_and_one_mail(clock, mailoutbox):
    partner = f.partner(clock=clock)
    lead = as_person(f.lead(partner, clock=clock))
    body = {"email": "new@people.example", "role": "reviewer"}

    first, again = (lead.post(f"/partners/{partner.pk}/people", body, Idempotency_Key="a") for _ in range(2))

    assert first.json() == again.json()
    assert len(mailoutbox) == 1


def test_a_bulk_is_answered_again_with_every_result(platform):
    entry = {
        "external_id": "status/1",
        "actor": {"kind": "page", "external_id": "page/1", "name": "Town Square"},
        "text": "The well.",
        "language": "en",
        "published_at": "2026-11-30T10:00:00Z",
    }
    body = {"posts": [entry, {"external_id": "status/2"}]}

    first, again = (platform.post("/posts/bulk", body, Idempotency_Key="a").json() for _ in range(2))

    assert first == again
    assert [r["status"] for r in again["results"]] == ["added", "refused"]
    assert Post.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_eight_at_once_under_one_key_are_done_once_and_answered_alike(clock):
    post = p.post(clock=clock)
    secret = key(Scope.SIGNALS_WRITE, Scope.FLAGS_WRITE, clock=clock)
    body = flag_body(post)

    answers = at_once(*[lambda: Api(key=secret).post("/flags", body, Idempotency_Key="a") for _ in range(8)])

    assert {a.status_code for a in answers} == {201}
    assert len({a.json()["id"] for a in answers}) == 1
    assert sum("Idempotent-Replayed" not in a.headers for a in answers) == 1


@pytest.mark.django_db(transaction=True)
def test_a_repeat_does_not_wait_for_ever(clock):
    post = p.post(clock=clock)
    secret = key(Scope.FLAGS_WRITE, clock=clock)
    platform = Api(key=secret)
    caller = f"client:{platform_id(secret)}"
    begun, done = threading.Event(), threading.Event()

    def first():
        with transaction.atomic():
            repeats.begin(caller, "a", "0" * 64, now=clock())
            begun.set()
            done.wait(10)
        connection.close()

    thread = threading.Thread(target=first)
    thread.start()
    begun.wait(10)
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '200ms'")
    try:
        answer = platform.post("/flags", flag_body(post), Idempotency_Key="a")
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")
        done.set()
        thread.join()

    assert (answer.status_code, answer.json()["code"]) == (409, "in_progress")
    assert answer.headers["Retry-After"] == "1"


def platform_id(secret):
    from moderation.models import ApiClient

    return ApiClient.objects.get(prefix=secret.split("_")[1]).pk
