"""How a replica stays equal to the server: in order, across restarts of either, and honest about its age."""

import json
import sqlite3

import pytest
from fake_server import EFFECT, NONE, until
from veracity_client import NO_EFFECT, UNKNOWN_POST, backoff, follower

PROBLEM = {"Content-Type": "application/problem+json"}


@pytest.fixture(autouse=True)
def _impatient(monkeypatch):
    monkeypatch.setattr(backoff, "FIRST", 0.02)
    monkeypatch.setattr(backoff, "LONGEST", 0.1)
    monkeypatch.setattr(follower, "TURNED_AWAY_PAUSE", 0.3)


def version_is(replica, post, version):
    return until(lambda: replica.version(post) == version)


def test_a_copy_is_read_in_pages_and_then_followed(server, follow):
    for n in range(5):
        server.change(f"p{n}", EFFECT)

    replica = follow()
    assert [replica.version(f"p{n}") for n in range(5)] == [1] * 5
    server.change("p3", NONE)
    server.change("p9", EFFECT)

    assert version_is(replica, "p9", 1)
    assert replica.lookup("p3") is NO_EFFECT
    assert replica.status().snapshots == 1


def test_what_the_snapshot_had_already_is_passed_over(server, follow):
    server.change("p1", EFFECT)
    server.change("p2", EFFECT)
    real = server._snapshot
    server._snapshot = lambda query: {**real(query), "changes_cursor": "0-a"}  # the writers were faster

    replica = follow()
    assert until(lambda: replica.status().old == 2)
    server.change("p1", NONE)

    assert version_is(replica, "p1", 2)
    assert replica.status().snapshots == 1


def test_a_version_that_is_left_out_leads_to_a_new_snapshot(server, follow):
    server.change("p1", EFFECT)
    replica = follow()

    server.change("p1", NONE, version=3)

    assert version_is(replica, "p1", 3)
    assert replica.status().snapshots == 2


def test_a_feed_that_was_set_back_is_taken_anew_with_its_lower_versions(server, follow):
    for _ in range(3):
        server.change("p1", EFFECT)
    server.change("p2", EFFECT)
    replica = follow()

    server.set_back()
    server.change("p1", NONE)

    assert version_is(replica, "p1", 1)
    assert replica.lookup("p2") is UNKNOWN_POST


def test_a_server_that_is_away_is_asked_again_and_the_copy_answers_meanwhile(server, follow):
    server.change("p1", EFFECT)
    replica = follow()

    server.stop()
    assert until(lambda: replica.status().failures >= 2)
    assert replica.lookup("p1").state == "effect"
    assert "does not answer" in replica.status().error
    server.change("p1", NONE)
    server.start()

    assert version_is(replica, "p1", 2)
    assert until(lambda: replica.status().failures == 0 and not replica.status().error)


