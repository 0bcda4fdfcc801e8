"""A rating takes effect, and nothing about it is ever undone: only decided again."""

import pytest

from factcheck.services import leases, ratings
from moderation.errors import LeaseLost, StaleItem
from moderation.models import EffectiveState, Flag, Outbox, ReviewItem
from moderation.services import enforcement
from moderation.services.queue import ItemRef
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db


@pytest.fixture
def partner(clock):
    return f.partner(clock=clock)


@pytest.fixture
def rita(partner, clock):
    return f.reviewer(partner, clock=clock)


def test_a_post_rated_false_loses_most_of_its_distribution(rita, clock):
    post = p.post(clock=clock)
    p.flag(post, clock=clock)
    p.settle(clock)

    f.rate(post, "false", by=rita, clock=clock)
    p.settle(clock)

    effect = p.lookup(post, clock=clock)
    assert effect["multipliers"]["feed"] == 0.2
    assert effect["multipliers"]["recommendations"] == 0
    assert effect["label"] == "warning"
    assert effect["interstitial"] and effect["warn_before_share"]
    assert not effect["removed"]
    assert [a["verdict"] for a in effect["articles"]] == ["false"]


def test_a_rating_reaches_every_exact_copy_and_a_later_one_at_publication(rita, clock):
    text = "Breaking: the town well is poisoned and nobody tells you the truth about it"
    first = p.post(text, clock=clock)
    copy = p.post(text.upper() + "\u200b", clock=clock, actor="page-2")
    other = p.post(text.replace("is poisoned", "is not poisoned"), clock=clock, actor="page-3")
    p.settle(clock)

    f.rate(first, "false", by=rita, clock=clock)
    p.settle(clock)
    later = p.post(text.replace("well", "wеll"), clock=clock, actor="page-4")  # a Cyrillic е
    p.settle(clock)

    assert p.feed_of(first, clock=clock) == 0.2
    assert p.feed_of(copy, clock=clock) == 0.2
    assert p.feed_of(later, clock=clock) == 0.2
    assert p.feed_of(other, clock=clock) == 1.0


def test_a_withdrawn_rating_leaves_the_state_as_if_it_had_never_been(rita, clock):
    post = p.post(clock=clock)
    rating = f.rate(post, by=rita, clock=clock)
    p.settle(clock)

    ratings.withdraw(rating.pk, reason="We were wrong.", caller=rita, now=clock.advance(hours=1))
    p.settle(clock)

    assert p.lookup(post, clock=clock) is None


def test_a_second_strike_withdrawn_gives_the_page_its_reach_back(rita, clock):
    latest = p.post("Good morning from the market square, everyone.", clock=clock)
    first = p.post("Lemon water cures dengue within a day, doctors hide it.", clock=clock)
    second = p.post("The mayor sold the park to a mine, says a paper.", clock=clock)
    f.rate(first, by=rita, clock=clock, claim="Lemon water cures dengue.")
    again = f.rate(second, by=rita, clock=clock, claim="The mayor sold the park.")
    p.settle(clock)
    assert p.lookup(latest, clock=clock)["actor_level"] == "repeat_offender"
    assert p.feed_of(latest, clock=clock) == 0.5
    assert p.feed_of(first, clock=clock) == 0.1

    ratings.withdraw(again.pk, reason="Wrong page.", caller=rita, now=clock.advance(minutes=5))
    p.settle(clock)

    assert p.feed_of(first, clock=clock) == 0.2
    assert p.feed_of(latest, clock=clock) == 1.0
    assert p.lookup(latest, clock=clock) is None


def test_a_rating_on_an_old_page_is_refused_with_what_is_now(partner, rita, clock):
    post = p.post(clock=clock)
    item = f.taken(post, by=rita, clock=clock)
    p.edit(post, "The water of the town well was never tested.", clock=clock)

    with pytest.raises(StaleItem) as refusal:
        ratings.submit(ItemRef(item.pk, item.version), f.draft(partner), caller=rita, now=clock())

    assert refusal.value.data["current"]["version"] == item.version + 1
    assert refusal.value.code == "stale_version"


