"""A worker is killed at each step of a decision's way to many posts; another one goes on: nothing is lost,
nothing is applied twice, and what is late is counted (CEL-02)."""

import pytest
from django.utils import timezone

from moderation import effective_cache
from moderation.caller import SYSTEM
from moderation.models import ChangeFeed, EffectiveState, FanOut, Notice, Outbox, Post
from moderation.services import changes, clusters, decisions, enforcement, health, outbox
from tests.factories import platform as p
from tests.faults.test_killed_workers import forget_every_message
from tests.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)

POSTS = 8
POINTS = ("before store", "after store", "before publish", "after publish", "before next batch")
now = timezone.now


def no_effect_is_owed() -> bool:
    """After one more tick of beat's sweep, which wakes the workers for what is late."""
    enforcement.sweep(now=now())
    return not Outbox.objects.filter(queue="effects").exists()


@pytest.fixture
def decided():
    """A claim of some posts, rated false while no worker runs."""
    versions = [p.post(f"Post {n}.", actor=f"page-{n}", clock=now).current_version for n in range(POSTS)]
    made = clusters.create(now=now())
    clusters.add_copies(made.pk, versions, caller=SYSTEM, now=now())
    p.settle(now)
    assert decisions.stand(
        made.pk, outcome="false", contested=False, presentation={}, rated_version=None,
        source="test", source_key="1", caller=SYSTEM, now=now(),
    )  # fmt: skip


@pytest.mark.parametrize("point", POINTS)
def test_a_fan_out_whose_worker_was_killed_is_carried_on_to_the_last_post(
    decided, start_worker, monkeypatch, tmp_path, point
):
    died = tmp_path / "died"
    monkeypatch.setenv("VERACITY_DIES", point)
    monkeypatch.setenv("VERACITY_DIED", str(died))
    doomed = start_worker("effects", app="tests.faults.dying")
    enforcement.sweep(now=now())
    assert until(lambda: doomed.exit_code() is not None)

    assert died.exists()
    assert 0 < EffectiveState.objects.filter(version=1).count() < POSTS
    assert {q.queue: q.waiting for q in health.queues(now=now())}["effects"] > 0
    progress = FanOut.objects.get()
    assert progress.done == EffectiveState.objects.filter(version=1).count()
    assert progress.finished_at is None
    late = set(EffectiveState.objects.filter(version=0).values_list("post_id", flat=True))
    late |= {post for row in Outbox.objects.filter(kind="publish") for post in outbox.posts_of(row)}

    monkeypatch.delenv("VERACITY_DIES")
    forget_every_message()
    start_worker("effects")
    assert until(no_effect_is_owed, pause=0.5)

    changes.sequence()
    stored = {s.post_id: (s.version, s.feed_bp, s.document) for s in EffectiveState.objects.all()}
    assert {(version, feed) for version, feed, _ in stored.values()} == {(1, 2000)}
    assert ChangeFeed.objects.count() == Notice.objects.count() == len(stored) == POSTS
    progress.refresh_from_db()
    assert (progress.done, progress.total) == (POSTS, POSTS)
    assert progress.finished_at
    cached = effective_cache.read(list(stored))
    assert set(cached) >= late  # what was written after the messages were lost
    assert all((e.version, e.document) == (stored[i][0], stored[i][2]) for i, e in cached.items())
    assert {p.feed_of(post, clock=now) for post in Post.objects.all()} == {0.2}
