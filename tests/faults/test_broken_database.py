"""PostgreSQL ends connections or restarts: at most one attempt fails per connection, no worker is stuck (OPS-02)."""

import os
import signal

import pytest
from django.db import DatabaseError, connection
from django.utils import timezone

from moderation import tasks
from moderation.models import EffectiveState
from moderation.services import enforcement, health, outbox
from tests.factories import platform as p
from tests.factories import programme as f
from tests.faults.stage import nothing_is_owed
from tests.waiting import until

now = timezone.now


@pytest.fixture
def rita(stage):
    return f.reviewer(f.partner(clock=now), clock=now)


def rate(number: int, *, by) -> None:
    post = p.post(f"The well in street {number} is poisoned.", actor=f"page-{number}", clock=now)
    f.rate(post, by=by, clock=now, claim=f"Well {number} is poisoned.")


def end_all_other_connections() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return cursor.fetchone()[0]


def test_workers_whose_connections_are_ended_again_and_again_do_all_the_work(stage, rita):
    stage.worker(), stage.beat()
    ended = 0
    for number in range(12):
        rate(number, by=rita)
        ended += end_all_other_connections()

    assert ended > 0
    assert until(nothing_is_owed), stage.logs()
    assert list(EffectiveState.objects.values_list("version", flat=True)) == [1] * 12


def test_idle_workers_whose_connections_are_ended_work_at_the_next_bell(stage, rita):
    stage.worker()
    rate(1, by=rita)
    assert until(nothing_is_owed), stage.logs()
    assert until(lambda: end_all_other_connections() > 0)

    rate(2, by=rita)

    # No beat runs: each queue gets a second bell for the one attempt that may fail.
    assert until(lambda: _ring_again() and nothing_is_owed(), pause=1), stage.logs()
    assert all(health.round_trip(queue, timeout=10) is not None for queue in ("effects", "maintenance"))


def _ring_again() -> bool:
    for queue in ("effects", "matching", "maintenance"):
        outbox.ring_after_commit(queue)
    return True


@pytest.mark.parametrize("task", ["sweep", "seal_audit", "deliver_notices", "sequence_changes"])
def test_whatever_task_meets_the_dead_connection_first_the_worker_is_not_stuck_with_it(stage, rita, task):
    stage.worker(concurrency=1)
    rate(1, by=rita)
    assert until(nothing_is_owed), stage.logs()
    assert until(lambda: end_all_other_connections() > 0)

    getattr(tasks, task).apply_async(queue="maintenance", retry=False)
    rate(2, by=rita)

    assert until(lambda: _ring_again() and nothing_is_owed(), seconds=20, pause=1), stage.logs()


def test_a_restarted_database_finds_the_workers_again(stage, rita):
    stage.worker(), stage.beat()
    rate(1, by=rita)
    connection.close()
    stage.services.kill("postgres")
    stage.services.start("postgres")

    rate(2, by=rita)

    assert until(nothing_is_owed), stage.logs()
    assert list(EffectiveState.objects.values_list("version", flat=True)) == [1, 1]


def test_a_drain_that_loses_its_database_says_so_and_the_next_one_goes_on(stage, rita):
    rate(1, by=rita)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    os.kill(pid, signal.SIGTERM)

    with pytest.raises(DatabaseError):
        enforcement.drain("effects", limit=10)
    while not nothing_is_owed():
        for queue in p.QUEUES:
            enforcement.drain(queue, limit=10)
    assert EffectiveState.objects.get().version == 1


def test_a_task_that_finds_a_dead_connection_fails_and_the_next_one_has_a_new_one(stage, rita):
    rate(1, by=rita)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    os.kill(pid, signal.SIGTERM)
    with pytest.raises(DatabaseError):
        EffectiveState.objects.exists()  # outside a transaction nothing closes the connection

    results = [tasks.drain_outbox.apply(("effects",)).state for _ in range(2)]

    assert results == ["FAILURE", "SUCCESS"]
