"""A reader follows the feed while many write and everything is killed: it ends with exactly the server's state."""

import itertools
import random
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.utils import timezone
from veracity_client import NO_EFFECT, UNKNOWN_POST, Effect, Replica
from veracity_client.answers import read_effect

from factcheck.services import ratings
from moderation.caller import SYSTEM
from moderation.enums import Ground, Scope
from moderation.models import EffectiveState, Post
from moderation.selectors import distribution, verification
from moderation.services import api_clients, changes, enforcement, escalations
from moderation.services.escalations import CaseRef
from tests.concurrency.at_once import at_once
from tests.factories import platform as p
from tests.factories import programme as f
from tests.faults.stage import nothing_is_owed
from tests.faults.web import Web
from tests.waiting import until

WRITERS = 16
POSTS_EACH = 4
ACTORS = 5
now = timezone.now

REGIONS = ("", "LK", "LK-1", "DE")
PREFERENCES = ("default", "reduce_more", "do_not_reduce")


@pytest.fixture
def web(stage, tmp_path):
    made = Web(stage, tmp_path)
    made.start()
    yield made
    made.stop()


@pytest.fixture
def key(stage):
    return api_clients.create(name="feed", scopes=[Scope.DISTRIBUTION_READ], caller=SYSTEM, now=now())[1]


class Reader:
    """A replica, and every version that it was told, by post."""

    def __init__(self, web, key, **options):
        self.told: dict[str, list[int]] = defaultdict(list)
        self.replica = Replica(web.address, key, wait=2, on_change=self._note, **options).start()

    def _note(self, changed):
        for one in changed:
            self.told[one.post].append(one.version)

    def caught_up(self) -> bool:
        """Whether everything that was decided before this call is in the copy."""
        changes.sequence()
        asked = now().timestamp()
        return until(lambda: (self.replica.status().as_of or 0) > asked, seconds=60)

    def stop(self):
        assert self.replica.stop(30)


@pytest.fixture
def reader(web, key):
    made = Reader(web, key)
    assert made.replica.wait_until_ready(30), made.replica.status()
    yield made
    made.stop()


class Writer:
    """A reviewer and a specialist at their posts: rating, revising, withdrawing, hiding, removing in a region."""

    def __init__(self, number: int) -> None:
        self.dice = random.Random(number)
        self.partner = f.partner(clock=now)
        self.reviewer = f.reviewer(self.partner, clock=now)
        self.specialist = p.specialist(clock=now)
        self.posts = [
            p.post(f"Story {n} of writer {number}.", actor=f"page-{(number + n) % ACTORS}", clock=now)
            for n in range(POSTS_EACH)
        ]

    def write(self) -> None:
        for post in self.posts:
            verdict = self.dice.choice(["false", "false", "partly_false", "missing_context"])
            rating = f.rate(post, verdict, by=self.reviewer, clock=now, claim=f"Claim of {post.pk}.")
            act = self.dice.choice([self._withdraw, self._revise, self._hide, self._remove_in_a_region])
            act(post, rating)

    def _withdraw(self, post, rating):
        ratings.withdraw(rating.pk, reason="Too early.", caller=self.reviewer, now=now())

    def _revise(self, post, rating):
        draft = f.draft(self.partner, "satire", claim=rating.claim.text)
        ratings.revise(rating.pk, draft, caller=self.reviewer, now=now())

    def _hide(self, post, rating):
        case, _ = escalations.open_case(
            version_id=post.current_version_id, ground=Ground.HATE, note="", caller=self.specialist, now=now()
        )
        escalations.hide(
            CaseRef(case.pk, case.version), explanation="Seen.", caller=self.specialist, now=now()
        )

    def _remove_in_a_region(self, post, rating):
        p.removed(post, clock=now, regions=("LK-1",))


def served(post_id, at, region, preference):
    found = distribution.lookup([str(post_id)], region=region, preference=preference, now=at)[0]
    return read_effect(found.document) if found.document else NO_EFFECT


