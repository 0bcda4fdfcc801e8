"""One claim, many posts: what a reviewer's "same claim" does to the item, the post and its copies."""

import pytest

from factcheck.enums import LeaseEnding
from factcheck.models import Draft, Lease, Match, Rating
from factcheck.services import claims, leases, matches, ratings
from moderation.errors import Conflict, NotFound, StaleItem
from moderation.ids import new_id
from moderation.models import ReviewItem
from moderation.services.queue import ItemRef
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db


@pytest.fixture
def rita(clock):
    return f.reviewer(f.partner(clock=clock), clock=clock)


def test_a_rated_claim_answers_the_item_and_reaches_the_post_and_its_copies(rita, clock):
    rated = f.rate(p.post(clock=clock), by=rita, clock=clock)
    said_otherwise = "They put something into the well in our town, pass this on before they delete it"
    post = p.post(said_otherwise, clock=clock, actor="page-2")
    copy = p.post(said_otherwise.upper(), clock=clock, actor="page-3")
    item = f.taken(post, by=rita, clock=clock)
    p.settle(clock)

    claims.same_claim(ItemRef(item.pk, item.version), rated.claim_id, caller=rita, now=clock())
    p.settle(clock)

    assert p.feed_of(post, clock=clock) == 0.2
    assert p.feed_of(copy, clock=clock) == 0.2
    item.refresh_from_db()
    assert (item.status, item.outcome) == ("closed", "rated")
    assert Lease.objects.get(item=item).ending == LeaseEnding.RATED


def test_an_unrated_claim_takes_the_item_in_and_the_reviewer_goes_on(rita, clock):
    first = f.rate(p.post(clock=clock), by=rita, clock=clock)
    ratings.withdraw(first.pk, reason="Not sure any more.", caller=rita, now=clock())
    post = p.post("Somebody says that the well is not clean.", clock=clock, actor="page-2")
    item = f.taken(post, by=rita, clock=clock)

    claims.same_claim(ItemRef(item.pk, item.version), first.claim_id, caller=rita, now=clock())

    item.refresh_from_db()
    assert item.status == "open"
    assert item.cluster_id == first.claim.cluster_id
    assert item.holder_id == rita.person_id


def test_saying_same_claim_needs_the_item_as_it_is(rita, clock):
    rated = f.rate(p.post(clock=clock), by=rita, clock=clock)
    post = p.post("The well again.", clock=clock, actor="page-2")
    item = f.taken(post, by=rita, clock=clock)
    seen = ItemRef(item.pk, item.version)
    with pytest.raises(NotFound):
        claims.same_claim(seen, new_id(), caller=rita, now=clock())
    p.edit(post, "The well again, and again.", clock=clock)

    with pytest.raises(StaleItem):
        claims.same_claim(seen, rated.claim_id, caller=rita, now=clock())
    assert leases.look_again(item.pk, caller=rita, now=clock()).version == item.version + 1


def test_a_rejected_pair_is_remembered(rita, clock):
    rated = f.rate(p.post(clock=clock), by=rita, clock=clock)
    post = p.post("Wells of the region, a history in pictures.", clock=clock, actor="page-2")
    match = matches.confirm(rated.claim, post.current_version, caller=rita, now=clock())
    matches.reject(match.pk, caller=rita, now=clock())
    item = f.taken(post, by=rita, clock=clock)

    with pytest.raises(Conflict) as refusal:
        claims.same_claim(ItemRef(item.pk, item.version), rated.claim_id, caller=rita, now=clock())

    assert refusal.value.code == "rejected_before"
    assert Match.objects.get(pk=match.pk).state == "rejected"


def test_not_eligible_throws_the_draft_away(rita, clock):
    item = f.taken(p.post(clock=clock), by=rita, clock=clock)
    leases.save_draft(item.pk, {"headline": "…"}, caller=rita, now=clock())

    ratings.not_eligible(ItemRef(item.pk, item.version), reason="An opinion.", caller=rita, now=clock())

    assert not Draft.objects.exists()
    assert not Rating.objects.exists()


def test_the_next_item_can_be_asked_for_in_one_language(clock):
    rita = f.reviewer(f.partner(clock=clock, languages=("en", "ar")), clock=clock)
    p.flag(p.post(clock=clock), clock=clock)
    clock.advance(hours=3)
    p.flag(p.post("بئر المدينة مسموم", clock=clock, language="ar"), clock=clock)

    assert leases.take_next(language="ar", caller=rita, now=clock()).language == "ar"
    assert leases.take_next(language="xx", caller=rita, now=clock()).language == "en"
    assert ReviewItem.objects.filter(holder_id=rita.person_id).count() == 2
