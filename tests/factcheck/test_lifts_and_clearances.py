"""What switches lift and clear, who is told, and that it comes back with their return."""

from datetime import timedelta

import pytest

from factcheck import reference
from factcheck.selectors import consequences
from factcheck.services import leases, ratings
from factcheck.views.outlook import lines
from moderation.enums import NoticeKind, OutboxKind
from moderation.models import Decision, FanOut, Notice, Outbox, Strike
from moderation.services import enforcement, notices
from moderation.services import switches as service
from moderation.services.queue import ItemRef
from tests.factcheck.switch_fixtures import CLEAR, LIFT, level_of, rated, story
from tests.factories import platform as p
from tests.factories import programme as f
from tests.factories.switches import proposed, returned, switched_on

pytestmark = pytest.mark.django_db


# ── lift effects ───────────────────────────────────────────────────────────────────────────────────


def test_the_dry_run_of_a_lift_says_what_viewers_there_would_see(uma, both, clock):
    posts = [story(n, clock, actor=f"page-{n}") for n in range(3)]
    for post, verdict in zip(posts, ("false", "false", "true"), strict=True):
        rated(post, verdict, by=uma, clock=clock)
    p.settle(clock)

    figures = proposed(LIFT, by=both[0], clock=clock, country="US").dry_run

    assert (figures["posts"], figures["total"], figures["changed"]) == (3, 3, 3)
    assert (figures["by"]["feed"], figures["by"]["label"], figures["by"]["articles"]) == (2, 2, 3)
    assert "countries" not in figures["by"]
    assert (figures["rise"], figures["fall"]) == (0, 0)
    changes = [change for row in figures["sample"] for change in row["changes"]]
    assert changes.count({"what": "feed", "before": 0.2, "after": 1.0}) == 2
    assert [p.feed_of(post, clock=clock) for post in posts] == [0.2, 0.2, 1.0]


def test_nobody_is_told_of_a_lifted_effect_and_nobody_twice(uma, both, clock):
    told, untold = story(1, clock, actor="page-1"), story(2, clock, actor="page-2")
    rated(told, by=uma, clock=clock)
    p.settle(clock)
    clock.advance(hours=7)
    notices.deliver(now=clock())
    rated(untold, by=uma, clock=clock)
    p.settle(clock)
    assert Notice.objects.count() == 2

    lift = switched_on(LIFT, by=both, clock=clock)
    clock.advance(hours=7)
    assert notices.deliver(now=clock()) == 0
    assert Notice.objects.count() == 2  # what was told is not withdrawn

    returned(lift, by=both[0], clock=clock)
    assert notices.deliver(now=clock()) == 0
    clock.advance(hours=7)
    assert notices.deliver(now=clock()) == 1
    assert list(Notice.objects.order_by("id").values_list("kind", "post")) == [
        (NoticeKind.RATED, told.pk), (NoticeKind.RATED, untold.pk),
    ]  # fmt: skip


def test_a_rating_withdrawn_while_it_is_lifted_is_told_to_whoever_was_told(uma, both, clock):
    post = story(1, clock)
    rating = rated(post, by=uma, clock=clock)
    p.settle(clock)
    clock.advance(hours=7)
    notices.deliver(now=clock())
    switched_on(LIFT, by=both, clock=clock)

    ratings.withdraw(rating.pk, reason="We were wrong.", caller=uma, now=clock())
    p.settle(clock)

    assert set(Notice.objects.values_list("kind", flat=True)) == {NoticeKind.RATED, NoticeKind.WITHDRAWN}
    assert p.lookup(post, clock=clock) is None


def test_what_is_rated_while_effects_are_lifted_takes_effect_with_the_return(uma, both, clock):
    lift = switched_on(LIFT, by=both, clock=clock, country="US")
    post = story(1, clock)
    rated(post, by=uma, clock=clock)
    p.settle(clock)
    assert (p.feed_of(post, clock=clock, region="US"), p.feed_of(post, clock=clock)) == (1.0, 0.2)

    returned(lift, by=both[1], clock=clock)
    assert p.feed_of(post, clock=clock, region="US") == 0.2


