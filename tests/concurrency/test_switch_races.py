"""A switch goes on while others are at work: two keys at once, ratings on their way, workers in between."""

import pytest

from factcheck.models import Rating
from factcheck.services import ratings
from moderation.enums import SwitchKind
from moderation.models import FanOut, ReviewItem, Switch
from moderation.services import enforcement
from moderation.services import switches as service
from moderation.services.queue import ItemRef
from tests.concurrency.at_once import at_once, done, refused
from tests.factcheck import oracle
from tests.factories import platform as p
from tests.factories import programme as f
from tests.factories.switches import proposed

pytestmark = pytest.mark.django_db(transaction=True)

RATERS = 6


@pytest.fixture
def administrators(clock):
    return [p.administrator(clock=clock) for _ in range(3)]


@pytest.fixture
def partner(clock):
    return f.partner(clock=clock, country="US")


def submitting(partner, clock):
    """As many ratings as raters, each about to be sent."""
    acts = []
    for n in range(RATERS):
        by = f.reviewer(partner, clock=clock)
        item = f.taken(p.post(f"Story {n}.", clock=clock, actor=f"page-{n}"), by=by, clock=clock)
        ref, draft = ItemRef(item.pk, item.version), f.draft(partner, claim=f"Claim {n}.")
        acts.append(lambda ref=ref, draft=draft, by=by: ratings.submit(ref, draft, caller=by, now=clock()))
    return acts


def settled(clock):
    p.settle(clock)
    oracle.check_states(now=clock())
    oracle.check_feed()


def test_of_two_administrators_who_turn_the_second_key_at_once_one_does(administrators, clock):
    first, *others = administrators
    made = proposed(SwitchKind.LIFT_EFFECTS, by=first, clock=clock, country="US")

    results = at_once(
        [
            lambda by=by: service.confirm(made.pk, version=made.version, caller=by, now=clock())
            for by in others
        ]
    )

    assert (len(done(results)), refused(results)) == (1, ["stale_version"])
    assert FanOut.objects.filter(switch=made).count() == 1


def test_of_two_who_return_it_at_once_one_does(administrators, clock):
    made = proposed(SwitchKind.CLEAR_STRIKES, by=administrators[0], clock=clock)
    made = service.confirm(made.pk, version=made.version, caller=administrators[1], now=clock())

    results = at_once(
        [
            lambda by=by: service.give_back(made.pk, version=made.version, caller=by, now=clock())
            for by in administrators
        ]
    )

    assert (len(done(results)), set(refused(results))) == (1, {"stale_version"})
    assert Switch.objects.get().status == "off"


def test_the_same_switch_proposed_twice_at_once_waits_once(administrators, clock):
    results = at_once(
        [
            lambda by=by: service.propose(
                kind=SwitchKind.LIFT_EFFECTS, country="US", reason="So.", caller=by, now=clock()
            )
            for by in administrators
        ]
    )

    assert (len(done(results)), set(refused(results))) == (1, {"switched_already"})


def test_no_rating_comes_into_force_once_ratings_are_stopped(administrators, partner, clock):
    made = proposed(SwitchKind.STOP_RATINGS, by=administrators[0], clock=clock, country="US")
    sending = submitting(partner, clock)

    def stop():
        service.confirm(made.pk, version=made.version, caller=administrators[1], now=clock())
        return Rating.objects.count()

    results = at_once(
        [*sending[:3], stop, *sending[3:], lambda: enforcement.drain("urgent", limit=5, now=clock)]
    )

    assert set(refused(results)) <= {"ratings_stopped", "lease_lost"}
    settled(clock)
    assert Rating.objects.count() == results[3] == RATERS - len(refused(results))
    assert not ReviewItem.objects.filter(held_for=partner.pk).exists()


def test_a_rating_sent_while_effects_are_lifted_is_lifted(administrators, partner, clock):
    made = proposed(SwitchKind.LIFT_EFFECTS, by=administrators[0], clock=clock, country="US")
    sending = submitting(partner, clock)

    results = at_once(
        [
            *sending[:3],
            lambda: service.confirm(made.pk, version=made.version, caller=administrators[1], now=clock()),
            *sending[3:],
            *[lambda: enforcement.drain("effects", limit=50, now=clock) for _ in range(3)],
        ]
    )

    assert refused(results) == []
    settled(clock)
    for rating in Rating.objects.select_related("post_version__post"):
        post = rating.post_version.post
        assert (p.feed_of(post, clock=clock, region="US"), p.feed_of(post, clock=clock)) == (1.0, 0.2)


def test_a_return_while_the_switch_is_rolled_out_leaves_what_was(administrators, partner, clock, monkeypatch):
    monkeypatch.setattr(enforcement, "FAN_OUT_BATCH", 2)
    for act in submitting(partner, clock):
        act()
    p.settle(clock)
    made = proposed(SwitchKind.LIFT_EFFECTS, by=administrators[0], clock=clock)
    made = service.confirm(made.pk, version=made.version, caller=administrators[1], now=clock())

    results = at_once(
        [
            *[lambda: enforcement.drain("effects", limit=3, now=clock) for _ in range(3)],
            lambda: service.give_back(made.pk, version=made.version, caller=administrators[0], now=clock()),
        ]
    )

    assert refused(results) == []
    settled(clock)
    for rating in Rating.objects.select_related("post_version__post"):
        assert p.feed_of(rating.post_version.post, clock=clock) == 0.2
