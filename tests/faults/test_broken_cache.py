"""The cache may be empty, flushed, restarted, slow or full: what is looked up is right (OPS-03)."""

import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import redis
from django.utils import timezone

from factcheck.services import ratings
from moderation import effective_cache
from moderation.effective_cache import Entry
from moderation.models import EffectiveState, Outbox
from moderation.selectors import distribution
from moderation.services import effects, enforcement
from tests.factories import platform as p
from tests.factories import programme as f
from tests.faults.slow_socket import slowed

now = timezone.now


@pytest.fixture
def rita(stage):
    return f.reviewer(f.partner(clock=now), clock=now)


@pytest.fixture
def post(rita):
    """A post that is known to have no effect, also to the cache."""
    made = p.post(clock=now)
    work()
    assert looked_up(made) == 1.0
    assert effective_cache.read([made.pk])[made.pk].document is None
    return made


def work() -> None:
    while sum(enforcement.drain(queue, limit=1000) for queue in p.QUEUES):
        pass


def looked_up(post) -> float:
    return p.feed_of(post, clock=now)


def test_an_empty_and_a_flushed_cache_are_read_as_unknown_and_filled_again(stage, post, rita):
    f.rate(post, by=rita, clock=now)
    work()

    for _ in range(2):
        stage.redis().flushall()
        assert effective_cache.read([post.pk]) == {}
        assert looked_up(post) == 0.2
        assert effective_cache.read([post.pk])[post.pk].version == 1


def test_keys_that_a_restart_brought_back_are_not_read(stage, post, rita):
    """The log of writes may lack its last second: what it restores may be outdated."""
    before = effective_cache.read([post.pk])
    assert before
    stage.services.kill("valkey")
    f.rate(post, by=rita, clock=now)
    work()
    stage.services.start("valkey")
    stage.forget_failures()

    assert stage.redis().keys("*effect*")  # restored, and ignored
    assert looked_up(post) == 0.2


def test_keys_restored_by_a_restart_between_two_commands_are_not_read(stage, post):
    """The run id is known from before; the reconnect happens inside the very read."""
    server = effective_cache.server()
    assert server.run_id()
    stage.services.kill("valkey")
    stage.services.start("valkey")

    assert effective_cache.read([post.pk]) == {}
    assert looked_up(post) == 1.0


def test_a_reader_that_was_overtaken_by_a_decision_and_a_flush_does_not_bring_the_old_state_back(
    stage, post, rita
):
    epoch = effective_cache.epoch()
    old = EffectiveState.objects.get(post=post)  # read, and now the reader dawdles
    f.rate(post, by=rita, clock=now)
    work()
    stage.redis().flushall()

    assert not effective_cache.write([(post.pk, Entry(old.version, None, old.document))], epoch)
    assert looked_up(post) == 0.2


def test_a_late_writer_never_replaces_a_newer_state(stage, post, rita):
    epoch = effective_cache.epoch()
    f.rate(post, by=rita, clock=now)
    work()

    assert effective_cache.write([(post.pk, Entry(0, None, None))], epoch)
    assert looked_up(post) == 0.2


def test_what_is_no_entry_of_ours_is_read_as_unknown(stage, post):
    (name,) = [k for k in stage.redis().keys("*effect*") if not k.endswith(b"epoch")]
    for garbage in (b"", b"|", b"1||{", b"x||", b"\xff\xfe|x|y"):
        stage.redis().set(name, garbage)
        assert looked_up(post) == 1.0


def test_a_slow_cache_costs_one_time_out_and_then_nothing_for_a_while(stage, post, rita, tmp_path, settings):
    f.rate(post, by=rita, clock=now)
    work()
    real = stage.services.redis_url
    path = Path(f"/tmp/slow-{tmp_path.name}-{time.time_ns()}.sock")
    with slowed(Path(urlsplit(real).path), path, seconds=settings.REDIS_TIMEOUT_SECONDS * 3):
        stage.use_redis(f"unix://{path}?db=0")
        try:
            asked = time.monotonic()
            assert looked_up(post) == 0.2
            first = time.monotonic() - asked
            asked = time.monotonic()
            answers = distribution.lookup([str(post.pk)] * 50, now=now())
            then = time.monotonic() - asked
        finally:
            stage.use_redis(real)
            path.unlink()

    assert len(answers) == 50
    assert settings.REDIS_TIMEOUT_SECONDS <= first < settings.REDIS_TIMEOUT_SECONDS * 2
    assert then < settings.REDIS_TIMEOUT_SECONDS / 2


def fill(stage) -> None:
    """Leave Redis no memory at all, under the policy that refuses instead of evicting."""
    client = stage.redis()
    client.config_set("maxmemory-policy", "noeviction")
    client.config_set("maxmemory", 100_000)
    with pytest.raises(redis.ResponseError, match="maxmemory"):
        client.set("one-more", b"x")


def test_a_full_cache_never_serves_what_it_could_not_renew(stage, post, rita):
    fill(stage)
    try:
        p.flag(post, clock=now)
        f.rate(post, by=rita, clock=now)
        work()

        assert effective_cache.read([post.pk]) == {}  # the outdated value went
        assert looked_up(post) == 0.2
        assert Outbox.objects.filter(kind="publish").exists()
    finally:
        stage.redis().config_set("maxmemory", 0)
    stage.forget_failures()
    Outbox.objects.update(available_at=now())
    work()
    assert not Outbox.objects.exists()
    assert effective_cache.read([post.pk])[post.pk].version == 1


def test_a_cache_that_is_away_for_an_hour_gets_every_state_afterwards(stage, post, rita, clock):
    clock.now = now()
    f.rate(post, by=rita, clock=clock)
    stage.services.stop("valkey")
    for _ in range(20):
        stage.forget_failures()
        for queue in p.QUEUES:
            enforcement.drain(queue, limit=100, now=clock)
        clock.advance(minutes=5)
    waiting = Outbox.objects.get()
    assert (waiting.kind, waiting.failed_at) == ("publish", None)
    assert waiting.attempts > enforcement.MAX_ATTEMPTS

    stage.services.start("valkey")
    stage.forget_failures()
    enforcement.drain("effects", limit=10, now=clock)
    assert not Outbox.objects.exists()
    assert effective_cache.read([post.pk])[post.pk].version == 1


def test_an_evicting_cache_only_costs_time(stage, post, rita):
    rating = f.rate(post, by=rita, clock=now)
    work()
    client = stage.redis()
    client.config_set("maxmemory-policy", "allkeys-lru")
    client.config_set("maxmemory", client.info("memory")["used_memory"] + 200_000)
    try:
        for number in range(2000):
            client.set(f"ballast-{number}", b"x" * 10_000)
        assert looked_up(post) == 0.2
        ratings.withdraw(rating.pk, reason="Wrong.", caller=rita, now=now())
        work()
        assert looked_up(post) == 1.0
    finally:
        client.config_set("maxmemory", 0)
        client.config_set("maxmemory-policy", "noeviction")
    assert effects.publish([post.pk])
