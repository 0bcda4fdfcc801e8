"""A strike counts while the rating that caused it holds: nothing is counted up or down (domain 5, PEN-*)."""

from datetime import timedelta

import pytest

from factcheck.services import matches, ratings
from moderation.caller import SYSTEM
from moderation.models import Strike
from moderation.selectors import standing
from moderation.services import posts
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db


@pytest.fixture
def partner(clock):
    return f.partner(clock=clock)


@pytest.fixture
def rita(partner, clock):
    return f.lead(partner, clock=clock)


def counting(post, *, clock) -> int:
    return len(standing.counting([post.actor_id], now=clock()).get(post.actor_id, []))


def rated_false(text: str, *, by, clock, actor: str = "page-1"):
    post = p.post(text, clock=clock, actor=actor)
    rating = f.rate(post, "false", by=by, clock=clock, claim=text)
    p.settle(clock)
    return post, rating


def test_a_strike_counts_for_ninety_days_and_ends_on_the_second(rita, clock):
    post, _ = rated_false("One.", by=rita, clock=clock)

    clock.advance(days=90, seconds=-1)
    assert counting(post, clock=clock) == 1
    clock.advance(seconds=1)
    assert counting(post, clock=clock) == 0
    p.settle(clock)
    assert Strike.objects.count() == 1


def test_a_claim_rated_again_after_a_withdrawal_strikes_anew_for_a_whole_window(partner, rita, clock):
    post, rating = rated_false("One.", by=rita, clock=clock)
    ratings.withdraw(rating.pk, reason="Too early.", caller=rita, now=clock.advance(days=30))
    p.settle(clock)
    assert counting(post, clock=clock) == 0

    f.rate(post, "false", by=rita, clock=clock)
    p.settle(clock)

    assert counting(post, clock=clock) == 1
    clock.advance(days=89)
    assert counting(post, clock=clock) == 1


def test_a_revision_long_after_the_window_is_no_new_offence(partner, rita, clock):
    post, rating = rated_false("One.", by=rita, clock=clock)
    clock.advance(days=100)

    ratings.revise(rating.pk, f.draft(partner, "altered"), caller=rita, now=clock())
    p.settle(clock)

    assert counting(post, clock=clock) == 0
    assert Strike.objects.count() == 1


def test_a_softened_rating_takes_its_strike_with_it_and_a_hardened_one_brings_it(partner, rita, clock):
    post, rating = rated_false("One.", by=rita, clock=clock)

    softer = ratings.revise(rating.pk, f.draft(partner, "partly_false"), caller=rita, now=clock())
    assert counting(post, clock=clock) == 0
    ratings.revise(softer.pk, f.draft(partner, "false"), caller=rita, now=clock())
    assert counting(post, clock=clock) == 1
    assert Strike.objects.count() == 1


def test_a_dispute_suspends_the_strike_and_the_third_partners_word_decides_about_it(rita, clock):
    post, _ = rated_false("One.", by=rita, clock=clock)
    others = [f.lead(f.partner(clock=clock), clock=clock) for _ in range(2)]
    f.rate(post, "true", by=others[0], clock=clock)
    p.settle(clock)
    assert counting(post, clock=clock) == 0

    f.rate(post, "altered", by=others[1], clock=clock)
    p.settle(clock)

    assert counting(post, clock=clock) == 1
    assert Strike.objects.count() == 1


def test_when_the_first_rating_goes_the_strike_follows_the_post_that_the_other_was_made_on(rita, clock):
    first, rating = rated_false("Somebody wrote it first.", by=rita, clock=clock)
    other = p.post("Somebody else wrote something alike.", clock=clock, actor="page-2")
    lena = f.lead(f.partner(clock=clock), clock=clock)
    item = f.taken(other, by=lena, clock=clock)
    draft = f.draft(f.Partner.objects.get(pk=lena.organisation_id))
    draft = f.RatingDraft(**{**draft.__dict__, "claim": f.ClaimDraft(id=rating.claim_id)})
    ratings.submit(f.ItemRef(item.pk, item.version), draft, caller=lena, now=clock.advance(minutes=1))
    p.settle(clock)
    assert (counting(first, clock=clock), counting(other, clock=clock)) == (1, 0)

    ratings.withdraw(rating.pk, reason="Wrong.", caller=rita, now=clock.advance(minutes=1))
    p.settle(clock)

    assert (counting(first, clock=clock), counting(other, clock=clock)) == (0, 1)


def test_what_a_repeat_offender_publishes_later_is_demoted_too(rita, clock):
    rated_false("One.", by=rita, clock=clock)
    rated_false("Two.", by=rita, clock=clock)

    later = p.post("Good morning.", clock=clock)
    p.settle(clock)

    assert p.lookup(later, clock=clock)["actor_level"] == "repeat_offender"
    assert p.feed_of(later, clock=clock) == 0.5
    clock.advance(days=90)
    assert p.lookup(later, clock=clock) is None  # with every worker stopped
    assert p.sweep(clock) > 0
    p.settle(clock)
    later.state.refresh_from_db()
    assert (later.state.document, later.state.valid_until) == (None, None)


def test_a_first_strike_moves_no_version_of_the_actors_other_posts(rita, clock):
    other = p.post("Good morning.", clock=clock)
    p.settle(clock)

    rated_false("One.", by=rita, clock=clock)

    other.state.refresh_from_db()
    assert (other.state.version, other.state.valid_until) == (0, None)


def test_a_post_deleted_before_its_rating_brings_no_strike_and_one_deleted_after_keeps_it(rita, clock):
    before = p.post("One.", clock=clock)
    item = f.taken(before, by=rita, clock=clock)
    after, _ = rated_false("Two.", by=rita, clock=clock, actor="page-2")
    posts.delete(before.pk, caller=SYSTEM, now=clock.advance(minutes=1))
    posts.delete(after.pk, caller=SYSTEM, now=clock())
    p.settle(clock)
    item.refresh_from_db()

    assert (item.status, item.outcome) == ("closed", "deleted")
    assert counting(after, clock=clock) == 1
    assert counting(before, clock=clock) == 0


def test_a_wrong_match_takes_no_strike_with_it_but_that_of_its_own_post(rita, clock):
    post, rating = rated_false("One.", by=rita, clock=clock)
    copy = p.post("Another.", clock=clock, actor="page-2")
    match = matches.confirm(rating.claim, copy.current_version, caller=rita, now=clock())
    p.settle(clock)
    matches.reject(match.pk, caller=rita, now=clock())
    p.settle(clock)
    assert counting(post, clock=clock) == 1

    matches.reject(rating.claim.matches.get(post_version__post=post).pk, caller=rita, now=clock())
    p.settle(clock)

    assert counting(post, clock=clock) == 0
    assert p.lookup(post, clock=clock) is None


def test_a_strike_says_what_caused_it_and_until_when_it_counts(rita, clock):
    post, rating = rated_false("One.", by=rita, clock=clock)

    (strike,) = standing.counting([post.actor_id], now=clock())[post.actor_id]
    assert strike.decision.source_key == str(rating.pk)
    assert (strike.post_id, strike.cluster_id) == (post.pk, rating.claim.cluster_id)
    assert strike.counts_until == strike.at + timedelta(days=90)
    assert strike.policy_version_id == 1
