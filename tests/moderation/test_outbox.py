"""The outbox is the queue: rows wait, fail, come again, are set aside; the others go on."""

import time
import uuid
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from moderation import events
from moderation.caller import SYSTEM
from moderation.enums import OutboxKind
from moderation.errors import NotFound
from moderation.models import FanOut, Outbox, Post
from moderation.services import clusters, decisions, effects, enforcement, health, messages, outbox, ranking
from moderation.services.enforcement import MAX_ATTEMPTS
from tests.factories import platform as p

pytestmark = pytest.mark.django_db


def work(clock, *queues: str) -> int:
    return sum(enforcement.drain(queue, limit=100, now=clock) for queue in queues or p.QUEUES)


@pytest.mark.parametrize(
    "error", [RuntimeError, AssertionError, ZeroDivisionError, Post.DoesNotExist, RecursionError, KeyError]
)
def test_a_row_that_fails_in_any_way_is_set_aside_after_some_tries_and_listed(clock, monkeypatch, error):
    post = p.post(clock=clock)
    p.settle(clock)

    def fail(*args, **more):
        raise error("This never works.")

    monkeypatch.setattr(ranking, "refresh", fail)
    outbox.put(OutboxKind.REFRESH_ITEM, [post.pk], now=clock())
    outbox.put(OutboxKind.JUDGE_FLAGS, [post.pk], now=clock())

    work(clock, "maintenance")
    (row,) = Outbox.objects.all()  # the one behind it is done
    for tried in range(1, MAX_ATTEMPTS):
        assert (row.attempts, row.failed_at) == (tried, None)
        assert row.available_at > clock()
        clock.advance(minutes=6)
        work(clock, "maintenance")
        row.refresh_from_db()

    assert row.failed_at == clock()
    assert error.__name__ in row.error
    assert [r.pk for r in health.summary(now=clock())["failed"]] == [row.pk]
    clock.advance(days=1)
    assert work(clock) == 0

    monkeypatch.undo()
    enforcement.retry_failed(row.pk, now=clock())
    assert work(clock, "maintenance") == 1
    assert not Outbox.objects.exists()
    with pytest.raises(NotFound):
        enforcement.retry_failed(row.pk, now=clock())


def test_a_failing_receiver_of_an_event_is_told_again_and_nothing_it_did_stays(clock):
    told: list[object] = []

    def receiver(sender, version, now, **_):
        told.append(version)
        Post.objects.filter(pk=version.post_id).update(topic="half done")
        if len(told) == 1:
            raise RuntimeError("Not now.")

    events.post_version_added.connect(receiver)
    try:
        post = p.post(clock=clock)
        work(clock)
        post.refresh_from_db()
        assert post.topic == ""
        clock.advance(minutes=1)
        work(clock)
    finally:
        events.post_version_added.disconnect(receiver)

    assert len(told) == 2
    assert not Outbox.objects.exists()


def test_a_row_for_later_does_not_stand_in_the_way(clock):
    posts = [p.post(f"Post {n}.", clock=clock) for n in range(3)]
    p.settle(clock)
    later = outbox.put(OutboxKind.RECOMPUTE_POST, [posts[0].pk], now=clock())[0]
    later.attempts, later.available_at = 1, clock() + timedelta(minutes=1)  # as after a failure
    later.save()
    outbox.put(OutboxKind.RECOMPUTE_POST, [post.pk for post in posts[1:]], now=clock())

    assert work(clock, "effects") == 2
    assert [row.pk for row in Outbox.objects.all()] == [later.pk]


def test_work_asked_for_by_a_clock_that_was_ahead_is_done_at_once_and_not_as_of_before(clock):
    post = p.post(clock=clock)
    p.settle(clock)
    clock.advance(hours=1)
    p.rated(post, clock=clock)
    clock.advance(hours=-1)  # somebody sets it right

    p.settle(clock)

    clock.advance(hours=1)
    assert p.feed_of(post, clock=clock) == 0.2
    assert not Outbox.objects.exists()


def test_a_row_whose_error_no_database_can_hold_stops_nothing(clock, monkeypatch):
    post = p.post(clock=clock)
    p.settle(clock)

    def fail(*args, **more):
        raise RuntimeError("bytes \0 and half a letter \ud83d")

    monkeypatch.setattr(ranking, "refresh", fail)
    outbox.put(OutboxKind.REFRESH_ITEM, [post.pk], now=clock())
    outbox.put(OutboxKind.JUDGE_FLAGS, [post.pk], now=clock())

    work(clock, "maintenance")

    (row,) = Outbox.objects.all()
    assert row.error == "RuntimeError: bytes \\0 and half a letter \\ud83d"


def test_an_unreadable_message_tried_again_is_set_aside_again_with_its_reason(clock):
    messages.keep(task="", arguments="\\x80", queue="effects", reason="It cannot be read.", now=clock())
    messages.keep(task="", arguments="\\x80", queue="effects", reason="It cannot be read.", now=clock())
    (row,) = health.summary(now=clock())["failed"]
    enforcement.retry_failed(row.pk, now=clock())

    for _ in range(MAX_ATTEMPTS):
        work(clock, "maintenance")
        clock.advance(minutes=6)

    row.refresh_from_db()
    assert row.failed_at is not None
    assert row.error == "Unreadable: It cannot be read."
    assert health.not_understood().count() == 1


