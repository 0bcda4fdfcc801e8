"""Workers die and messages vanish; what was decided takes effect all the same (CEL-02)."""

import os
import signal

import pytest
from django.conf import settings
from django.utils import timezone

from moderation.models import EffectiveState, Outbox
from moderation.redis_client import server
from moderation.services import enforcement, health
from tests.factories import platform as p
from tests.factories import programme as f
from tests.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)

POSTS = 30


def forget_every_message() -> None:
    """Empty this test's part of Redis: what a flush does to one installation."""
    client = server().client
    for name in client.scan_iter(f"{settings.REDIS_PREFIX}*", count=1000):
        client.delete(name)


def nothing_is_owed() -> bool:
    """After one more tick of beat's sweep, which wakes the workers for what is late."""
    enforcement.sweep(now=timezone.now())
    return not Outbox.objects.exists()


@pytest.fixture
def rated():
    """Posts rated false while no worker runs."""
    clock = timezone.now
    rita = f.reviewer(f.partner(clock=clock), clock=clock)
    posts = [
        p.post(f"The well in street {n} is poisoned.", actor=f"page-{n}", clock=clock) for n in range(POSTS)
    ]
    for number, post in enumerate(posts):
        f.rate(post, "false", by=rita, clock=clock, claim=f"Well {number} is poisoned.")
    return posts


def test_every_rating_takes_effect_although_a_worker_was_killed_and_all_messages_were_lost(
    rated, start_worker
):
    owed = Outbox.objects.count()
    first = start_worker()
    enforcement.sweep(now=timezone.now())  # what beat does: wake whoever is there
    assert until(lambda: Outbox.objects.count() < owed)

    os.killpg(first.pid, signal.SIGKILL)
    forget_every_message()
    start_worker()

    assert until(nothing_is_owed, pause=0.5)
    assert [p.feed_of(post, clock=timezone.now) for post in rated] == [0.2] * POSTS
    assert EffectiveState.objects.filter(post__in=rated).count() == POSTS


def test_a_worker_answers_through_every_queue_and_nobody_answers_when_it_is_gone(start_worker):
    worker = start_worker()

    assert all(health.round_trip(queue, timeout=20) is not None for queue in settings.TASK_QUEUES)

    os.killpg(worker.pid, signal.SIGKILL)
    assert until(lambda: worker.exit_code() is not None)
    assert health.round_trip("effects", timeout=1) is None
