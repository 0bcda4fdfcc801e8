"""Messages and work of another release, or of nobody (CEL-07): kept, named, in nobody's way."""

import uuid

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from config.celery import app
from moderation import tasks
from moderation.enums import OutboxKind
from moderation.models import Outbox
from moderation.redis_client import key, server
from moderation.services import enforcement, health, outbox
from tests.factories import platform as p
from tests.factories.visitors import visit
from tests.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)
now = timezone.now
ROW = {"queue": "effects", "at": now(), "available_at": now(), "target": uuid.uuid4()}


@pytest.fixture(autouse=True)
def _an_empty_broker():
    client = server().client
    for name in client.scan_iter(f"{settings.REDIS_PREFIX}*", count=1000):
        client.delete(name)


def send(task: str, *args, queue: str = "effects", **kwargs) -> None:
    app.send_task(task, args, kwargs, queue=queue, retry=False)


def send_raw(body: bytes, content_type: str, **headers) -> None:
    with app.producer_pool.acquire() as producer:
        producer.publish(
            body, routing_key="effects", content_type=content_type, content_encoding="utf-8", headers=headers
        )


def not_understood() -> list[tuple[str, str]]:
    return [(row.payload.get("task", row.kind), row.error) for row in health.not_understood()]


def others_are_served(post) -> bool:
    """Whether work that this release knows gets done, and every queue answers."""
    outbox.put(OutboxKind.RECOMPUTE_POST, [post.pk], now=now())
    tasks.drain_outbox.apply_async(("effects",), queue="effects", retry=False)
    return until(lambda: not Outbox.objects.filter(target=post.pk).exists()) and all(
        health.round_trip(queue, timeout=20) is not None for queue in settings.TASK_QUEUES
    )


def test_a_message_to_a_task_of_tomorrow_waits_for_the_release_that_has_it(start_worker):
    post = p.post(clock=now)
    old = start_worker()
    for _ in range(3):
        send("moderation.tasks.of_tomorrow", 7, word="seven")
    send("moderation.tasks.of_tomorrow", 8, word="eight\0\ud800")

    assert until(lambda: health.not_understood().count() == 2)  # the same message three times is one
    assert others_are_served(post)
    assert not_understood()[0] == (
        "moderation.tasks.of_tomorrow",
        "This release has no task “moderation.tasks.of_tomorrow”.",
    )
    old.ask_to_stop()
    assert until(lambda: old.exit_code() is not None)
    start_worker(app="tests.faults.next_release")

    assert until(
        lambda: enforcement.sweep(now=now()) is not None and not health.not_understood().exists(), pause=0.5
    )
    assert until(lambda: server().client.llen(key("tomorrow")) == 2)
    assert sorted(server().client.lrange(key("tomorrow"), 0, -1))[0] == b"7 'seven'"


@pytest.mark.parametrize(
    ("task", "args", "kwargs"),
    [
        ("seal_audit", (5,), {}),
        ("seal_audit", (), {"limit": 5}),
        ("drain_outbox", (), {}),
        ("drain_outbox", ("effects",), {"since": "yesterday"}),
    ],
)
def test_a_message_with_other_arguments_is_kept_and_named(start_worker, task, args, kwargs):
    post = p.post(clock=now)
    start_worker()
    send(f"moderation.tasks.{task}", *args, **kwargs)

    assert until(lambda: health.not_understood().exists())
    ((name, why),) = not_understood()
    assert name == f"moderation.tasks.{task}"
    assert "argument" in why
    assert others_are_served(post)


def test_an_argument_of_tomorrow_is_understood_by_the_next_release(start_worker):
    old = start_worker()
    send("moderation.tasks.seal_audit", limit=5, queue="maintenance")
    assert until(lambda: health.not_understood().exists())
    old.ask_to_stop()
    assert until(lambda: old.exit_code() is not None)
    start_worker(app="tests.faults.next_release")

    assert until(
        lambda: enforcement.sweep(now=now()) is not None and not health.not_understood().exists(), pause=0.5
    )
    assert until(lambda: server().client.lrange(key("tomorrow"), 0, -1) == [b"sealed 5"])


@pytest.mark.parametrize(
    ("body", "content_type", "headers"),
    [
        (b"no json {", "application/json", {"task": "moderation.tasks.sweep", "id": "1"}),
        (b"\x80\x04N.\x00", "application/x-python-serialize", {"task": "moderation.tasks.sweep", "id": "2"}),
        (b'{"neither": "task nor arguments"}', "application/json", {}),
        (b'"\\u0000"', "application/json", {}),
    ],
)
def test_a_message_that_nobody_can_read_is_set_aside(start_worker, body, content_type, headers):
    post = p.post(clock=now)
    start_worker()
    send_raw(body, content_type, **headers)

    assert until(lambda: health.not_understood().exists())
    (row,) = health.not_understood()
    assert row.failed_at is not None
    assert row.payload["arguments"]
    assert [r.pk for r in health.summary(now=now())["failed"]] == [row.pk]
    assert others_are_served(post)


def test_work_of_a_kind_of_tomorrow_is_kept_without_end_and_done_by_the_release_that_knows_it(start_worker):
    post = p.post(clock=now)
    strange = Outbox.objects.create(kind="work_of_tomorrow", **ROW)
    old = start_worker()
    assert others_are_served(post)
    strange.refresh_from_db()
    assert (strange.attempts > 0, strange.failed_at) == (True, None)
    assert not_understood() == [
        (
            "work_of_tomorrow",
            "NotNow: This release does not know work of the kind “work_of_tomorrow”.",
        )
    ]
    old.ask_to_stop()
    assert until(lambda: old.exit_code() is not None)
    start_worker(app="tests.faults.next_release")

    assert until(
        lambda: enforcement.sweep(now=now()) is not None and not health.not_understood().exists(), pause=0.5
    )


def test_what_is_not_understood_stands_on_the_system_page_and_in_the_health_report(start_worker):
    Outbox.objects.create(kind="work_of_tomorrow", **ROW)
    start_worker()
    send("moderation.tasks.of_tomorrow", 7)
    enforcement.sweep(now=now())
    assert until(lambda: health.not_understood().count() == 2)

    page = visit(p.administrator(clock=now)).get("/system/").content.decode()

    assert "work_of_tomorrow" in page
    assert "moderation.tasks.of_tomorrow" in page
    assert Client().get("/healthz").json()["not_understood"] == 2


def test_work_in_a_queue_of_tomorrow_is_seen_and_rings_no_bell_that_nobody_hears():
    Outbox.objects.create(kind="recompute_post", **(ROW | {"queue": "tomorrow"}))

    enforcement.sweep(now=now())

    assert [q.waiting for q in health.queues(now=now()) if q.queue == "tomorrow"] == [1]
    assert server().client.llen(f"{settings.REDIS_PREFIX}celery:tomorrow") == 0
