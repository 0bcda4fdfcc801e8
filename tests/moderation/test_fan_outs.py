"""One decision over many posts: every post once, the newest decision, and never a silent half."""

import pytest

from moderation.caller import SYSTEM
from moderation.errors import Conflict, Refused
from moderation.ids import new_id
from moderation.models import AuditRow, ChangeFeed, EffectiveState, FanOut, Notice, Outbox
from moderation.selectors import inputs
from moderation.services import clusters, decisions, enforcement, fan_outs
from tests.factories import platform as p

pytestmark = pytest.mark.django_db

POSTS = 13


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(enforcement, "FAN_OUT_BATCH", 2)


@pytest.fixture
def versions(clock):
    made = [p.post(f"Post {n}.", actor=f"page-{n}", clock=clock).current_version for n in range(POSTS)]
    p.settle(clock)
    return made


@pytest.fixture
def cluster(versions, clock):
    made = clusters.create(now=clock())
    clusters.add_copies(made.pk, versions, caller=SYSTEM, now=clock())
    p.settle(clock)
    return made


def decide(cluster, outcome: str, *, clock):
    return decisions.stand(
        cluster.pk,
        outcome=outcome,
        contested=False,
        presentation={},
        rated_version=None,
        source="test",
        source_key=str(new_id()),
        caller=SYSTEM,
        now=clock.advance(seconds=1),
    )


def work(times: int, clock) -> None:
    assert enforcement.drain("effects", limit=times, now=clock) == times


def feeds() -> list[int]:
    return list(EffectiveState.objects.order_by("post_id").values_list("feed_bp", flat=True))


def test_every_post_of_a_claim_is_stored_fed_and_told_once(cluster, versions, clock):
    decide(cluster, "false", clock=clock)
    p.settle(clock)

    assert feeds() == [2000] * POSTS
    assert set(EffectiveState.objects.values_list("version", flat=True)) == {1}
    assert ChangeFeed.objects.count() == Notice.objects.count() == POSTS
    assert Notice.objects.values("actor").distinct().count() == POSTS
    progress = FanOut.objects.get()
    assert (progress.total, progress.done, progress.finished_at) == (POSTS, POSTS, clock())


def test_after_the_first_batch_two_workers_share_the_rest(cluster, clock):
    decide(cluster, "false", clock=clock)
    work(1, clock)

    payloads = list(
        Outbox.objects.filter(kind="recompute_cluster").order_by("id").values_list("payload", flat=True)
    )
    assert len(payloads) == 2
    assert payloads[0]["upto"] == payloads[1]["after"]
    p.settle(clock)
    assert feeds() == [2000] * POSTS


def test_posts_that_differ_in_one_input_get_each_their_own_state(cluster, versions, clock):
    """Edited, in two claims, judged on its own: none is taken for its neighbours."""
    edited, removed, twice = versions[1].post, versions[2].post, versions[3]
    p.edit(edited, "Post 1, with another word.", clock=clock)
    p.removed(removed, clock=clock)
    other = clusters.create(now=clock())
    clusters.add(other.pk, twice, caller=SYSTEM, now=clock(), by_person=True)
    decide(other, "partly_false", clock=clock)
    decide(cluster, "altered", clock=clock)
    p.settle(clock)

    stored = {s.post_id: s.document for s in EffectiveState.objects.all()}
    assert stored[edited.pk]["made_on_earlier_version"]
    assert stored[removed.pk]["removed"]
    assert len(stored[twice.post_id]["because"]) == 2
    plain = stored[versions[5].post_id]
    assert not plain["made_on_earlier_version"] and not plain["removed"] and len(plain["because"]) == 1
    alone = {i: inputs.compute([i], now=clock())[i].document for i in stored}
    assert stored == alone


def test_a_newer_decision_ends_an_older_fan_out_that_still_runs(cluster, clock):
    decide(cluster, "false", clock=clock)
    work(2, clock)
    older = FanOut.objects.get()

    decide(cluster, "partly_false", clock=clock)

    newer = FanOut.objects.exclude(pk=older.pk).get()
    older.refresh_from_db()
    assert (older.superseded_by, older.finished_at, newer.finished_at) == (newer, clock(), None)
    p.settle(clock)
    older.refresh_from_db()
    assert older.done == 4  # nothing was done twice for a decision that holds no more
    assert feeds() == [5000] * POSTS
    versions = EffectiveState.objects.order_by("post_id").values_list("version", flat=True)
    assert sorted(versions) == [1] * (POSTS - 4) + [2] * 4
    newer.refresh_from_db()
    assert newer.done == newer.total == POSTS


def test_a_paused_fan_out_waits_is_told_of_and_goes_on_where_it_was(cluster, clock):
    adam = p.administrator(clock=clock)
    decide(cluster, "false", clock=clock)
    work(1, clock)
    running = FanOut.objects.get()

    fan_outs.pause(running.pk, caller=adam, now=clock())
    fan_outs.pause(running.pk, caller=adam, now=clock())
    p.settle(clock)
    clock.advance(hours=1)
    p.settle(clock)

    assert feeds().count(2000) == 2
    assert enforcement.sweep(now=clock())["paused"] == 1
    assert not Outbox.objects.filter(failed_at__isnull=False).exists()

    fan_outs.resume(running.pk, caller=adam, now=clock())
    p.settle(clock)

    assert feeds() == [2000] * POSTS
    running.refresh_from_db()
    assert (running.done, running.paused_at, running.finished_at) == (POSTS, None, clock())
    assert AuditRow.objects.filter(event="fan_out_paused").count() == 1
    assert AuditRow.objects.filter(event="fan_out_resumed").count() == 1


def test_a_pause_does_not_hold_a_newer_decision_back(cluster, clock):
    decide(cluster, "false", clock=clock)
    work(1, clock)
    fan_outs.pause(FanOut.objects.get().pk, caller=p.administrator(clock=clock), now=clock())

    decide(cluster, "", clock=clock)
    p.settle(clock)
    clock.advance(hours=1)
    p.settle(clock)

    assert feeds() == [10_000] * POSTS
    assert not Outbox.objects.exists()
    assert not FanOut.objects.filter(finished_at__isnull=True).exists()


def test_only_an_administrator_pauses_and_only_what_runs(cluster, clock):
    decide(cluster, "false", clock=clock)
    running = FanOut.objects.get()
    for act in (fan_outs.pause, fan_outs.resume):
        with pytest.raises(Refused):
            act(running.pk, caller=p.specialist(clock=clock), now=clock())
    p.settle(clock)

    for act in (fan_outs.pause, fan_outs.resume):
        with pytest.raises(Conflict) as refusal:
            act(running.pk, caller=p.administrator(clock=clock), now=clock())
        assert refusal.value.code == "finished"
