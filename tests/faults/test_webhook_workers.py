"""Webhooks with real workers: one is killed while it delivers, one receiver sleeps beside another."""

import os
import signal
import threading
from datetime import timedelta

import pytest
from django.utils import timezone

from moderation import tasks
from moderation.models import WebhookDelivery, WebhookEndpoint
from tests.factories import platform as p
from tests.factories.receivers import Answer, endpoint, receiving
from tests.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)
now = timezone.now


@pytest.fixture
def receiver(settings, monkeypatch):
    settings.WEBHOOK_HOSTS_ALLOWED = frozenset({"127.0.0.1"})
    monkeypatch.setenv("WEBHOOK_HOSTS_ALLOWED", "127.0.0.1")  # the workers'
    with receiving() as make:
        yield make


def removed_posts(number: int) -> None:
    for _ in range(number):
        p.removed(p.post(clock=now), clock=now)
    p.settle(now)


def tick() -> None:
    """What beat does."""
    tasks.deliver_webhooks.apply_async((), queue="delivery", retry=False)


def all_done() -> bool:
    tick()
    return not WebhookDelivery.objects.filter(done_at__isnull=True).exists()


def test_a_worker_killed_in_the_middle_of_a_delivery_costs_time_and_the_id_stays(receiver, start_worker):
    hook, never = receiver(), threading.Event()
    hook.answers = [Answer(wait=never)]
    made, secret = endpoint(hook.url, "post.removed", clock=now)
    first = start_worker("delivery")
    removed_posts(2)
    tick()
    assert until(lambda: hook.got)

    os.killpg(first.pid, signal.SIGKILL)
    never.set()
    # An hour later: the lane's lease is over, and so is the wait after the attempt that was cut short.
    hour = now() - timedelta(hours=1)
    WebhookEndpoint.objects.filter(pk=made.pk).update(held_until=hour)
    WebhookDelivery.objects.filter(attempts=1).update(next_at=hour)
    start_worker("delivery")

    assert until(all_done, pause=0.5)
    assert len(hook.got) == 3
    assert [hook.got[0].id] * 2 == [got.id for got in hook.got if got.id == hook.got[0].id]
    assert all(got.is_signed_with(secret) for got in hook.got)


def test_a_receiver_that_sleeps_delays_no_other_although_one_process_delivers(receiver, start_worker):
    slow, fast, gate = receiver(), receiver(), threading.Event()
    slow.usual = Answer(wait=gate)
    endpoint(slow.url, "post.removed", clock=now)
    endpoint(fast.url, "post.removed", clock=now)
    start_worker("delivery", concurrency=2, pool="threads")
    removed_posts(3)
    tick()

    assert until(lambda: len(fast.got) == 3 and len(slow.got) == 1)
    removed_posts(2)
    tick()
    assert until(lambda: len(fast.got) == 5, seconds=10)
    assert len(slow.got) == 1  # its one lane is still waiting
    gate.set()

    assert until(all_done, pause=0.5)
    assert len({got.id for got in slow.got}) == len(slow.got) == 5


def test_two_workers_and_double_messages_deliver_each_event_once(receiver, start_worker):
    hook = receiver()
    endpoint(hook.url, "post.removed", clock=now)
    for _ in range(2):
        start_worker("delivery", concurrency=2, pool="threads")
    removed_posts(10)
    lane = str(WebhookEndpoint.objects.get().pk)
    for _ in range(10):
        tick()
        tasks.deliver_to.apply_async((lane,), queue="delivery", retry=False)

    assert until(all_done, pause=0.2)
    assert len(hook.got) == len({got.id for got in hook.got}) == 10
