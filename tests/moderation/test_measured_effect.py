"""Views before and after a decision: what samples say, and no more (domain 4 and 11). Examples by hand."""

from datetime import UTC, datetime, timedelta

import pytest

from moderation.caller import SYSTEM
from moderation.policy import Sample, Seen, measured
from moderation.selectors import reach
from moderation.services import clusters, posts
from moderation.services.posts import Reach
from tests.factories import platform as p

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def at(hours: float) -> datetime:
    """So many hours after the effect."""
    return NOON + timedelta(hours=hours)


def counted(hours: float, views: int) -> Sample:
    return Sample(at(hours), views)


def seen(*samples: Sample, flagged: float | None = None) -> Seen:
    """A post with these samples, as the selector sums them up."""
    earlier = [s for s in samples if s.at <= NOON]
    later = [s for s in samples if s.at > NOON]
    return Seen(
        NOON,
        before=earlier[-1] if earlier else None,
        next=later[0] if later else None,
        newest=samples[-1] if samples else None,
        flagged_at=None if flagged is None else at(flagged),
        samples=len(samples),
    )


def test_nothing_sampled_is_nothing_said():
    found = measured([seen(), seen()])

    assert (found.posts, found.sampled, found.samples, found.views) == (2, 0, 0, 0)
    assert found.share_after is None
    assert found.seconds_to_rating is None


def test_views_between_two_samples_around_the_effect_are_told_apart_by_nobody():
    found = measured([seen(counted(-2, 700), counted(-1, 900), counted(1, 960), counted(2, 1000))])

    assert (found.before, found.between, found.after) == (900, 60, 40)
    assert found.share_after == (0.04, 0.1)
    assert (found.sampled, found.samples) == (1, 4)


def test_a_sample_of_the_very_instant_tells_all_views_apart():
    found = measured([seen(counted(0, 900), counted(1, 1000))])

    assert (found.before, found.between, found.after) == (900, 0, 100)
    assert found.share_after == (0.1, 0.1)


def test_a_post_first_sampled_after_the_effect_is_not_claimed_for_either_side():
    found = measured([seen(counted(1, 500), counted(2, 600))])

    assert (found.before, found.between, found.after) == (0, 500, 100)


def test_a_post_not_sampled_since_says_only_what_came_before():
    assert measured([seen(counted(-1, 500))]).share_after == (0.0, 0.0)


def test_a_count_corrected_downwards_takes_no_views_away():
    found = measured([seen(counted(-1, 900), counted(1, 850), counted(2, 870))])

    assert (found.before, found.between, found.after) == (900, 0, 20)


def test_the_time_from_first_flag_to_rating_is_weighted_by_views():
    """300 views waited for 1 h and 100 for 5 h: 2 h. A post that nobody flagged has no such time."""
    found = measured(
        [
            seen(counted(-1, 200), counted(1, 300), flagged=-1),
            seen(counted(-1, 100), flagged=-5),
            seen(counted(-1, 9000)),
        ]
    )

    assert found.seconds_to_rating == 2 * 3600


def test_a_flag_after_the_rating_waited_for_nothing():
    assert measured([seen(counted(1, 10), flagged=3)]).seconds_to_rating == 0


@pytest.mark.django_db
def test_samples_are_read_for_each_post_from_when_it_joined_and_until_now(clock):
    first, late = (p.post(f"Post {n}.", clock=clock) for n in range(2))
    cluster = clusters.create(now=clock())
    clusters.add(cluster.pk, first.current_version, caller=SYSTEM, now=clock(), by_person=True)
    p.flag(first, clock=clock)
    began = clock()
    for hour, views in enumerate((100, 900, 1000, 1500)):  # of both posts, at 0, 1, 2 and 3 h
        if hour == 2:
            clusters.add(cluster.pk, late.current_version, caller=SYSTEM, now=clock(), by_person=True)
        posts.record_reach(
            [Reach(first.pk, clock(), views), Reach(late.pk, clock(), views)], caller=SYSTEM, now=clock()
        )
        clock.advance(hours=1)

    found = reach.measured(cluster.pk, began + timedelta(hours=1), now=began + timedelta(hours=2.5))

    assert (found.posts, found.sampled, found.samples) == (2, 2, 6)
    assert (found.before, found.between, found.after) == (900 + 1000, 0, 100 + 0)
    assert found.seconds_to_rating == 3600
