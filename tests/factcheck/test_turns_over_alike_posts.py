"""Switches, webhooks and notices over posts that are carried out together: what differs stays apart."""

import pytest

from moderation.enums import NoticeKind
from moderation.errors import Conflict
from moderation.models import AuditRow, EffectiveState, FanOut, Notice, Outbox, Post, WebhookEvent
from moderation.selectors import inputs
from moderation.services import effects, enforcement, fan_outs, notices
from tests.factcheck.switch_fixtures import CLEAR, LIFT, rated, story
from tests.factories import platform as p
from tests.factories.receivers import endpoint
from tests.factories.switches import returned, switched_on

pytestmark = pytest.mark.django_db

COUNTRIES = ("US", "FR", "")


def alike(count: int, clock) -> list[Post]:
    """Posts of one text, each of an actor of its own, by turns at home in the COUNTRIES."""
    return [story(1, clock, actor=f"page-{n}", country=COUNTRIES[n % 3]) for n in range(count)]


def strike(post: Post, times: int, *, by, clock) -> None:
    """Other posts of its actor are rated false."""
    for n in range(times):
        other = p.post(
            f"Another story of {post.pk}, number {n}.",
            actor=post.actor.external_id,
            country=post.actor.country,
            clock=clock,
        )
        rated(other, by=by, clock=clock)
    p.settle(clock)


def stored() -> dict:
    return {s.post_id: s.document for s in EffectiveState.objects.all()}


def levels(posts: list[Post]) -> list[str]:
    return [stored()[post.pk]["actor_level"] for post in posts]


def each_alone(clock) -> dict:
    return {i: inputs.compute([i], now=clock())[i].document for i in stored()}


def test_copies_under_lifts_and_clearances_get_each_what_they_would_get_alone(uma, both, clock):
    posts = alike(6, clock)
    for struck in posts[1:3]:
        strike(struck, 3, by=uma, clock=clock)
    rated(posts[0], by=uma, clock=clock)
    p.settle(clock)
    assert levels(posts) == ["notice", *["repeat_offender"] * 2, *["none"] * 3]
    before = stored()

    lift = switched_on(LIFT, by=both, clock=clock, country="US")
    clear = switched_on(CLEAR, by=both, clock=clock, country="FR")

    assert stored() == each_alone(clock)
    shown = [p.feed_of(post, clock=clock, region="US") for post in posts]
    assert shown[0] == shown[1] == 1.0 and shown[2] < 1.0  # the strikes of the third are cleared nowhere
    assert levels(posts) == ["notice", "none", "repeat_offender", *["none"] * 3]

    returned(lift, by=both[0], clock=clock)
    returned(clear, by=both[1], clock=clock)
    assert stored() == before


def test_of_copies_that_a_switch_holds_back_only_those_are_told_that_were_not(uma, both, clock):
    early = alike(2, clock)
    rating = rated(early[0], by=uma, clock=clock)
    p.settle(clock)
    clock.advance(hours=7)
    assert notices.deliver(now=clock()) == 2
    late = story(1, clock, actor="page-late")
    p.settle(clock)
    assert p.feed_of(late, clock=clock) == 0.2

    lift = switched_on(LIFT, by=both, clock=clock)
    clock.advance(hours=7)
    assert notices.deliver(now=clock()) == 0
    returned(lift, by=both[0], clock=clock)
    clock.advance(hours=5)
    assert notices.deliver(now=clock()) == 0
    clock.advance(hours=2)
    assert notices.deliver(now=clock()) == 1

    assert rating.claim.cluster.members.filter(left_at__isnull=True).count() == 3
    assert Notice.objects.filter(kind=NoticeKind.RATED, sent_at__isnull=False).count() == 3
    assert Notice.objects.count() == 3


def test_copies_that_change_together_are_told_to_webhooks_each_by_its_own_name_and_version(uma, both, clock):
    endpoint("https://hooks.example/", "post.effect_changed", clock=clock)
    posts = alike(3, clock)
    p.removed(posts[2], clock=clock, regions=("LK",))
    p.settle(clock)
    WebhookEvent.objects.all().delete()

    rated(posts[0], by=uma, clock=clock)
    p.settle(clock)
    switched_on(LIFT, by=both, clock=clock, country="US")

    versions = dict(EffectiveState.objects.values_list("post_id", "version"))
    assert [versions[post.pk] for post in posts] == [2, 2, 3]
    events = WebhookEvent.objects.order_by("object_id", "version")
    assert [(e.object_id, e.version, e.data["external_id"], e.data["version"]) for e in events] == [
        (post.pk, number, post.external_id, number)
        for post in sorted(posts, key=lambda post: post.pk)
        for number in (versions[post.pk] - 1, versions[post.pk])
    ]
    assert {e.object_id: "LK" in e.data["regions"] for e in events} == {
        post.pk: post == posts[2] for post in posts
    }


# ── a pause ────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def lifting(uma, both, clock, monkeypatch):
    """A lift over four posts that is on and has reached none."""
    monkeypatch.setattr(enforcement, "FAN_OUT_BATCH", 2)
    posts = alike(4, clock)
    rated(posts[0], by=uma, clock=clock)
    p.settle(clock)
    return switched_on(LIFT, by=both, clock=clock, work=False)


def feeds() -> set[int]:
    return set(EffectiveState.objects.values_list("feed_bp", flat=True))


def test_a_switch_that_is_paused_before_it_reached_a_post_goes_on_at_once(lifting, both, clock):
    progress = FanOut.objects.get(switch=lifting)
    fan_outs.pause(progress.pk, caller=both[0], now=clock())
    p.settle(clock)
    assert feeds() == {2000}

    fan_outs.resume(progress.pk, caller=both[0], now=clock())
    p.settle(clock)

    assert feeds() == {10_000}
    progress.refresh_from_db()
    assert (progress.done, progress.finished_at) == (4, clock())
    assert not Outbox.objects.exists()


def test_a_paused_switch_that_is_returned_is_over(lifting, both, clock):
    enforcement.drain("effects", limit=1, now=clock)
    progress = FanOut.objects.get(switch=lifting)
    fan_outs.pause(progress.pk, caller=both[0], now=clock())
    p.settle(clock)

    clock.advance(seconds=1)
    returned(lifting, by=both[0], clock=clock)
    clock.advance(minutes=6)
    p.settle(clock)

    assert feeds() == {2000}
    assert not FanOut.objects.filter(finished_at__isnull=True).exists()
    assert not Outbox.objects.exists()
    assert enforcement.sweep(now=clock())["paused"] == 0


def test_a_pause_that_comes_while_the_last_batch_runs_comes_too_late(lifting, both, clock, monkeypatch):
    progress = FanOut.objects.get(switch=lifting)
    enforcement.drain("effects", limit=2, now=clock)
    progress.refresh_from_db()
    assert progress.done == 4 and progress.finished_at is None  # a last batch, without posts, is owed
    recompute = effects.recompute

    def paused_meanwhile(*args, **more):
        fan_outs.pause(progress.pk, caller=both[0], now=clock())
        return recompute(*args, **more)

    monkeypatch.setattr(effects, "recompute", paused_meanwhile)
    enforcement.drain("effects", limit=100, now=clock)

    progress.refresh_from_db()
    assert (progress.finished_at, progress.paused_at) == (clock(), None)
    assert AuditRow.objects.filter(event="fan_out_paused").count() == 1
    assert not Outbox.objects.filter(queue="effects").exists()
    with pytest.raises(Conflict):
        fan_outs.resume(progress.pk, caller=both[0], now=clock())