@pytest.mark.parametrize(
    "failure",
    [
        (500, {}, b"<h1>oops</h1>"),
        (503, PROBLEM, b'{"code": "unavailable"}'),
        (429, {"Retry-After": "0", **PROBLEM}, b'{"code": "too_many_requests"}'),
        (200, {}, b"not json"),
        (200, {}, b"[1]"),
        (200, {}, b'{"changes": 7, "states": 7}'),
        (200, {}, b'{"states": [{"post": 1}], "next": null, "changes_cursor": "0-a", "changes": [{}], "cursor": "0-a", "more": false}'),
        (301, {"Location": "http://127.0.0.1:9/"}, b"{}"),
        (401, PROBLEM, b'{"code": "not_authenticated"}'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("when", ["during the snapshot", "while following"])
def test_whatever_is_answered_the_replica_goes_on(server, follow, failure, when):
    for n in range(5):
        server.change(f"p{n}", EFFECT)
    if when == "during the snapshot":
        server.failing = [failure] * 3
    replica = follow()
    if when == "while following":
        server.failing = [failure] * 3

    server.change("p0", NONE)

    assert version_is(replica, "p0", 2)
    assert [replica.version(f"p{n}") for n in range(1, 5)] == [1] * 4


def test_a_failure_says_when_to_come_back_and_the_replica_heeds_it(server, follow):
    server.change("p1", EFFECT)
    server.failing = [(429, {"Retry-After": "1"}, b"{}")]

    replica = follow(ready=False)

    assert not replica.wait_until_ready(0.7)
    assert replica.wait_until_ready(5)


def test_a_replica_that_is_turned_away_does_not_ask_without_pause(server, follow):
    follow()
    server.turned_away = True
    before = len(server.asked)

    assert until(lambda: len(server.asked) >= before + 4)
    began = len(server.asked)
    assert not until(lambda: len(server.asked) > began + 10, seconds=1)


def test_its_age_is_known(server, follow):
    now = [1000.0]
    replica = follow(clock=lambda: now[0])

    assert until(lambda: replica.status().as_of and replica.status().as_of >= 1001)  # waited a second in vain
    server.stop()
    assert until(lambda: replica.status().failures)
    now[0] = 1090.0

    assert 85 <= replica.status().stale_for <= 90


def test_a_stored_copy_answers_before_the_server_does_and_goes_on_from_its_cursor(server, follow, tmp_path):
    path = tmp_path / "copy.db"
    for n in range(3):
        server.change(f"p{n}", EFFECT)
    first = follow(path=path)
    server.change("p0", NONE)
    assert version_is(first, "p0", 2)
    as_of = first.status().as_of
    assert first.stop(10)
    server.stop()

    second = follow(path=path)
    assert second.lookup("p0") is NO_EFFECT and second.version("p2") == 1
    assert second.status().as_of >= as_of
    server.change("p1", NONE)
    server.start()

    assert version_is(second, "p1", 2)
    assert second.status().snapshots == 0


def test_a_file_of_another_server_or_a_damaged_one_is_not_used(server, follow, tmp_path):
    path = tmp_path / "copy.db"
    server.change("p1", EFFECT)
    assert follow(path=path).stop(10)
    with sqlite3.connect(path) as file:
        file.execute("UPDATE place SET value = 'https://other.example' WHERE name = 'server'")
    file.close()

    again = follow(path=path)
    assert again.status().snapshots == 1
    assert again.stop(10)
    path.write_bytes(b"this is no database, but a long enough line of text" * 100)

    last = follow(path=path)
    assert last.version("p1") == 1
    assert last.status().snapshots == 1
    assert not last.status().unstored


def test_a_file_that_somebody_else_uses_is_left_alone(server, follow, tmp_path):
    path = tmp_path / "copy.db"
    server.change("p1", EFFECT)
    first = follow(path=path)

    second = follow(path=path)

    assert "locked" in second.status().unstored
    assert second.version("p1") == 1
    server.change("p1", NONE)
    assert version_is(first, "p1", 2) and version_is(second, "p1", 2)
    assert not first.status().unstored


def test_a_snapshot_that_was_cut_off_leaves_the_stored_copy_as_it_was(server, follow, tmp_path):
    path = tmp_path / "copy.db"
    for n in range(5):
        server.change(f"p{n}", EFFECT)
    assert follow(path=path).stop(10)
    server.era = "b"
    page = server._snapshot({})
    assert page["next"]
    server.failing = [(410, {}, b"{}")] + [(200, {}, _json(page))] + [(500, {}, b"")] * 1000

    cut_off = follow(path=path)
    assert until(lambda: len(server.failing) < 998)
    assert cut_off.stop(10)
    server.failing = []
    server.era = "a"

    again = follow(path=path)
    assert [again.version(f"p{n}") for n in range(5)] == [1] * 5
    assert again.status().snapshots == 0


def test_changes_are_told_after_they_were_applied_and_a_fault_in_the_telling_stops_nothing(server, follow):
    told = []

    def on_change(changed):
        told.extend((c.external_id, c.version, replica.version(c.post)) for c in changed)
        raise RuntimeError("the platform's cache is away")

    replica = follow(on_change=on_change)
    server.change("p1", EFFECT)
    assert version_is(replica, "p1", 1)
    server.change("p1", NONE)

    assert until(lambda: told == [("status/p1", 1, 1), ("status/p1", 2, 2)]), told
    assert replica.status().snapshots == 1


def test_the_key_goes_to_the_server_alone(server, follow):
    follow()

    assert {h["Authorization"] for h in server.headers} == {"Bearer vk_test"}


def _json(page):
    return json.dumps(page).encode()
