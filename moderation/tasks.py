"""Tasks are doorbells: what they do is in the outbox and the services. Safe to ring twice, or never."""

import logging
import time
import uuid

import redis
from celery import Task, shared_task
from celery.signals import task_failure
from django.conf import settings
from django.db import connections
from django.utils import timezone
from kombu.exceptions import OperationalError

from moderation.redis_client import key, server
from moderation.services import (
    announcements,
    audit,
    changes,
    deliveries,
    enforcement,
    health,
    notices,
    outbox,
    people,
    repeats,
    standings,
    webhooks,
)

logger = logging.getLogger(__name__)

REST_AFTER_FAILURE = 2.0  # seconds in which a broker that did not answer is not asked again
BELL_SECONDS = 5  # a bell that nobody answered for so long may be lost: the next one is rung again
# Flags come in crowds. For this long the bell hangs and more rows gather, so that a flood wakes the worker
# a few times a second and not once per flag; nobody waits for what this queue does.
GATHER_SECONDS = {"maintenance": 0.2}
_broker_absent_until = 0.0


@task_failure.connect(dispatch_uid="moderation.renew_connections")
def _renew_connections(**_: object) -> None:
    """A connection is kept over many tasks; one that PostgreSQL ended must not be kept by the next."""
    for connection in connections.all(initialized_only=True):
        connection.close_if_unusable_or_obsolete()


@shared_task
def drain_outbox(queue: str) -> int:
    """Do what waits in one queue of the outbox; returns how many rows were done."""
    time.sleep(GATHER_SECONDS.get(queue, 0.0))
    _answer_bell(queue)
    started = time.monotonic()
    done = enforcement.drain(queue, limit=settings.OUTBOX_BATCH)
    if done and queue in ("effects", "urgent"):
        changes.sequence()
    if done >= settings.OUTBOX_BATCH or time.monotonic() - started > enforcement.DRAIN_SECONDS:
        _ring(queue)  # more waits: the next task goes on, after those that came in between
    return done


@shared_task
def sequence_changes() -> int:
    """Give committed changes their place in the feed."""
    return changes.sequence()


@shared_task
def sweep() -> dict[str, int]:
    """Find what is late: effects that ended by time, bells that were lost; forget what expired."""
    now = timezone.now()
    found = enforcement.sweep(now=now)  # first: what is forgotten late harms nobody
    standings.fall(now=now)
    announcements.items_due_soon(now=now)
    deliveries.give_up(now=now)
    deliveries.forget(now=now)
    webhooks.forget_secrets(now=now)
    people.clear_old_sessions(now=now)
    repeats.clear_old(now=now)
    changes.trim(now=now)
    return found


@shared_task
def seal_audit() -> int:
    """Chain audit rows that have no seal yet."""
    return audit.seal()


@shared_task
def deliver_notices() -> int:
    """Send notices whose dwell is over."""
    return notices.deliver(now=timezone.now())


@shared_task
def deliver_webhooks() -> None:
    """Make the deliveries of new events, and wake a lane for each endpoint that something is due to."""
    _answer_bell(announcements.QUEUE)
    for endpoint_id in deliveries.turn(now=timezone.now()):
        _ring_lane(str(endpoint_id))


@shared_task
def deliver_to(endpoint_id: str) -> None:
    """Send what is due to one endpoint, for a turn; the rest after the others' turns."""
    _answer_bell(endpoint_id)
    if deliveries.work(uuid.UUID(endpoint_id)):
        _ring_lane(endpoint_id)


@shared_task
def echo(queue: str, token: str) -> None:
    """Answer a health check through the queue it came by."""
    health.answer_echo(queue, token)


@shared_task
def beat_heartbeat() -> None:
    """Send an echo through every queue, so that the system page shows when each worker last answered."""
    for queue in settings.TASK_QUEUES:
        _send_echo(queue, "heartbeat")


def _send_echo(queue: str, token: str) -> None:
    echo.apply_async((queue, token), queue=queue, retry=False)


def _ring(queue: str) -> None:
    """Wake a worker. A dead broker costs one second, once; beat and the sweep ring again.

    One bell per queue hangs at a time, so that a flood behind a stopped worker does not fill the broker:
    a drain takes its bell down before it looks, and finds what came until then.
    """
    if queue == announcements.QUEUE:
        _send(queue, deliver_webhooks, (), queue=queue)
    else:
        _send(queue, drain_outbox, (queue,), queue=queue)


def _ring_lane(endpoint_id: str) -> None:
    _send(endpoint_id, deliver_to, (endpoint_id,), queue=announcements.QUEUE)


def _send(bell: str, task: Task, arguments: tuple[str, ...], *, queue: str) -> None:
    global _broker_absent_until
    if time.monotonic() < _broker_absent_until:
        return
    try:
        if server().client.set(key("bell", bell), 1, nx=True, ex=BELL_SECONDS):
            task.apply_async(arguments, queue=queue, retry=False)
    except (OperationalError, OSError, redis.RedisError) as error:
        _broker_absent_until = time.monotonic() + REST_AFTER_FAILURE
        logger.warning("bell_not_heard", extra={"queue": queue, "error": str(error)})


def _answer_bell(bell: str) -> None:
    try:
        server().client.delete(key("bell", bell))
    except redis.RedisError as error:
        logger.warning("bell_not_taken_down", extra={"bell": bell, "error": str(error)})


def hang_bells() -> None:
    """Connect the services' bell and echo to Celery; called when the app is ready."""
    outbox.hang_bell(_ring)
    health.hang_echo(_send_echo)
