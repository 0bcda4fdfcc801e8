"""Is it alive, and does work get through? Health is a round trip through each queue, not a live process."""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Count, Min, QuerySet

from moderation.enums import OutboxKind
from moderation.models import FanOut, Outbox
from moderation.redis_client import key, server
from moderation.services import audit, changes

ECHO_SECONDS = 60
ALIVE_MS = 24 * 3600 * 1000  # how long Redis remembers an answer; what is left says when it came
_send_echo: Callable[[str, str], None] | None = None


@dataclass(frozen=True)
class QueueHealth:
    queue: str
    waiting: int
    age: float  # seconds the oldest row has waited
    failed: int
    last_echo: float | None  # seconds since a worker last answered


def hang_echo(send: Callable[[str, str], None]) -> None:
    """Set what sends an echo task to a queue: moderation.tasks does, at start-up."""
    global _send_echo
    _send_echo = send


def round_trip(queue: str, *, timeout: float) -> float | None:
    """Send a task through the queue and wait for its answer; seconds it took, or None after `timeout`."""
    token = uuid.uuid4().hex
    started = time.monotonic()
    if _send_echo is None:
        return None
    while (left := timeout - (time.monotonic() - started)) > 0:
        try:
            _send_echo(queue, token)
            if server().client.blpop(
                [key("echo", token)], timeout=min(left, settings.REDIS_TIMEOUT_SECONDS * 0.8)
            ):
                return time.monotonic() - started
        except (redis.RedisError, OSError):
            time.sleep(0.2)
    return None


def answer_echo(queue: str, token: str) -> None:
    """What the echo task does: answer, and note that this queue's worker lives."""
    client = server().client
    with client.pipeline() as pipe:
        pipe.rpush(key("echo", token), 1)
        pipe.expire(key("echo", token), ECHO_SECONDS)
        pipe.set(key("alive", queue), 1, px=ALIVE_MS)
        pipe.execute()


def database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            return bool(cursor.fetchone())
    except DatabaseError:
        return False


def redis_answers() -> bool:
    try:
        return bool(server().client.ping())
    except redis.RedisError:
        return False


def queues(*, now: datetime) -> list[QueueHealth]:
    """Each queue: what waits, how long, what was set aside, and when a worker last answered."""
    waiting = {
        row["queue"]: row
        for row in Outbox.objects.filter(failed_at__isnull=True)
        .values("queue")
        .annotate(n=Count("id"), oldest=Min("at"))
        .order_by("queue")
    }
    failed = dict(
        Outbox.objects.filter(failed_at__isnull=False)
        .values_list("queue")
        .annotate(n=Count("id"))
        .order_by("queue")
    )
    found = []
    # Work of another release may wait in a queue that no worker of this one asks.
    for name in dict.fromkeys([*settings.TASK_QUEUES, *sorted(waiting), *sorted(failed)]):
        row = waiting.get(name)
        age = max((now - row["oldest"]).total_seconds(), 0.0) if row else 0.0
        found.append(QueueHealth(name, row["n"] if row else 0, age, failed.get(name, 0), _last_echo(name)))
    return found


def silences() -> dict[str, float | None]:
    """Seconds since a worker last answered, by queue; None where none has yet, empty without Redis."""
    try:
        with server().client.pipeline(transaction=False) as pipe:
            for queue in settings.TASK_QUEUES:
                pipe.pttl(key("alive", queue))
            return dict(zip(settings.TASK_QUEUES, map(_silence, pipe.execute()), strict=True))
    except redis.RedisError:
        return {}


def _last_echo(queue: str) -> float | None:
    try:
        return _silence(server().client.pttl(key("alive", queue)))
    except redis.RedisError:
        return None


def _silence(left_ms: int) -> float | None:
    """Seconds since an answer, by the one clock that all ask: this host's and the worker's may differ."""
    return max(ALIVE_MS - left_ms, 0) / 1000 if left_ms >= 0 else None


def not_understood() -> "QuerySet[Outbox]":
    """Work and messages that this release's workers met and do not know; kept until one of another does."""
    known = [kind for kind in OutboxKind.values if kind != OutboxKind.MESSAGE]
    return Outbox.objects.filter(attempts__gt=0).exclude(kind__in=known).order_by("at", "id")


def summary(*, now: datetime) -> dict[str, object]:
    """The numbers of the system page."""
    return {
        "queues": queues(now=now),
        "changes": changes.waiting(now=now),
        "unsealed": audit.unsealed(),
        "failed": list(Outbox.objects.filter(failed_at__isnull=False).order_by("-failed_at")[:50]),
        "not_understood": list(not_understood().filter(failed_at__isnull=True)[:50]),
        "fan_outs": list(
            FanOut.objects.filter(finished_at__isnull=True, started_at__lte=now)
            .select_related("policy", "switch")
            .order_by("-started_at")[:20]
        ),
        "database": database_answers(),
        "redis": redis_answers(),
    }
