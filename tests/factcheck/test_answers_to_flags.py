"""Every flag waits where somebody will look, or has an answer; the answer follows the decisions in force."""

import pytest

from factcheck.models import Match
from factcheck.services import leases, matches, ratings
from moderation.caller import SYSTEM
from moderation.enums import FlagReason, Ground
from moderation.errors import Conflict
from moderation.models import Flag, Outbox, ReviewItem
from moderation.services import enforcement, escalations, flags, posts
from moderation.services.escalations import CaseRef
from moderation.services.queue import ItemRef
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db

COPIED = "Breaking: the town well is poisoned and nobody tells you the truth about it"


@pytest.fixture
def partner(clock):
    return f.partner(clock=clock)


@pytest.fixture
def rita(partner, clock):
    return f.lead(partner, clock=clock)


def outcome(flag) -> str:
    return Flag.objects.get(pk=flag.pk).outcome


def open_items(**about) -> int:
    return ReviewItem.objects.filter(status="open", **about).count()


def raised(post, *, clock, by=None, reason=FlagReason.FALSE_INFORMATION):
    return flags.raise_flag(
        version_id=post.current_version_id, reason=reason, caller=by or p.member(clock=clock), now=clock()
    )


def test_a_flag_in_the_cool_off_is_kept_and_answered_without_a_second_review(partner, rita, clock):
    post = p.post(clock=clock)
    p.flag(post, clock=clock)
    item = f.taken(post, by=rita, clock=clock)
    ratings.not_eligible(
        ItemRef(item.pk, item.version), reason="An opinion.", caller=rita, now=clock.advance(hours=1)
    )
    p.settle(clock)
    decided = ReviewItem.objects.get()

    late = raised(post, clock=clock)
    p.settle(clock)

    assert (late.added, late.queued) == (True, False)
    assert outcome(late.flag) == "neutral"
    assert open_items() == 0
    again = ReviewItem.objects.get()
    assert (again.closed_at, again.version) == (decided.closed_at, decided.version)

    clock.advance(days=31)
    assert raised(post, clock=clock).queued
    assert open_items() == 1


def test_the_dangerous_is_looked_at_in_any_cool_off(rita, clock):
    post = p.post(clock=clock)
    f.rate(post, by=rita, clock=clock)
    p.settle(clock)

    flag = raised(post, clock=clock, reason=FlagReason.VIOLENCE)
    p.settle(clock)

    assert flag.queued
    assert outcome(flag.flag) == "pending"
    assert open_items(post=post) == 1


def test_only_flags_made_before_the_outcome_was_to_be_seen_are_judged_by_a_revision(partner, rita, clock):
    post = p.post(clock=clock)
    early = p.flag(post, clock=clock)
    rating = f.rate(post, "false", by=rita, clock=clock)
    p.settle(clock)
    clock.advance(hours=1)
    late = p.flag(post, clock=clock)

    ratings.revise(rating.pk, f.draft(partner, "true"), caller=rita, now=clock.advance(hours=1))
    p.settle(clock)

    assert (outcome(early), outcome(late)) == ("disagreed", "neutral")


def test_a_withdrawn_rating_takes_its_answer_back_and_an_undone_one_was_never_there(rita, clock):
    withdrawn, undone = p.post("One.", clock=clock), p.post("Two.", clock=clock)
    of_withdrawn, of_undone = p.flag(withdrawn, clock=clock), p.flag(undone, clock=clock)
    first = f.rate(withdrawn, by=rita, clock=clock, claim="One.")
    second = f.rate(undone, by=rita, clock=clock, claim="Two.")
    p.settle(clock)
    assert (outcome(of_withdrawn), outcome(of_undone)) == ("agreed", "agreed")

    ratings.withdraw(first.pk, reason="Wrong.", caller=rita, now=clock.advance(seconds=5))
    ratings.undo(second.pk, caller=rita, now=clock())
    p.settle(clock)

    assert (outcome(of_withdrawn), outcome(of_undone)) == ("neutral", "pending")
    (item,) = ReviewItem.objects.filter(status="open")
    assert (item.cluster_id, item.holder_id, item.flaggers) == (
        second.claim.cluster_id,
        rita.person_id,
        1,
    )


def test_answers_do_not_depend_on_the_order_in_which_workers_come_to_them(partner, rita, clock):
    post = p.post(clock=clock)
    flag = p.flag(post, clock=clock)
    rating = f.rate(post, "false", by=rita, clock=clock)
    judging_the_first = Outbox.objects.get(kind="judge_cluster")
    ratings.revise(rating.pk, f.draft(partner, "true"), caller=rita, now=clock.advance(minutes=1))
    Outbox.objects.filter(pk=judging_the_first.pk).update(available_at=clock.now.replace(year=2027))

    p.settle(clock)
    assert outcome(flag) == "disagreed"
    clock.advance(days=400)
    p.settle(clock)

    assert outcome(flag) == "disagreed"


def test_flags_on_a_copy_are_answered_when_the_copy_is_found(rita, clock):
    first = p.post(COPIED, clock=clock)
    copy = p.post(COPIED.upper(), clock=clock, actor="page-2")
    flag = p.flag(copy, clock=clock)

    f.rate(first, by=rita, clock=clock)
    p.settle(clock)

    assert outcome(flag) == "agreed"
    assert open_items() == 0


