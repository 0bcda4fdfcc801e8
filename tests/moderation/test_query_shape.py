"""However many posts, a worker asks the database a handful of questions."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from moderation.caller import SYSTEM
from moderation.models import (
    Actor,
    Cluster,
    ClusterMember,
    EffectiveState,
    Flag,
    Notice,
    Post,
    PostContent,
    PostVersion,
    Reporter,
    ReviewItem,
)
from moderation.selectors import distribution
from moderation.selectors.scopes import QueueScope
from moderation.services import clusters, decisions, effects, flags, queue, ranking
from tests.factories import platform as p

pytestmark = pytest.mark.django_db

MANY = 5000


def queries(act: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as seen:
        act()
    return len(seen)


def copies(cluster: Cluster, number: int, *, clock) -> list[Post]:
    """Posts of a cluster, written at once: this many are not made by driving the services."""
    actor = Actor.objects.create(kind="page", external_id=f"a-{cluster.pk}", name="A", added_at=clock())
    posts = [
        Post(
            external_id=f"{cluster.pk}-{n}", actor=actor, language="en", added_at=clock(),
            published_at=clock() - timedelta(minutes=n),
        )
        for n in range(number)
    ]  # fmt: skip
    Post.objects.bulk_create(posts)
    versions = [PostVersion(post=x, number=1, content_sha256="0" * 64, seen_at=clock()) for x in posts]
    PostVersion.objects.bulk_create(versions)
    PostContent.objects.bulk_create([PostContent(version=v, text="The same.") for v in versions])
    for post, version in zip(posts, versions, strict=True):
        post.current_version = version
    Post.objects.bulk_update(posts, ["current_version"], batch_size=1000)
    EffectiveState.objects.bulk_create([EffectiveState(post=x, computed_at=clock()) for x in posts])
    ClusterMember.objects.bulk_create(
        [
            ClusterMember(cluster=cluster, post=x, post_version=x.current_version, joined_at=clock())
            for x in posts
        ]
    )
    return posts


def rated(number: int, *, clock) -> list[Post]:
    cluster = clusters.create(now=clock())
    posts = copies(cluster, number, clock=clock)
    decisions.stand(
        cluster.pk, outcome="false", contested=False, presentation={"articles": []},
        rated_version=posts[0].current_version, source="test", source_key=str(cluster.pk),
        caller=SYSTEM, now=clock(),
    )  # fmt: skip
    return posts


def test_recomputing_five_thousand_posts_takes_the_questions_of_five_and_three_more_batches(clock):
    few, many = (rated(n, clock=clock) for n in (5, MANY))

    of_few = queries(lambda: effects.recompute([x.pk for x in few], now=clock()))
    of_many = queries(lambda: effects.recompute([x.pk for x in many], now=clock()))

    assert Notice.objects.count() == MANY + 5
    assert EffectiveState.objects.filter(version=1, feed_bp=2000).count() == MANY + 5
    assert of_many - of_few <= 3  # notices are inserted by the two thousand
    assert of_many < 25
    assert queries(lambda: effects.recompute([x.pk for x in many], now=clock())) < 15  # nothing changed


def test_ending_five_thousand_effects_asks_no_more(clock):
    many = rated(MANY, clock=clock)
    effects.recompute([x.pk for x in many], now=clock())
    Notice.objects.update(sent_at=clock())
    cluster = ClusterMember.objects.first().cluster_id
    decisions.stand(
        cluster, outcome="", contested=False, presentation={}, rated_version=None,
        source="test", source_key="end", caller=SYSTEM, now=clock.advance(hours=8),
    )  # fmt: skip

    assert queries(lambda: effects.recompute([x.pk for x in many], now=clock())) < 25
    assert Notice.objects.filter(kind="withdrawn").count() == MANY


def flagged(posts: list[Post], *, clock) -> None:
    reporters = Reporter.objects.bulk_create([Reporter(external_id=f"{x.pk}") for x in posts])
    Flag.objects.bulk_create(
        [
            Flag(post=x, post_version=x.current_version, reporter=r, reason="false_information", at=clock())
            for x, r in zip(posts, reporters, strict=True)
        ]
    )


def asked_about(number: int, *, clock) -> tuple[int, ...]:
    """Questions for counting a cluster's flags, one post's, and for answering them all."""
    cluster = clusters.create(now=clock())
    posts = copies(cluster, number, clock=clock)
    flagged(posts, clock=clock)
    item = queue.open_for_cluster(cluster.pk, posts[0].current_version, now=clock(), caller=SYSTEM)
    asked = (
        queries(lambda: ranking.refresh_cluster(cluster.pk, now=clock())),
        queries(lambda: ranking.refresh(posts[0].pk, now=clock())),
        queries(lambda: flags.answer([x.pk for x in posts], now=clock())),
    )
    assert ReviewItem.objects.get(pk=item.pk).flaggers == number
    return asked


def test_a_clusters_flags_are_counted_and_answered_with_as_many_questions_for_ten_as_for_thousands(clock):
    asked = asked_about(10, clock=clock)

    assert asked == asked_about(MANY, clock=clock)
    assert max(asked) < 25


def test_taking_the_next_item_asks_the_same_of_a_short_and_of_a_long_queue(clock):
    def take() -> None:
        queue.take_next(scope=QueueScope(languages=("en",)), caller=p.member(clock=clock), now=clock())

    asked = []
    for number in (3, 60):
        for n in range(number):
            p.flag(p.post(f"Post {n} of {number}.", clock=clock), clock=clock)
        asked.append(queries(take))

    assert asked[0] == asked[1] < 30


def test_looking_up_five_hundred_posts_asks_the_database_nothing_once_they_are_known(clock):
    posts = rated(500, clock=clock)
    effects.recompute([x.pk for x in posts], now=clock())
    refs = [str(x.pk) for x in posts]

    cold = queries(lambda: distribution.lookup(refs, now=clock()))
    warm = queries(lambda: distribution.lookup(refs, now=clock()))

    assert cold <= 2
    assert warm == 0
