"""What the platform asks for most: what to do with these posts, and what changed."""

import threading
import time

import pytest
from django.db import connection

from moderation.api import changes
from moderation.enums import Scope
from moderation.models import Post
from moderation.redis_client import key as redis_key
from moderation.redis_client import server
from moderation.services import escalations
from moderation.services.escalations import CaseRef
from tests.api.clients import Api, key, program
from tests.factories import desk as d
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db
WELL = "The town well is poisoned and everybody knows it but nobody says it."


@pytest.fixture
def rated(clock):
    post = p.post(WELL, clock=clock, external_id="status/1")
    rating = f.rate(post, by=f.reviewer(f.partner(clock=clock), clock=clock), clock=clock)
    p.settle(clock)
    return rating


def test_each_post_is_answered_in_order_with_effect_none_or_unknown(platform, rated, clock):
    plain = p.post("Good morning, everyone.", clock=clock, actor="page-2")
    missing = "0193787a-5f00-7abc-8def-000000000001"

    answer = platform.post(
        "/distribution/lookup", {"posts": ["ext:status/1", str(plain.pk), missing, "ext:nothing"]}
    )

    shown = answer.json()["posts"]
    assert [s["state"] for s in shown] == ["effect", "none", "unknown", "unknown"]
    assert shown[0]["multipliers"]["feed"] == 0.2
    assert shown[0]["label"] == "warning"
    assert [a["verdict"] for a in shown[0]["articles"]] == ["false"]
    assert "rating_bp" not in shown[0]


def test_a_lookup_knows_the_viewers_choice(platform, rated):
    own = {"posts": ["ext:status/1"], "viewer_preference": "do_not_reduce"}

    assert platform.post("/distribution/lookup", own).json()["posts"][0]["multipliers"]["feed"] == 1.0


def cached(post_id) -> str:
    """The name under which Redis holds what is to be done with a post."""
    return redis_key("effects", server().run_id(), post_id)


def test_what_is_passed_on_from_the_cache_is_what_postgresql_says(platform, rated, clock):
    paula, peter = p.specialist(clock=clock), p.specialist(clock=clock)
    regional = p.post(
        "They meet at the station with stones.", clock=clock, external_id='status/"2\\', actor="b"
    )
    case = d.opened(regional, by=paula, clock=clock, regions=("LK",))
    escalations.confirm(d.proposed(case, by=paula, clock=clock).pk, caller=peter, now=clock())
    plain = p.post("Good morning, everyone.", clock=clock, actor="page-2")
    p.settle(clock)
    asked = {"posts": ["ext:status/1", f"ext:{regional.external_id}", str(plain.pk), str(plain.pk).upper(),
                       "0193787a-5f00-7abc-8def-000000000001", "ext:nothing", "status/1"]}  # fmt: skip

    passed_on = platform.post("/distribution/lookup", asked).json()
    assert server().client.delete(*map(cached, Post.objects.values_list("pk", flat=True))) == 3
    looked_up = platform.post("/distribution/lookup", asked).json()

    assert passed_on == looked_up
    assert [s["state"] for s in passed_on["posts"]] == ["effect", "effect", "none", "none"] + ["unknown"] * 3


def test_what_ends_by_time_ends_on_the_second_although_no_worker_runs(platform, clock):
    post = p.post(WELL, clock=clock)
    paula = p.specialist(clock=clock)
    case = d.opened(post, by=paula, clock=clock)
    escalations.hide(CaseRef(case.pk, case.version), explanation="Look again.", caller=paula, now=clock())
    p.settle(clock)

    def state() -> str:
        return platform.post("/distribution/lookup", {"posts": [str(post.pk)]}).json()["posts"][0]["state"]

    assert state() == "effect"
    clock.advance(hours=24, seconds=-1)
    assert state() == "effect"
    clock.advance(seconds=1)
    assert state() == "none"


def test_an_entry_that_was_spoilt_is_read_from_postgresql(platform, rated, clock):
    def told() -> str:
        return platform.post("/distribution/lookup", {"posts": ["ext:status/1"]}).json()["posts"][0]["label"]

    for spoilt in (b"1||{", b'1||{}\n{"label":null', b'1||{"label":null}', b"1|soon|", b"x||", b"\xff|"):
        server().client.set(cached(Post.objects.get().pk), spoilt)
        assert told() == "warning"


def test_an_answer_that_the_caller_has_is_not_sent_again_until_it_is_another_one(platform, rated, clock):
    body = {"posts": ["ext:status/1", "ext:nothing"], "region": "LK"}
    first = platform.post("/distribution/lookup", body)
    etag = first.headers["ETag"]

    for named in (etag, f"W/{etag}", f'"other", {etag}'):
        again = platform.post("/distribution/lookup", body, If_None_Match=named)
        assert (again.status_code, again.headers["ETag"], again.content) == (304, etag, b"")
    another = platform.post(
        "/distribution/lookup", {**body, "viewer_preference": "do_not_reduce"}, If_None_Match=etag
    )
    assert another.status_code == 200
    everybody = platform.post("/distribution/lookup", {"posts": body["posts"]}, If_None_Match="*, garbage")
    assert everybody.status_code == 200

    clock.advance(days=91)  # time alone: the strike counts no longer

    changed = platform.post("/distribution/lookup", body, If_None_Match=etag)
    assert changed.status_code == 200 and changed.headers["ETag"] != etag
    assert changed.json()["posts"][0]["version"] == first.json()["posts"][0]["version"]


