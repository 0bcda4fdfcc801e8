"""What an item is about and shows, through matches, merges, edits, deletions and disputes (domain 6)."""

from datetime import timedelta

import pytest

from factcheck.models import Lease
from factcheck.services import claims, leases, matches, ratings
from factcheck.services.claims import ClaimDraft
from factcheck.services.ratings import RatingDraft
from moderation.caller import SYSTEM
from moderation.enums import Ground
from moderation.errors import Conflict, LeaseLost, NothingToTake
from moderation.models import Flag, ReviewItem
from moderation.services import callers, enforcement, escalations, flags, notices, posts, queue
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


@pytest.fixture
def lena(clock):
    return f.lead(f.partner(clock=clock), clock=clock)


def the_open_item() -> ReviewItem:
    return ReviewItem.objects.get(status="open")


def open_claim(text: str, *, by, clock, **fields):
    """A claim without a verdict and with an open item that nobody holds: its rating was undone."""
    post = p.post(text, clock=clock, **fields)
    p.settle(clock)
    rating = f.rate(post, by=by, clock=clock)
    ratings.undo(rating.pk, caller=by, now=clock())
    leases.release(the_open_item().pk, caller=by, now=clock())
    p.settle(clock)
    return post, rating.claim


def test_a_free_item_is_found_although_no_clean_up_ran_and_the_late_submit_is_refused(partner, rita, clock):
    post = p.post(clock=clock)
    p.flag(post, clock=clock)
    item = leases.take_next(caller=rita, now=clock())
    roy = f.reviewer(partner, clock=clock)
    with pytest.raises(NothingToTake) as nothing:
        leases.take_next(caller=roy, now=clock())
    assert nothing.value.code == "all_taken"

    clock.advance(minutes=10)
    assert leases.take_next(caller=roy, now=clock()).pk == item.pk

    with pytest.raises(LeaseLost):
        ratings.submit(ItemRef(item.pk, item.version), f.draft(partner), caller=rita, now=clock())
    assert [lease.ending for lease in Lease.objects.order_by("fence")] == ["taken_over", ""]


def test_naming_a_claim_that_has_an_open_item_answers_both_items(rita, lena, clock):
    _, claim = open_claim("A bridge fell.", by=rita, clock=clock)
    post = p.post("They say the bridge fell.", clock=clock, actor="page-2")
    p.flag(post, clock=clock)
    item = f.taken(post, by=lena, clock=clock)
    draft = f.draft(f.Partner.objects.get(pk=lena.organisation_id))
    named = RatingDraft(**{**draft.__dict__, "claim": ClaimDraft(id=claim.pk)})

    ratings.submit(ItemRef(item.pk, item.version), named, caller=lena, now=clock())
    p.settle(clock)

    assert not ReviewItem.objects.filter(status="open").exists()
    assert Flag.objects.get().outcome == "agreed"
    assert p.feed_of(post, clock=clock) == 0.2


def test_merged_items_keep_the_earliest_due_time_a_live_lease_and_show_the_earliest_post(rita, lena, clock):
    later, claim = open_claim("A bridge fell.", by=rita, clock=clock)
    shared = the_open_item()
    earlier = p.post(
        "The bridge fell, they say.",
        clock=clock,
        actor="page-2",
        published_at=later.published_at - timedelta(days=1),
    )
    p.flag(earlier, clock=clock, reason="violence")
    p.settle(clock)
    held = f.taken(earlier, by=lena, clock=clock)

    matches.confirm(claim, earlier.current_version, caller=rita, now=clock())

    shared.refresh_from_db()
    assert shared.displayed_version_id == earlier.current_version_id
    assert shared.due_at == held.due_at
    assert (shared.holder_id, shared.held_until) == (lena.person_id, held.held_until)
    own = ReviewItem.objects.get(pk=held.pk)
    assert (own.status, own.outcome) == ("closed", "merged")
    p.settle(clock)
    assert the_open_item().flaggers == 1


def test_a_claims_item_shows_another_post_when_the_shown_one_is_deleted_and_closes_with_the_last(rita, clock):
    first, claim = open_claim(COPIED, by=rita, clock=clock)
    second = p.post(COPIED, clock=clock, actor="page-2")
    p.flag(second, clock=clock)
    p.settle(clock)
    assert the_open_item().displayed_version_id == first.current_version_id
    version = the_open_item().version

    posts.delete(first.pk, caller=SYSTEM, now=clock())
    p.settle(clock)
    assert the_open_item().displayed_version_id == second.current_version_id
    assert the_open_item().version > version

    posts.delete(second.pk, caller=SYSTEM, now=clock())
    p.settle(clock)
    about_the_claim = ReviewItem.objects.filter(cluster=claim.cluster_id).order_by("id")
    assert [item.outcome for item in about_the_claim] == ["rated", "deleted"]
    assert not ReviewItem.objects.filter(status="open").exists()
    assert Flag.objects.get().outcome == "neutral"


def test_a_claim_that_no_post_makes_any_more_has_no_item(rita, clock):
    _, claim = open_claim("A bridge fell.", by=rita, clock=clock)

    matches.reject(claim.matches.get().pk, caller=rita, now=clock())
    p.settle(clock)

    assert not ReviewItem.objects.filter(status="open").exists()


def test_the_item_of_a_deleted_post_goes_on_while_the_desk_has_a_case(rita, clock):
    post, paula = p.post(clock=clock), p.specialist(clock=clock)
    p.flag(post, clock=clock)
    escalations.open_case(
        version_id=post.current_version_id, ground=Ground.HATE, note="", caller=paula, now=clock()
    )

    posts.delete(post.pk, caller=SYSTEM, now=clock())
    p.settle(clock)

    assert the_open_item().post_id == post.pk