def test_a_removal_is_never_lifted(both, clock):
    post = story(1, clock)
    p.removed(post, clock=clock)
    switched_on(LIFT, by=both, clock=clock)

    assert p.lookup(post, clock=clock)["removed"]


def test_a_lift_for_one_partner_waits_for_all_on_whom_a_verdict_rests(
    american, french, uma, luc, both, clock
):
    post = story(1, clock)
    item = f.taken(post, by=uma, clock=clock)
    first = ratings.submit(ItemRef(item.pk, item.version), f.draft(american), caller=uma, now=clock())
    again = f.claims.pick(claim_id=first.claim_id, caller=luc, now=clock())
    again = leases.take(again.pk, caller=luc, now=clock())
    ratings.submit(ItemRef(again.pk, again.version), f.draft(french), caller=luc, now=clock())
    p.settle(clock)

    switched_on(LIFT, by=both, clock=clock, organisation=american.pk)
    assert p.feed_of(post, clock=clock) == 0.2
    switched_on(LIFT, by=both, clock=clock, organisation=french.pk)
    assert p.feed_of(post, clock=clock) == 1.0


def test_a_newer_turn_goes_on_where_an_older_one_is_on_its_way(uma, both, clock, monkeypatch):
    monkeypatch.setattr(enforcement, "FAN_OUT_BATCH", 1)
    posts = [story(n, clock, actor=f"page-{n}") for n in range(4)]
    for post in posts:
        rated(post, by=uma, clock=clock)
    p.settle(clock)
    lift = switched_on(LIFT, by=both, clock=clock, work=False)
    enforcement.drain("effects", limit=2, now=clock)
    assert FanOut.objects.get(switch=lift).done == 2

    clock.advance(seconds=1)
    returned(lift, by=both[0], clock=clock)

    older, newer = FanOut.objects.filter(switch=lift).order_by("started_at")
    assert (older.finished_at is not None, newer.finished_at is not None, newer.done) == (True, True, 4)
    assert [p.feed_of(post, clock=clock) for post in posts] == [0.2] * 4
    assert not Outbox.objects.filter(kind=OutboxKind.ROLL_OUT_SWITCH).exists()


# ── clear strikes ──────────────────────────────────────────────────────────────────────────────────


def test_cleared_strikes_count_for_nobody_elses_actors_and_come_back_with_their_time(uma, both, clock):
    posts = [story(n, clock, actor=f"page-{n % 2}", country=("US", "FR")[n % 2]) for n in range(4)]
    for post in posts:
        rated(post, by=uma, clock=clock)
    p.settle(clock)
    until = list(Strike.objects.order_by("id").values_list("counts_until", flat=True))

    made = proposed(CLEAR, by=both[0], clock=clock, country="US")
    assert (made.dry_run["fall"], made.dry_run["rise"], made.dry_run["changed"]) == (1, 0, 2)
    clear = service.confirm(made.pk, version=made.version, caller=both[1], now=clock())
    p.settle(clock)
    assert [level_of(post, clock) for post in posts[:2]] == [0, 2]
    assert [p.feed_of(post, clock=clock) for post in posts] == [0.2, 0.1, 0.2, 0.1]

    clock.advance(days=30)
    returned(clear, by=both[0], clock=clock)
    assert [level_of(post, clock) for post in posts[:2]] == [2, 2]
    assert list(Strike.objects.order_by("id").values_list("counts_until", flat=True)) == until
    clock.now = until[0] + timedelta(seconds=1)
    assert level_of(posts[0], clock) < 2


