"""Claims, own work and picking a post."""

import re

import pytest
from django.urls import reverse

from factcheck.models import Rating
from factcheck.services import leases, ratings
from moderation.caller import SYSTEM
from moderation.enums import FlagReason
from moderation.models import ReviewItem
from moderation.services import posts
from moderation.services.posts import Reach
from tests.factcheck.reading import flagged, item_of, page, words
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db


def test_filters_live_in_the_address(hers, wall):
    flagged(wall)
    violent = p.post("They gather tonight.", clock=wall, actor="page-2")
    p.flag(violent, clock=wall, reason=FlagReason.VIOLENCE)
    p.settle(wall)

    only = words(hers.get("/triage/?reason=violence&sort=newest"))

    assert "They gather tonight." in only
    assert "The water of the town" not in only
    for odd in (
        "sort=__x",
        "reason=%00",
        "rows=99999999999999999999",
        "rows=-1",
        "language=%00",
        "kind=nope",
    ):
        assert hers.get(f"/triage/?{odd}").status_code == 200


def test_the_claim_page_shows_ratings_by_organisation_with_history(hers, rita, partner, door, wall):
    other = f.partner(clock=wall)
    stranger = f.reviewer(other, clock=wall)
    post = p.post(clock=wall)
    rating = f.rate(post, by=rita, clock=wall)
    ratings.revise(rating.pk, f.draft(partner, "partly_false"), caller=rita, now=wall.advance(seconds=1))
    p.settle(wall)
    address = reverse("factcheck:claims_one", args=[rating.claim_id])

    own, outside = words(hers.get(address)), words(door(stranger).get(address))

    assert "1 earlier rating" in own and "Rita ·" in own
    assert "Partly false" in outside and "Rita ·" not in outside
    assert "Rate it too" in outside
    assert "Revise our rating" in own


def test_revising_and_withdrawing_from_the_claim_page(hers, rita, partner, wall):
    post = p.post(clock=wall)
    rating = f.rate(post, by=rita, clock=wall)
    revise = reverse("factcheck:ratings_revise", args=[rating.pk])
    form = hers.get(revise).content.decode()
    assert rating.headline in form

    sent = {
        "verdict": "missing_context",
        "headline": "It lacks context",
        "explanation": "More was found.",
        "article_url": f"https://{partner.domains[0]}/more",
    }
    hers.post(revise, sent)
    p.settle(wall)
    assert p.feed_of(post, clock=wall) == 1.0
    newer = Rating.objects.get(superseded_by__isnull=True)
    assert hers.post(revise, sent).status_code == 409

    withdraw = reverse("factcheck:ratings_withdraw", args=[newer.pk])
    assert "Say why the rating is withdrawn." in words(hers.post(withdraw, {"reason": " "}, follow=True))
    hers.post(withdraw, {"reason": "We were wrong."})
    p.settle(wall)
    assert p.lookup(post, clock=wall) is None


def test_a_match_can_be_rejected_from_the_claim_page(hers, rita, wall):
    text = "Breaking: the town well is poisoned and nobody tells you the truth about it"
    post = p.post(text, clock=wall)
    copy = p.post(text, clock=wall, actor="page-2")
    p.settle(wall)
    rating = f.rate(post, by=rita, clock=wall)
    p.settle(wall)
    match = rating.claim.matches.get(post_version=copy.current_version)

    shown = hers.post(reverse("factcheck:matches_reject", args=[match.pk]), follow=True)
    p.settle(wall)

    assert "Rejected" in words(shown)
    assert p.lookup(copy, clock=wall) is None
    assert p.feed_of(post, clock=wall) == 0.2


def test_a_fan_out_shows_how_far_it_is(hers, rita, wall):
    text = "Breaking: the town well is poisoned and nobody tells you the truth about it"
    post = p.post(text, clock=wall)
    p.post(text, clock=wall, actor="page-2")
    p.settle(wall)
    first = f.rate(post, by=rita, clock=wall)
    p.settle(wall)
    ratings.withdraw(first.pk, reason="Wrong.", caller=rita, now=wall.advance(seconds=1))
    address = reverse("factcheck:claims_progress", args=[first.claim_id])

    running = hers.get(address)
    assert "Answering the posts of this claim" in words(running)
    version = re.search(r'data-version="([^"]+)"', running.content.decode())[1]
    assert hers.get(address, {"version": version}).status_code == 204
    p.settle(wall)
    assert "Every post is answered" in words(hers.get(address, {"version": version}))