def test_a_post_that_was_matched_wrongly_gets_its_item_back(rita, clock):
    claim = f.rate(p.post("One.", clock=clock), by=rita, clock=clock).claim
    post = p.post("Two.", clock=clock)
    flag = p.flag(post, clock=clock)
    match = matches.confirm(claim, post.current_version, caller=rita, now=clock())
    p.settle(clock)
    assert outcome(flag) == "agreed"

    matches.reject(match.pk, caller=rita, now=clock.advance(minutes=1))
    p.settle(clock)

    assert outcome(flag) == "pending"
    assert open_items(post=post) == 1


def test_a_claim_that_is_not_eligible_on_one_post_is_still_looked_at_on_the_other(rita, clock):
    posts = [p.post(COPIED, clock=clock, actor=f"page-{n}") for n in range(2)]
    rating = f.rate(posts[0], by=rita, clock=clock)
    p.settle(clock)
    ratings.undo(rating.pk, caller=rita, now=clock())
    p.settle(clock)
    clock.advance(hours=1)
    waiting = [p.flag(post, clock=clock) for post in posts]
    p.settle(clock)
    item = leases.take(ReviewItem.objects.get(status="open").pk, caller=rita, now=clock())

    ratings.not_eligible(
        ItemRef(item.pk, item.version), reason="A politician's own words.", caller=rita, now=clock()
    )
    p.settle(clock)

    shown = [outcome(flag) for flag in waiting]
    assert sorted(shown) == ["neutral", "pending"]
    again = ReviewItem.objects.get(status="open")
    assert again.cluster_id == item.cluster_id
    assert again.flaggers == 1


def test_a_post_that_the_desk_keeps_stays_with_the_reviewers(clock):
    post, paula = p.post(clock=clock), p.specialist(clock=clock)
    flag = p.flag(post, clock=clock)
    case, _ = escalations.open_case(
        version_id=post.current_version_id, ground=Ground.HATE, note="", caller=paula, now=clock()
    )

    escalations.keep(CaseRef(case.pk, case.version), explanation="A report.", caller=paula, now=clock())
    p.settle(clock)

    assert outcome(flag) == "pending"
    assert open_items(post=post, flaggers=1) == 1


def test_an_edit_within_a_minute_and_the_same_flagger_make_one_item_that_takes_effect(rita, clock):
    post, mira = p.post(clock=clock), p.member(clock=clock)
    p.flag(post, by=mira, clock=clock)
    f.rate(post, "true", by=rita, clock=clock)
    p.settle(clock)

    p.edit(post, "The water of the town well was tested on Monday and found clear.", clock=clock)
    post.refresh_from_db()
    second = raised(post, by=mira, clock=clock)
    p.settle(clock)

    assert second.added and second.queued
    (item,) = ReviewItem.objects.filter(status="open")
    assert item.kind == "re_check"
    assert item.displayed_version_id == post.current_version_id
    f.rate(post, "false", by=f.lead(f.partner(clock=clock), clock=clock), clock=clock, claim="New.")
    p.settle(clock)
    assert p.feed_of(post, clock=clock) < 1.0
    assert outcome(second.flag) in ("agreed", "neutral")
    assert open_items(kind="review") == 0


def test_a_flag_sent_after_the_author_deleted_the_post_is_taken_with_what_was_seen(clock):
    post = p.post("They will burn the town hall tonight.", clock=clock)
    seen = post.current_version
    posts.delete(post.pk, caller=SYSTEM, now=clock())
    p.settle(clock)

    flag = raised(post, clock=clock)
    p.settle(clock)

    item = ReviewItem.objects.get(status="open")
    assert item.displayed_version == seen
    assert item.displayed_version.content.text == "They will burn the town hall tonight."
    assert outcome(flag.flag) == "pending"


def test_an_answered_flag_cannot_be_taken_back(rita, clock):
    post, mira = p.post(clock=clock), p.member(clock=clock)
    flag = p.flag(post, by=mira, clock=clock)
    f.rate(post, by=rita, clock=clock)
    p.settle(clock)

    with pytest.raises(Conflict) as refusal:
        flags.withdraw(flag.pk, caller=mira, now=clock())
    assert refusal.value.code == "already_answered"


def test_what_many_flags_on_many_copies_ask_for_is_counted_once(rita, clock):
    posts = [p.post(COPIED, clock=clock, actor=f"page-{n}") for n in range(6)]
    rating = f.rate(posts[0], by=rita, clock=clock)
    p.settle(clock)
    ratings.undo(rating.pk, caller=rita, now=clock())
    p.settle(clock)
    for post in posts:
        p.flag(post, clock=clock)

    enforcement.drain("maintenance", limit=len(posts), now=clock)

    assert Outbox.objects.filter(kind="refresh_cluster").count() == 1
    p.settle(clock)
    assert ReviewItem.objects.get(status="open").flaggers == 6
    assert Match.objects.filter(state="confirmed").count() == 6


def test_a_rating_that_changes_no_verdict_answers_the_flags_that_waited_for_it(rita, clock):
    post = p.post(clock=clock)
    f.rate(post, "missing_context", by=rita, clock=clock)
    f.rate(post, "missing_context", by=f.lead(f.partner(clock=clock), clock=clock), clock=clock)
    third = f.lead(f.partner(clock=clock), clock=clock)
    f.taken(post, by=third, clock=clock)
    p.settle(clock)
    flag = raised(post, clock=clock)
    p.settle(clock)
    assert outcome(flag.flag) == "pending"

    f.rate(post, "true", by=third, clock=clock)
    p.settle(clock)

    assert outcome(flag.flag) == "agreed"
    assert open_items() == 0