def differences(replica):
    """Where the copy and the server answer differently, for every post, viewer, region, and a day later."""
    held = dict(EffectiveState.objects.values_list("post_id", "version"))
    for (post_id, version), days in itertools.product(held.items(), (0, 2)):
        at = now() + timedelta(days=days)
        if not version:  # never any effect: such posts are not in a copy
            if replica.lookup(str(post_id)) is not UNKNOWN_POST:
                yield post_id
            continue
        if replica.version(str(post_id)) != version:
            yield post_id, version, replica.version(str(post_id))
        for region, preference in itertools.product(REGIONS, PREFERENCES):
            ours = replica.lookup(str(post_id), region=region, viewer_preference=preference, at=at)
            if ours != served(post_id, at, region, preference):
                yield post_id, days, region, preference


def test_a_reader_under_sixteen_writers_and_killed_workers_ends_with_the_servers_state(
    stage, web, key, reader, tmp_path
):
    writers = [Writer(n) for n in range(WRITERS)]
    posts = [post.pk for writer in writers for post in writer.posts]
    worker = stage.worker()
    stage.beat()
    second = Reader(web, key, path=tmp_path / "copy.db")
    writing = ThreadPoolExecutor(1).submit(at_once, [w.write for w in writers], threads=WRITERS)

    for _ in range(3):  # among the work: kill the worker, the server and a reader
        before = EffectiveState.objects.filter(version__gt=0).count()
        until(lambda n=before: EffectiveState.objects.filter(version__gt=0).count() > n + 5, seconds=20)
        stage.kill(worker)
        web.kill()
        second.stop()
        worker = stage.worker()
        web.start()
        told = second.told
        second = Reader(web, key, path=tmp_path / "copy.db")
        second.told = told
    assert writing.result(timeout=300) == [None] * WRITERS

    assert until(nothing_is_owed, seconds=180), stage.logs()
    try:
        for one in (reader, second):
            assert one.caught_up(), one.replica.status()
            assert list(differences(one.replica)) == []
        assert reader.replica.status().snapshots == 1
        assert second.replica.status().snapshots <= 1
    finally:
        second.stop()
    versions = dict(EffectiveState.objects.filter(version__gt=0).values_list("post_id", "version"))
    assert set(versions) <= set(posts) and sum(versions.values()) > len(posts)
    assert {post: told[-1] for post, told in reader.told.items()} == {str(i): v for i, v in versions.items()}
    assert all(told == list(range(1, len(told) + 1)) for told in reader.told.values())
    assert list(verification.faults(now=now())) == list(verification.feed_faults()) == []


def test_a_snapshot_read_while_many_write_leads_into_the_feed_without_a_gap(stage, web, key):
    """The server is slow to answer pages of two; every post changes while they are read."""
    writers = [Writer(n) for n in range(4)]
    for writer in writers:
        writer.write()
    work()
    early = Replica(web.address, key, wait=1)
    api = early._api
    pages, real = [], api.snapshot

    def slowly(*, cursor=None, limit=2):
        page = real(cursor=cursor, limit=2)
        pages.append(page)
        if len(pages) in (1, 4):  # everything that was read, and will be read, changes now
            for post in Post.objects.order_by("id"):
                p.removed(post, clock=now, regions=(f"DE-B{'EWY'[len(pages) // 2]}",))
            work()
        return page

    api.snapshot = slowly
    # In this thread, which has the database: the follower is stepped until it is current.
    follower = early._follower
    while early.status().as_of is None or follower.progress.applied + follower.progress.old < 20:
        follower._step()

    assert len(pages) > 4
    assert early.status().old > 0 and early.status().applied > 0
    while not follower._caught_up:
        follower._step()
    assert list(differences(early)) == []
    assert all(isinstance(early.lookup(s["post"]), Effect) for page in pages for s in page.states)


def work() -> None:
    while sum(enforcement.drain(queue, limit=1000) for queue in p.QUEUES):
        pass
    changes.sequence()