def test_earlier_fact_checks_are_found_by_their_words(hers, rita, wall):
    f.rate(p.post(clock=wall), by=rita, clock=wall, claim="Lemon water cures dengue.")
    f.rate(
        p.post("Goats in parliament.", clock=wall, actor="page-2"), by=rita, clock=wall, claim="Goats vote."
    )

    assert "Lemon water cures dengue." in words(hers.get("/claims/?q=LEMON dengue"))
    assert "Goats vote." not in words(hers.get("/claims/?q=LEMON dengue"))
    assert "No fact-check has these words" in words(hers.get("/claims/?q=unicorn"))
    assert hers.get("/claims/?q=%00&verdict=x&language=%00").status_code == 200


def test_a_post_nobody_flagged_is_picked_by_its_words_or_id(hers, rita, wall):
    post = p.post("A very quiet story about the mill.", clock=wall)
    assert "quiet story" in words(hers.get("/posts/pick/?q=quiet MILL"))
    assert "quiet story" in words(hers.get(f"/posts/pick/?q={post.external_id}"))
    assert "No post is found" in words(hers.get("/posts/pick/?q=unicorn"))

    answer = hers.post("/posts/pick/", {"post": str(post.pk)})

    item = item_of(post)
    assert answer["Location"] == page(item)
    assert item.picked and item.holder_id == rita.person_id
    assert hers.post("/posts/pick/", {"post": "nothing"}).status_code == 404


def test_my_work_lists_what_is_held_begun_put_off_and_rated(hers, rita, partner, wall):
    held, begun = item_of(flagged(wall)), item_of(flagged(wall, "A draft was begun.", actor="page-2"))
    leases.take(held.pk, caller=rita, now=wall())
    leases.save_draft(begun.pk, {"headline": "Half"}, caller=rita, now=wall())
    f.rate(p.post("Done already.", clock=wall, actor="page-3"), by=rita, clock=wall, claim="It is done.")

    shown = words(hers.get(reverse("factcheck:work")))

    for part in ("Yours for", "A draft was begun.", "It is done.", "In force", "Undo", "Revise"):
        assert part in shown


def test_a_conflict_shows_both_and_leads_to_the_own_rating(hers, rita, partner, wall):
    post = p.post(clock=wall)
    f.rate(post, "false", by=rita, clock=wall)
    other = f.partner(clock=wall)
    f.rate(post, "true", by=f.reviewer(other, clock=wall), clock=wall)
    p.settle(wall)
    item = ReviewItem.objects.get(kind="conflict", status="open")

    shown = words(hers.get(page(item)))

    assert "Conflict between partners" in shown
    assert f"Already rated by {other.name}:" in shown
    assert "Your organisation's rating" in shown


def test_shortcuts_can_be_switched_off(hers, rita, wall):
    person = f.person_of(rita)
    person.shortcuts_on = False
    person.save()

    assert 'data-shortcuts="off"' in hers.get("/triage/").content.decode()


def test_the_effect_is_told_as_it_was_measured_and_by_how_much(hers, rita, wall):
    post = p.post(clock=wall)
    p.flag(post, clock=wall)
    posts.record_reach([Reach(post.pk, wall(), 900)], caller=SYSTEM, now=wall())
    rating = f.rate(post, by=rita, clock=wall)
    address = reverse("factcheck:claims_one", args=[rating.claim_id])
    assert "Measured by 1 sample of 1 of 1 posts." in words(hers.get(address))

    for views in (960, 1000):
        posts.record_reach([Reach(post.pk, wall(), views)], caller=SYSTEM, now=wall())

    shown = words(hers.get(address))
    assert "Between 4 % and 10 % of the views came after the rating" in shown
    assert "From the first flag to the rating: under 1 min, weighted by views." in shown
    assert "Measured by 3 samples of 1 of 1 posts." in shown
