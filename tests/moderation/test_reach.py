"""Reach as the platform samples it: counted once, whoever sends it and in whatever order."""

from datetime import timedelta

import pytest

from moderation.caller import SYSTEM
from moderation.models import PostReach, ReachSample
from moderation.services import posts
from moderation.services.posts import Reach
from tests.factories import platform as p

pytestmark = pytest.mark.django_db


def test_a_sample_sent_again_or_twice_in_one_request_is_not_new(clock):
    one, other = p.post(clock=clock), p.post(clock=clock)
    early, late = clock() - timedelta(minutes=30), clock() - timedelta(minutes=5)
    first = [Reach(one.pk, early, 10), Reach(one.pk, early, 10), Reach(other.pk, late, 7)]

    assert posts.record_reach(first, caller=SYSTEM, now=clock()) == 2
    # The same time of another post, and an older one, are news.
    again = [*first, Reach(other.pk, early, 3), Reach(one.pk, late, 20)]
    assert posts.record_reach(again, caller=SYSTEM, now=clock()) == 2
    assert posts.record_reach(again, caller=SYSTEM, now=clock()) == 0

    assert ReachSample.objects.count() == 4
    assert PostReach.objects.get(post=one).views == 20
    assert PostReach.objects.get(post=other).views == 7