def test_an_actor_who_turns_out_to_be_elsewhere_is_judged_by_that_country(uma, both, clock):
    posts = [story(n, clock) for n in range(2)]
    for post in posts:
        rated(post, by=uma, clock=clock)
    p.settle(clock)
    switched_on(CLEAR, by=both, clock=clock, country="US")
    assert p.feed_of(posts[0], clock=clock) == 0.1

    third = story(3, clock, country="US")
    p.settle(clock)
    assert (p.feed_of(posts[0], clock=clock), p.feed_of(third, clock=clock)) == (0.2, 1.0)

    story(4, clock)  # nothing said: what is known stays
    p.settle(clock)
    assert p.feed_of(posts[0], clock=clock) == 0.2


@pytest.mark.parametrize(("scope", "left"), [({"outcome": "false"}, 1), ({"outcome": "true"}, 2)])
def test_a_clearance_of_one_verdict_leaves_the_others(scope, left, uma, both, clock):
    posts = [story(n, clock) for n in range(2)]
    for post, verdict in zip(posts, ("false", "altered"), strict=True):
        rated(post, verdict, by=uma, clock=clock)
    p.settle(clock)

    switched_on(CLEAR, by=both, clock=clock, **scope)
    assert level_of(posts[0], clock) == left


def test_a_clearance_of_one_partners_strikes_leaves_anothers(american, uma, luc, both, clock):
    posts = [story(n, clock) for n in range(2)]
    for post, by in zip(posts, (uma, luc), strict=True):
        rated(post, by=by, clock=clock)
    p.settle(clock)

    switched_on(CLEAR, by=both, clock=clock, organisation=american.pk)
    assert level_of(posts[0], clock) == 1


def test_a_strike_of_the_time_of_a_clearance_counts_after_its_return(uma, both, clock):
    clear = switched_on(CLEAR, by=both, clock=clock)
    post = story(1, clock)
    rated(post, by=uma, clock=clock)
    p.settle(clock)
    assert level_of(post, clock) == 0

    returned(clear, by=both[0], clock=clock)
    assert level_of(post, clock) == 1


def test_a_reviewer_reads_beforehand_what_a_switch_takes_from_the_rating(american, uma, both, clock):
    post = story(1, clock, country="US")
    item = f.taken(post, by=uma, clock=clock)

    def outlook(verdict="false"):
        return consequences.of_rating(item, verdict=verdict, partner=american, now=clock())

    assert (outlook().lifted_in, outlook().cleared, outlook().strike.strikes) == ([], False, 1)
    switched_on(LIFT, by=both, clock=clock, country="US")
    switched_on(LIFT, by=both, clock=clock, country="FR", organisation=american.pk, outcome="true")
    switched_on(CLEAR, by=both, clock=clock, country="US")
    assert (outlook().lifted_in, outlook().cleared, outlook().strike) == (["US"], True, None)
    assert outlook("true").lifted_in == ["FR", "US"]
    switched_on(LIFT, by=both, clock=clock)
    assert outlook().lifted_in == [""]
    words = [line["text"] for line in lines(outlook(), actor_name="Town")]
    assert any("lifts this effect everywhere" in text for text in words)
    assert any("does not count" in text for text in words)


def test_verdicts_of_the_time_before_switches_get_the_partners_they_rest_on(
    american, french, uma, luc, clock
):
    claim = rated(story(1, clock), by=uma, clock=clock).claim
    clock.advance(minutes=1)
    item = leases.take(f.claims.pick(claim_id=claim.pk, caller=luc, now=clock()).pk, caller=luc, now=clock())
    second = ratings.submit(ItemRef(item.pk, item.version), f.draft(french), caller=luc, now=clock())
    clock.advance(minutes=1)
    ratings.revise(second.pk, f.draft(french, "true"), caller=luc, now=clock())
    clock.advance(minutes=1)
    ratings.withdraw(claim.ratings.get(partner=american).pk, reason="Wrong.", caller=uma, now=clock())
    right = dict(Decision.objects.order_by("id").values_list("pk", "organisations"))
    assert [len(found) for found in right.values()] == [1, 2, 2, 1]

    Decision.objects.update(organisations=[])
    reference.name_organisations(None, "default")

    assert dict(Decision.objects.values_list("pk", "organisations")) == right
