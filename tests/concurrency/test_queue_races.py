"""Nobody is given what somebody else holds, and no flag is lost between two clicks."""

from threading import Barrier

import pytest
from django.db.models import QuerySet

from factcheck.services import leases, ratings
from moderation.caller import SYSTEM
from moderation.enums import FlagReason
from moderation.models import Flag, ReviewItem, Strike
from moderation.services import enforcement, flags, queue
from moderation.services.queue import ItemRef
from tests.concurrency.at_once import at_once, done, refused
from tests.factcheck import oracle
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def partner(clock):
    return f.partner(clock=clock)


def flagged(clock, number: int) -> list[ReviewItem]:
    """Open items about posts of their own."""
    for i in range(number):
        post = p.post(f"Post {i} says that the bridge is closed.", clock=clock)
        flags.raise_flag(
            version_id=post.current_version_id,
            reason=FlagReason.FALSE_INFORMATION,
            reporter_external_id=f"member-{i}",
            caller=SYSTEM,
            now=clock(),
        )
    return list(ReviewItem.objects.order_by("id"))


def taking(reviewers, clock):
    return at_once([lambda r=r: leases.take_next(caller=r, now=clock()) for r in reviewers])


def test_twenty_reviewers_who_ask_at_once_get_twenty_items_and_one_item_goes_to_one_of_them(partner, clock):
    reviewers = [f.reviewer(partner, clock=clock) for _ in range(20)]
    flagged(clock, 20)

    results = taking(reviewers, clock)
    assert len({item.pk for item in done(results)}) == 20

    ReviewItem.objects.order_by("id").first()
    for item, reviewer in zip(results[1:], reviewers[1:], strict=True):
        ref = ItemRef(item.pk, item.version)
        ratings.not_eligible(ref, reason="An opinion.", caller=reviewer, now=clock())
    leases.release(results[0].pk, caller=reviewers[0], now=clock())

    results = taking(reviewers, clock)
    assert len(done(results)) == 1
    assert refused(results) == ["all_taken"] * 19
    assert ReviewItem.objects.get(status="open").fence == 2


def test_without_the_row_lock_two_reviewers_would_get_the_same_item(partner, clock, monkeypatch):
    """The control: the test above fails if the lock goes, so the lock is what holds it."""
    reviewers = [f.reviewer(partner, clock=clock) for _ in range(4)]
    flagged(clock, 4)
    both_have_read = Barrier(4)
    hand_over = queue._hand_over

    def after_reading(item, **more):
        both_have_read.wait(timeout=30)
        return hand_over(item, **more)

    monkeypatch.setattr(QuerySet, "select_for_update", lambda self, **_: self.all())
    monkeypatch.setattr(queue, "_hand_over", after_reading)

    assert len({item.pk for item in done(taking(reviewers, clock))}) == 1


def test_two_hundred_members_who_flag_one_post_at_once_make_one_item_and_two_hundred_flags(clock):
    post = p.post(clock=clock)

    def flag(member: int):
        return flags.raise_flag(
            version_id=post.current_version_id,
            reason=FlagReason.FALSE_INFORMATION,
            reporter_external_id=f"member-{member}",
            caller=SYSTEM,
            now=clock(),
        )

    results = at_once([lambda n=n: flag(n) for n in [0, *range(200), 0]])  # member 0 clicks three times

    assert refused(results) == []
    assert sum(r.added for r in results) == 200
    assert len({r.flag.pk for r in results}) == Flag.objects.count() == 200
    p.settle(clock)
    item = ReviewItem.objects.get()
    assert (item.status, item.flaggers) == ("open", 200)


def test_of_two_who_submit_the_same_item_one_is_told_that_it_is_decided(partner, clock):
    rita, roy = f.reviewer(partner, clock=clock), f.reviewer(partner, clock=clock)
    post = p.post(clock=clock)
    item = f.taken(post, by=rita, clock=clock)
    clock.advance(minutes=11)
    leases.take(item.pk, caller=roy, now=clock())

    results = at_once(
        [
            lambda by=by, verdict=verdict: ratings.submit(
                ItemRef(item.pk, item.version), f.draft(partner, verdict), caller=by, now=clock()
            )
            for by, verdict in ((rita, "false"), (roy, "true"), (roy, "true"))
        ]
    )

    assert len(done(results)) == 1
    assert set(refused(results)) <= {"lease_lost", "item_closed"}
    p.settle(clock)
    assert p.lookup(post, clock=clock)["label"] is None
    assert Strike.objects.count() == 0


@pytest.mark.parametrize("attempt", range(3))
def test_a_flag_that_meets_a_rating_ends_with_an_answer_or_an_item(partner, clock, attempt):
    rita = f.reviewer(partner, clock=clock)
    post = p.post(clock=clock)
    p.flag(post, clock=clock)
    item = f.taken(post, by=rita, clock=clock)
    members = [p.member(clock=clock) for _ in range(6)]
    reasons = [FlagReason.FALSE_INFORMATION, FlagReason.VIOLENCE] * 3

    results = at_once(
        [
            lambda: ratings.submit(
                ItemRef(item.pk, item.version), f.draft(partner), caller=rita, now=clock()
            ),
            *[
                lambda m=m, r=r: p.flag(post, by=m, reason=r, clock=clock)
                for m, r in zip(members, reasons, strict=True)
            ],
            lambda: enforcement.drain("maintenance", limit=20, now=clock),
        ]
    )

    assert refused(results) == []
    p.settle(clock)
    oracle.check_queue()
    waiting = Flag.objects.filter(outcome="pending")
    assert set(waiting.values_list("reason", flat=True)) <= {"violence"}


def test_a_flag_taken_back_and_raised_again_ten_times_counts_once(partner, clock):
    post, mira = p.post(clock=clock), p.member(clock=clock)
    once = p.post("Another one, flagged once.", clock=clock)
    p.flag(once, clock=clock)
    for _ in range(10):
        flag = p.flag(post, by=mira, clock=clock)
        flags.withdraw(flag.pk, caller=mira, now=clock())
    p.flag(post, by=mira, clock=clock)
    p.settle(clock)

    items = {i.displayed_version.post_id: i for i in ReviewItem.objects.filter(status="open")}
    assert items[post.pk].flaggers == 1
    assert items[post.pk].factors == items[once.pk].factors
    assert items[post.pk].rank == items[once.pk].rank


def test_a_flag_withdrawn_while_somebody_clicks_again_leaves_one_live_flag_and_no_error(clock):
    post, mira = p.post(clock=clock), p.member(clock=clock)
    flag = p.flag(post, by=mira, clock=clock)

    results = at_once(
        [
            lambda: flags.withdraw(flag.pk, caller=mira, now=clock()),
            *[lambda: p.flag(post, by=mira, clock=clock) for _ in range(5)],
        ]
    )

    assert refused(results) == []
    assert Flag.objects.filter(withdrawn_at__isnull=True).count() <= 1
    p.settle(clock)
    oracle.check_queue()