def test_a_partner_undoes_its_rating_although_another_one_holds_the_claim(rita, lena, clock):
    post = p.post(clock=clock)
    rating = f.rate(post, by=rita, clock=clock)
    p.settle(clock)
    f.taken(post, by=lena, clock=clock)

    ratings.undo(rating.pk, caller=rita, now=clock.advance(seconds=20))
    p.settle(clock)

    assert p.lookup(post, clock=clock) is None
    assert the_open_item().holder_id == lena.person_id


def test_an_undone_rating_leaves_the_item_with_its_rater_and_no_notice(rita, clock):
    post = p.post(clock=clock)
    rating = f.rate(post, by=rita, clock=clock)
    p.settle(clock)

    ratings.undo(rating.pk, caller=rita, now=clock.advance(seconds=20))
    p.settle(clock)
    clock.advance(hours=7)

    assert notices.deliver(now=clock()) == 0
    assert the_open_item().holder_id == rita.person_id


def test_only_ratings_settle_a_dispute(rita, lena, clock):
    post = p.post(clock=clock)
    f.rate(post, "false", by=rita, clock=clock)
    f.rate(post, "true", by=lena, clock=clock)
    p.settle(clock)
    third = f.lead(f.partner(clock=clock), clock=clock)
    conflict = leases.take(the_open_item().pk, caller=third, now=clock())
    assert conflict.kind == "conflict"

    with pytest.raises(Conflict) as refusal:
        ratings.not_eligible(
            ItemRef(conflict.pk, conflict.version), reason="An opinion.", caller=third, now=clock()
        )
    assert refusal.value.code == "disputed"

    ratings.submit(
        ItemRef(conflict.pk, conflict.version),
        RatingDraft(
            **{
                **f.draft(f.Partner.objects.get(pk=third.organisation_id), "true").__dict__,
                "claim": ClaimDraft(),
            }
        ),
        caller=third,
        now=clock(),
    )
    p.settle(clock)
    assert not ReviewItem.objects.filter(status="open").exists()
    assert not p.lookup(post, clock=clock)["contested"]


def test_a_dispute_that_breaks_out_again_has_an_item_again(partner, rita, lena, clock):
    post = p.post(clock=clock)
    first = f.rate(post, "false", by=rita, clock=clock)
    f.rate(post, "true", by=lena, clock=clock)
    p.settle(clock)
    agreed = ratings.revise(first.pk, f.draft(partner, "true"), caller=rita, now=clock())
    p.settle(clock)
    assert not ReviewItem.objects.filter(status="open").exists()

    ratings.revise(agreed.pk, f.draft(partner, "false"), caller=rita, now=clock())
    p.settle(clock)

    assert the_open_item().kind == "conflict"


def test_an_edit_of_a_rated_post_opens_a_re_check_that_is_due_within_a_day(rita, clock):
    post = p.post(clock=clock)
    f.rate(post, "false", by=rita, clock=clock)
    p.settle(clock)

    p.edit(post, "The water was tested again.", clock=clock)
    p.settle(clock)

    item = the_open_item()
    assert (item.kind, item.due_at) == ("re_check", clock() + timedelta(hours=24))
    effect = p.lookup(post, clock=clock)
    assert effect["label"] == "warning" and effect["made_on_earlier_version"]

    post.refresh_from_db()
    held = leases.take(item.pk, caller=rita, now=clock())
    claim = f.Rating.objects.get().claim_id
    claims.same_claim(ItemRef(held.pk, held.version), claim, caller=rita, now=clock())
    p.settle(clock)
    assert not ReviewItem.objects.filter(status="open").exists()
    assert not p.lookup(post, clock=clock)["made_on_earlier_version"]


def test_an_edit_back_to_the_rated_text_needs_no_re_check(rita, clock):
    post = p.post(COPIED, clock=clock)
    p.settle(clock)
    f.rate(post, "false", by=rita, clock=clock)
    p.settle(clock)
    p.edit(post, "Nothing to see here.", clock=clock)
    p.settle(clock)
    assert the_open_item().kind == "re_check"

    p.edit(post, COPIED, clock=clock)
    p.settle(clock)

    assert not ReviewItem.objects.filter(status="open").exists()


def test_a_person_who_is_turned_away_from_a_flag_that_closed_meanwhile_is_not_left_without_an_item(clock):
    """The item that is in the way of a new one closes before it is read."""
    post = p.post(clock=clock)
    flag = p.flag(post, clock=clock)
    flags.withdraw(flag.pk, caller=callers.for_person(flag.reporter.person, now=clock()), now=clock())
    enforcement.drain("maintenance", limit=5, now=clock)

    again = queue.open_for_version(post.current_version, now=clock(), caller=SYSTEM)

    assert again.pk == the_open_item().pk
    assert ReviewItem.objects.get(status="closed").outcome == "withdrawn"


def test_a_post_that_joins_a_rated_claim_is_answered_and_another_partners_pick_of_the_claim_stays(
    rita, lena, clock
):
    first = p.post("A bridge fell.", clock=clock)
    claim = f.rate(first, by=rita, clock=clock).claim
    picked = f.taken(first, by=lena, clock=clock)
    post = p.post("The bridge fell, they say.", clock=clock, actor="page-2")
    flag = p.flag(post, clock=clock)

    matches.confirm(claim, post.current_version, caller=rita, now=clock())
    p.settle(clock)

    assert the_open_item().pk == picked.pk
    assert the_open_item().holder_id == lena.person_id
    assert ReviewItem.objects.get(displayed_version=post.current_version).outcome == "rated"
    flag.refresh_from_db()
    assert flag.outcome == "agreed"