def test_a_late_submit_is_refused_only_if_somebody_took_the_item_since(partner, rita, clock):
    post = p.post(clock=clock)
    item = f.taken(post, by=rita, clock=clock)
    roy = f.reviewer(partner, clock=clock)
    clock.advance(minutes=11)
    leases.take(item.pk, caller=roy, now=clock())

    with pytest.raises(LeaseLost):
        ratings.submit(ItemRef(item.pk, item.version), f.draft(partner), caller=rita, now=clock())
    assert ratings.submit(ItemRef(item.pk, item.version), f.draft(partner), caller=roy, now=clock())


def test_flags_learn_what_the_reviewers_found(rita, clock):
    post = p.post(clock=clock)
    flag = p.flag(post, clock=clock)
    p.settle(clock)

    f.rate(post, "false", by=rita, clock=clock)
    p.settle(clock)

    assert Flag.objects.get(pk=flag.pk).outcome == "agreed"
    assert ReviewItem.objects.get().outcome == "rated"


def test_partners_who_differ_leave_the_softer_effect_until_a_third_agrees(rita, clock):
    post = p.post(clock=clock)
    f.rate(post, "false", by=rita, clock=clock)
    p.settle(clock)
    other = f.reviewer(f.partner(clock=clock), clock=clock)
    f.rate(post, "missing_context", by=other, clock=clock)
    p.settle(clock)

    contested = p.lookup(post, clock=clock)
    assert contested["contested"] and contested["label"] == "disputed"
    assert contested["multipliers"]["feed"] == 1.0
    assert len(contested["articles"]) == 2
    assert ReviewItem.objects.get(status="open").kind == "conflict"

    third = f.reviewer(f.partner(clock=clock), clock=clock)
    f.rate(post, "false", by=third, clock=clock)
    p.settle(clock)

    settled = p.lookup(post, clock=clock)
    assert not settled["contested"]
    assert settled["multipliers"]["feed"] == 0.2
    assert not ReviewItem.objects.filter(status="open").exists()


def test_many_ratings_of_one_page_recompute_its_posts_once(rita, clock):
    posts = [
        p.post(f"The page says for the {n}. time that the well is poisoned today.", clock=clock)
        for n in range(6)
    ]
    for n, post in enumerate(posts):
        f.rate(post, by=rita, clock=clock, claim=f"Claim {n}.")
    assert Outbox.objects.filter(kind="recompute_actor").count() == 6

    enforcement.drain(
        "effects",
        limit=1 + Outbox.objects.filter(queue="effects").exclude(kind="recompute_actor").count(),
        now=clock,
    )

    assert not Outbox.objects.filter(kind="recompute_actor").exists()
    p.settle(clock)
    assert {p.lookup(post, clock=clock)["actor_level"] for post in posts} == {"severe"}


def test_a_strike_that_changes_no_level_leaves_the_page_s_other_posts_alone(rita, clock):
    others = [p.post(f"Good morning number {n} from the market square.", clock=clock) for n in range(3)]
    wrong = [p.post(f"For the {n}. time: the well is poisoned today.", clock=clock) for n in range(3)]
    f.rate(wrong[0], by=rita, clock=clock, claim="Claim 0.")
    p.settle(clock)
    assert {EffectiveState.objects.get(post=o).version for o in others} == {0}

    for n in (1, 2):
        f.rate(wrong[n], by=rita, clock=clock, claim=f"Claim {n}.")
        p.settle(clock)

    assert {EffectiveState.objects.get(post=o).version for o in others} == {1}
    assert {p.feed_of(o, clock=clock) for o in others} == {0.5}


def test_a_level_ends_when_the_earlier_strike_runs_out_whatever_came_between(rita, clock):
    other = p.post("Good morning from the market square.", clock=clock)
    wrong = [p.post(f"For the {n}. time: the well is poisoned today.", clock=clock) for n in range(3)]
    rated = []
    for n, post in enumerate(wrong):
        rated.append(f.rate(post, by=rita, clock=clock, claim=f"Claim {n}."))
        clock.advance(days=10)
    p.settle(clock)
    ratings.withdraw(rated[2].pk, reason="Wrong page.", caller=rita, now=clock())
    p.settle(clock)

    clock.advance(days=59, hours=23)  # the first strike counts for another hour
    assert p.feed_of(other, clock=clock) == 0.5
    clock.advance(hours=1)
    assert p.feed_of(other, clock=clock) == 1.0
