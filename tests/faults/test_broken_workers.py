"""Workers are killed, messages vanish, come twice or out of order: what was decided happens once (CEL-02..05)."""

from datetime import timedelta

import pytest
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from factcheck.models import Rating
from moderation import tasks
from moderation.enums import Ground
from moderation.models import ChangeFeed, EffectiveState, Notice, Outbox, Strike
from moderation.services import audit, changes, enforcement, escalations, health
from moderation.services.escalations import CaseRef
from tests.factories import platform as p
from tests.factories import programme as f
from tests.faults.stage import nothing_is_owed
from tests.waiting import until

POSTS = 100
now = timezone.now


@pytest.fixture
def rita(stage):
    return f.reviewer(f.partner(clock=now), clock=now)


def rate(number: int, *, by) -> object:
    post = p.post(f"The well in street {number} is poisoned.", actor=f"page-{number}", clock=now)
    f.rate(post, "false", by=by, clock=now, claim=f"Well {number} is poisoned.")
    return post


def hidden_for(seconds: float):
    """A post that one specialist hid so long ago that it shows again in so many seconds."""
    post = p.post(clock=now)
    paula = p.specialist(clock=now)
    then = now() - timedelta(hours=24) + timedelta(seconds=seconds)
    case, _ = escalations.open_case(
        version_id=post.current_version_id, ground=Ground.HATE, note="", caller=paula, now=then
    )
    escalations.hide(CaseRef(case.pk, case.version), explanation="Until seen.", caller=paula, now=then)
    return post


def owed_and_logs(stage) -> str:
    owed = Outbox.objects.values("queue", "kind", "attempts", "error", "available_at")
    return f"{list(owed)}\n{stage.logs()}"


def messages(stage) -> int:
    """How many messages wait in the broker."""
    prefix = f"{settings.REDIS_PREFIX}celery:"
    return sum(stage.redis().llen(f"{prefix}{queue}") for queue in settings.TASK_QUEUES)


def test_a_worker_killed_among_a_hundred_ratings_and_a_flushed_broker_lose_and_double_nothing(stage, rita):
    worker, _ = stage.worker(), stage.beat()
    posts = [rate(number, by=rita) for number in range(POSTS // 2)]
    assert until(lambda: EffectiveState.objects.filter(version__gt=0).exists())
    stage.kill(worker)
    posts += [rate(number, by=rita) for number in range(POSTS // 2, POSTS)]
    stage.redis().flushall()

    backlog = {q.queue: q for q in health.queues(now=now())}["effects"]
    assert backlog.waiting > 0 and backlog.age > 0
    assert backlog.last_echo is None

    stage.worker()
    assert until(nothing_is_owed, seconds=120), owed_and_logs(stage)
    changes.sequence()
    assert [p.feed_of(post, clock=now) for post in posts] == [0.2] * POSTS
    assert list(EffectiveState.objects.values_list("version", flat=True)) == [1] * POSTS
    assert ChangeFeed.objects.count() == Strike.objects.count() == Notice.objects.count() == POSTS
    audit.seal()
    assert audit.verify() == []


def test_a_rating_that_is_rolled_back_leaves_no_work_and_rings_no_bell(stage, rita):
    post = p.post(clock=now)
    enforcement.drain("matching", limit=10)
    stage.redis().flushall()

    with pytest.raises(RuntimeError), transaction.atomic():
        f.rate(post, "false", by=rita, clock=now)
        raise RuntimeError("The server fails before the commit.")

    assert not Rating.objects.exists()
    assert not Outbox.objects.exists()
    assert not Notice.objects.exists()
    assert messages(stage) == 0


def test_a_rating_while_redis_is_down_is_kept_at_once_and_takes_effect_when_it_is_back(stage, rita):
    stage.worker(), stage.beat()
    stage.services.stop("valkey")

    asked = now()
    post = rate(1, by=rita)

    assert now() - asked < timedelta(seconds=8)
    assert Rating.objects.count() == 1
    enforcement.drain("effects", limit=10)
    assert p.feed_of(post, clock=now) == 0.2  # from PostgreSQL, without a cache
    another = rate(2, by=rita)
    stage.services.start("valkey")
    assert until(lambda: nothing_is_owed() and p.feed_of(another, clock=now) == 0.2), stage.logs()


def test_a_broker_restarted_three_times_finds_the_worker_listening_again(stage, rita):
    stage.worker(), stage.beat()
    for _ in range(3):
        stage.services.kill("valkey")
        stage.services.start("valkey")

    post = rate(1, by=rita)

    assert until(lambda: p.feed_of(post, clock=now) == 0.2), stage.logs()
    assert until(lambda: health.round_trip("effects", timeout=5) is not None), stage.logs()


def test_two_beats_do_what_is_due_once(stage):
    stage.worker(), stage.beat(), stage.beat()
    post = hidden_for(12)
    assert until(lambda: EffectiveState.objects.get().removed)

    assert until(lambda: not EffectiveState.objects.get().removed and nothing_is_owed()), stage.logs()

    assert p.lookup(post, clock=now) is None
    assert EffectiveState.objects.get().version == 2
    assert until(lambda: not Notice.objects.filter(sent_at__isnull=True).exists()), stage.logs()
    assert sorted(Notice.objects.values_list("kind", flat=True)) == ["hidden", "restored"]


def test_bells_that_ring_often_late_and_for_nothing_do_no_harm(stage, rita):
    posts = [rate(number, by=rita) for number in range(5)]
    for _ in range(20):
        for queue in reversed(settings.TASK_QUEUES):
            tasks.drain_outbox.apply_async((queue,), queue=queue, retry=False)

    stage.worker()

    assert until(nothing_is_owed), stage.logs()
    assert list(EffectiveState.objects.values_list("version", flat=True)) == [1] * 5
    assert [p.feed_of(post, clock=now) for post in posts] == [0.2] * 5


def test_a_flood_behind_a_stopped_worker_hangs_one_bell_per_queue(stage):
    post = p.post(clock=now)
    for _ in range(30):
        p.flag(post, clock=now)

    assert messages(stage) <= len(settings.TASK_QUEUES)


def test_a_hide_ends_on_the_second_although_every_worker_is_stopped(stage):
    post = hidden_for(4)
    enforcement.drain("urgent", limit=10)
    ends = EffectiveState.objects.get().valid_until
    assert p.lookup(post, clock=now)["removed"]

    assert until(lambda: p.lookup(post, clock=now) is None)

    assert timedelta(0) <= now() - ends < timedelta(seconds=1)
    assert EffectiveState.objects.get().removed  # nobody worked: the answer came from the decisions