def test_a_drain_ends_in_time_however_much_waits(clock, monkeypatch):
    posts = [p.post(f"Post {n}.", clock=clock) for n in range(6)]
    p.settle(clock)
    outbox.put(OutboxKind.RECOMPUTE_POST, [post.pk for post in posts], now=clock())
    monkeypatch.setattr(enforcement, "DRAIN_SECONDS", 0.05)
    monkeypatch.setattr(enforcement, "TOGETHER", 2)
    recompute = effects.recompute

    def slowly(*args, **more):
        time.sleep(0.03)
        return recompute(*args, **more)

    monkeypatch.setattr(effects, "recompute", slowly)

    assert 0 < enforcement.drain("effects", limit=500, now=clock) < 6
    assert Outbox.objects.exists()


def test_work_is_owed_once_for_a_target_unless_somebody_has_it_in_hand(clock):
    target = uuid.uuid4()
    for _ in range(3):
        outbox.put_once(OutboxKind.REFRESH_CLUSTER, [target, target], now=clock())

    assert Outbox.objects.filter(target=target).count() == 1


def test_rows_for_one_post_that_wait_together_are_done_together(clock):
    post = p.post(clock=clock)
    p.settle(clock)
    for _ in range(5):
        outbox.put(OutboxKind.REFRESH_ITEM, [post.pk], now=clock())

    assert work(clock, "maintenance") == 1


@pytest.mark.parametrize("kind", [OutboxKind.REFRESH_ITEM, OutboxKind.RECOMPUTE_POST])
def test_rows_that_are_done_together_fail_alone(clock, monkeypatch, kind):
    posts = [p.post(f"Post {n}.", clock=clock) for n in range(4)]
    p.settle(clock)
    module, name = (ranking, "refresh_all") if kind == OutboxKind.REFRESH_ITEM else (effects, "recompute")
    really = getattr(module, name)
    asked: list[int] = []

    def fail_on_one(post_ids, *, now):
        asked.append(len(post_ids))
        if posts[2].pk in post_ids:
            raise RuntimeError("Not this one.")
        return really(post_ids, now=now)

    monkeypatch.setattr(module, name, fail_on_one)
    outbox.put(kind, [post.pk for post in posts], now=clock())

    work(clock)

    (row,) = Outbox.objects.all()
    assert (row.target, row.attempts) == (posts[2].pk, 1)
    assert asked == [4, 1, 1, 1, 1]


def test_many_flagged_posts_are_ranked_with_the_questions_of_few(clock):
    def questions(number: int) -> int:
        for n in range(number):
            p.flag(p.post(f"Post {n} of {number}.", clock=clock), clock=clock)
        work(clock, "effects", "matching")
        with CaptureQueriesContext(connection) as seen:
            assert work(clock, "maintenance") == number
        return len(seen)

    assert questions(3) == questions(30) < 30


def test_a_pass_that_is_half_through_does_not_stand_for_a_whole_one(clock):
    target = uuid.uuid4()
    outbox.put(OutboxKind.REFRESH_CLUSTER, [target], now=clock(), payload={"after": str(target)})

    outbox.put_once(OutboxKind.REFRESH_CLUSTER, [target], now=clock())

    assert Outbox.objects.filter(target=target).count() == 2


def test_the_bell_is_rung_once_per_queue_and_only_after_the_commit(
    clock, django_capture_on_commit_callbacks, monkeypatch
):
    rung: list[str] = []
    monkeypatch.setattr(outbox, "_ring", rung.append)
    targets = [uuid.uuid4() for _ in range(4)]

    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        for target in targets:
            outbox.put(OutboxKind.RECOMPUTE_POST, [target], now=clock())
            outbox.put(OutboxKind.JUDGE_FLAGS, [target], now=clock())
        assert rung == []

    assert sorted(rung) == ["effects", "maintenance"]


def test_progress_over_many_posts_never_passes_its_total(clock, monkeypatch):
    monkeypatch.setattr(enforcement, "FAN_OUT_BATCH", 2)
    cluster = clusters.create(now=clock())
    versions = [p.post(f"Post {n}.", clock=clock).current_version for n in range(5)]
    for version in versions[:3]:
        clusters.add(cluster.pk, version, caller=SYSTEM, now=clock(), by_person=False)
    p.settle(clock)
    decisions.stand(
        cluster.pk,
        outcome="false",
        contested=False,
        presentation={},
        rated_version=versions[0],
        source="test",
        source_key="1",
        caller=SYSTEM,
        now=clock(),
    )
    progress = FanOut.objects.get()
    assert (progress.total, progress.done, progress.finished_at) == (3, 0, None)
    for version in versions[3:]:
        clusters.add(cluster.pk, version, caller=SYSTEM, now=clock(), by_person=False)

    while enforcement.drain("effects", limit=1, now=clock):
        progress.refresh_from_db()
        assert progress.done <= progress.total
    assert (progress.total, progress.done, progress.finished_at) == (5, 5, clock())
    p.settle(clock)
    assert {p.feed_of(Post.objects.get(pk=v.post_id), clock=clock) for v in versions} == {0.2}


def test_a_settled_outbox_has_no_faults(clock):
    p.flag(p.post(clock=clock), clock=clock)
    p.settle(clock)

    call_command("verify_states")