def test_at_most_1000_posts_are_looked_up_at_once(platform):
    answer = platform.post("/distribution/lookup", {"posts": ["ext:a"] * 1001})

    assert answer.status_code == 400
    assert answer.json()["errors"]["posts"][0]["code"] == "too_many"
    assert len(platform.post("/distribution/lookup", {"posts": ["ext:a"] * 1000}).json()["posts"]) == 1000


@pytest.mark.parametrize("ref", [7, None, "", "x" * 300, {"id": 1}])
def test_a_bad_name_of_a_post_is_named_by_its_place(platform, ref):
    answer = platform.post("/distribution/lookup", {"posts": ["ext:a", ref]})

    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == ["posts.1"]


def test_a_copy_made_of_snapshot_and_changes_equals_the_truth(platform, rated, clock):
    snapshot = platform.get("/distribution/snapshot").json()
    copy = {s["post"]: (s["version"], s["state"]) for s in snapshot["states"]}
    later = p.post("Lemon water cures dengue within a day, doctors hide it.", clock=clock, actor="page-5")
    f.rate(
        later, by=f.reviewer(f.partner(clock=clock), clock=clock), clock=clock, claim="Lemons cure dengue."
    )
    p.settle(clock)

    news = platform.get(f"/distribution/changes?cursor={snapshot['changes_cursor']}").json()
    copy |= {c["post"]: (c["version"], c["state"]) for c in news["changes"]}

    truth = platform.get("/distribution/snapshot").json()["states"]
    assert copy == {s["post"]: (s["version"], s["state"]) for s in truth}
    assert [c["external_id"] for c in news["changes"]] == [later.external_id]
    assert news["more"] is False
    again = platform.get(f"/distribution/changes?cursor={news['cursor']}").json()
    assert again == {"changes": [], "cursor": news["cursor"], "more": False}


def test_the_feed_and_the_snapshot_are_read_in_pages(platform, clock):
    reviewer = f.reviewer(f.partner(clock=clock), clock=clock)
    for n in range(5):
        post = p.post(f"Number {n} of the well stories.", clock=clock, actor=f"page-{n}")
        f.rate(post, by=reviewer, clock=clock, claim=f"Claim {n}.")
    p.settle(clock)

    seen, cursor, more = [], "0", True
    while more:
        page = platform.get(f"/distribution/changes?cursor={cursor}&limit=2").json()
        seen += [c["post"] for c in page["changes"]]
        cursor, more = page["cursor"], page["more"]
    states, path = [], "/distribution/snapshot?limit=2"
    while path:
        page = platform.get(path).json()
        states += [s["post"] for s in page["states"]]
        path = page["next"] and f"/distribution/snapshot?limit=2&cursor={page['next']}"

    assert len(seen) == len(set(seen)) == 5
    assert sorted(states) == sorted(seen)


def test_a_cursor_from_before_the_feed_was_set_back_asks_for_a_new_snapshot(platform, rated):
    answer = platform.get("/distribution/changes?cursor=999999-00000000")

    assert answer.status_code == 410
    assert answer.json()["code"] == "cursor_unknown"


@pytest.mark.parametrize(
    "cursor", ["", "-1", "abc", "1.5", "9" * 19, "7", "01-00000000", "7-0000000g", "0&cursor=0"]
)
def test_a_cursor_that_is_none_is_refused(platform, cursor):
    assert platform.get(f"/distribution/changes?cursor={cursor}").json()["errors"]["cursor"]


@pytest.mark.parametrize("cursor", ["abc", "WzFd", "WzEsICJ4Il0", "%00", "é"])
def test_a_snapshots_cursor_that_is_none_is_refused(platform, cursor):
    answer = platform.get(f"/distribution/snapshot?cursor={cursor}")

    assert answer.status_code == 400
    assert "cursor" in answer.json()["errors"]


def test_effects_are_for_programs_with_the_scope_only(nobody, rated, clock):
    writer = program(Scope.POSTS_WRITE, clock=clock)

    for api, status in ((nobody, 401), (writer, 403)):
        assert api.post("/distribution/lookup", {"posts": ["ext:status/1"]}).status_code == status
        assert api.get("/distribution/changes?cursor=0").status_code == status
        assert api.get("/distribution/snapshot").status_code == status


@pytest.mark.django_db(transaction=True)
def test_a_waiting_reader_is_answered_when_something_changes_and_holds_no_connection(clock, settings):
    settings.LONG_POLL_LOOKS_EVERY = 0.05
    reader = Api(key=key(Scope.DISTRIBUTION_READ, clock=clock))
    post = p.post(WELL, clock=clock)
    reviewer = f.reviewer(f.partner(clock=clock), clock=clock)
    answers, held = [], []

    def wait() -> None:
        answers.append(reader.get("/distribution/changes?cursor=0&wait=20"))
        connection.close()

    waiting = threading.Thread(target=wait)
    waiting.start()
    time.sleep(0.3)
    with connection.cursor() as cursor:
        for _ in range(20):
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            held.append(cursor.fetchone()[0])
            time.sleep(0.01)
    f.rate(post, by=reviewer, clock=clock)
    p.settle(clock)
    waiting.join(timeout=10)

    assert [c["post"] for c in answers[0].json()["changes"]] == [str(post.pk)]
    assert min(held) == 0


def test_more_waiting_readers_than_seats_are_answered_at_once(platform, monkeypatch):
    monkeypatch.setattr(changes, "_seats", threading.BoundedSemaphore(1))
    changes._seats.acquire()
    began = time.monotonic()

    answer = platform.get("/distribution/changes?cursor=0&wait=25")

    assert answer.json()["changes"] == []
    assert time.monotonic() - began < 2


def test_a_wait_longer_than_25_seconds_is_refused(platform):
    assert "wait" in platform.get("/distribution/changes?cursor=0&wait=26").json()["errors"]
