"""Somebody sets the clock of a worker or of beat (CEL-06): work is neither lost, late for hours, nor done twice."""

import pytest
from django.conf import settings
from django.utils import timezone

from moderation.models import ChangeFeed, EffectiveState, Notice, Outbox, Strike
from moderation.redis_client import key, server
from moderation.services import changes, enforcement, health
from tests.factories import platform as p
from tests.factories import programme as f
from tests.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)
now = timezone.now
HOUR = 3600


@pytest.fixture
def clock(tmp_path):
    """The wall clock of the processes that are given it; `set(seconds)` ahead of the true one."""
    path = tmp_path / "clock"
    path.write_text("0")
    return path


@pytest.fixture
def rita():
    return f.reviewer(f.partner(clock=now), clock=now)


def rate(number: int, *, by):
    post = p.post(f"The well in street {number} is poisoned.", actor=f"page-{number}", clock=now)
    f.rate(post, "false", by=by, clock=now, claim=f"Well {number} is poisoned.")
    return post


def nothing_is_owed() -> bool:
    enforcement.sweep(now=now())
    return not Outbox.objects.exists()


@pytest.mark.parametrize("steps", [(0, 2 * HOUR, -1 * HOUR), (-5 * HOUR, 9 * HOUR, 0)])
def test_a_worker_whose_clock_is_set_does_everything_once_and_at_once(start_worker, clock, rita, steps):
    start_worker(clock=clock)
    posts = []
    for number, seconds in enumerate(steps):
        clock.write_text(str(seconds))
        posts += [rate(2 * number, by=rita), rate(2 * number + 1, by=rita)]

        assert until(nothing_is_owed, seconds=20, pause=0.5), list(Outbox.objects.values())
        assert [p.feed_of(post, clock=now) for post in posts] == [0.2] * len(posts)

    changes.sequence()
    # A worker that is behind may also say "not yet", about what was decided a moment ago by the true clock.
    assert ChangeFeed.objects.filter(document__isnull=False).count() == len(posts)
    assert Strike.objects.count() == Notice.objects.count() == len(posts)
    assert {state.document["multipliers"]["feed"] for state in EffectiveState.objects.all()} == {0.2}


def test_what_failed_while_the_clock_was_ahead_is_tried_again_in_minutes_not_hours(clock, rita, monkeypatch):
    fast = p.Clock()
    post = p.post(clock=fast)
    p.settle(fast)
    row = Outbox.objects.create(
        kind="recompute_post", queue="effects", target=post.pk, at=fast(), attempts=3,
        available_at=fast.advance(hours=3), error="x",
    )  # fmt: skip

    fast.advance(hours=-3)
    enforcement.drain("effects", limit=10, now=fast)

    assert not Outbox.objects.filter(pk=row.pk).exists()


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Kolkata"])
def test_beat_keeps_its_beat_when_the_clock_is_set_wherever_it_stands(start_worker, clock, monkeypatch, zone):
    monkeypatch.setenv("TZ", zone)
    start_worker(clock=clock)
    start_worker(clock=clock, beat=True)
    for seconds in (0, 2 * HOUR, -3 * HOUR, HOUR, 0):
        clock.write_text(str(seconds))
        for queue in settings.TASK_QUEUES:
            server().client.delete(key("alive", queue))

        assert until(lambda: None not in health.silences().values(), seconds=20)
        assert all(silence < 20 for silence in health.silences().values())


def test_every_beat_is_an_interval_so_that_no_local_time_is_asked():
    assert settings.CELERY_TIMEZONE == settings.TIME_ZONE == "UTC"
    assert {type(entry["schedule"]) for entry in settings.CELERY_BEAT_SCHEDULE.values()} == {float}
    assert not [name for name, e in settings.CELERY_BEAT_SCHEDULE.items() if "expires" in e["options"]]
