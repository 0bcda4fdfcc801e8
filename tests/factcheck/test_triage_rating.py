"""The rating form: what is sent, refused, kept and taken back."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse

from factcheck.models import Draft, Rating
from factcheck.services import leases, ratings
from moderation.models import ReviewItem
from moderation.services.queue import ItemRef
from tests.factcheck.reading import filled, flagged, item_of, page, verb, words
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db


def test_a_rating_is_in_force_and_the_next_item_is_taken(hers, rita, partner, wall):
    item = item_of(flagged(wall))
    following = item_of(flagged(wall, "A second story.", actor="page-2"))
    leases.take(item.pk, caller=rita, now=wall())

    answer = hers.post(page(item), filled(item, partner))

    assert answer["Location"] == page(following)
    rating = Rating.objects.get()
    assert (rating.verdict, rating.countries, rating.claim.text) == (
        "false",
        ["PT", "BR"],
        "The well is poisoned.",
    )
    assert rating.evidence == [{"url": "https://example.org/results", "title": "The results"}]
    assert rating.claim.matches.get().fragment == "the town well"
    shown = hers.get(answer["Location"])
    assert "Rated false. The effect is on its way." in words(shown)
    assert reverse("factcheck:ratings_undo", args=[rating.pk]) in shown.content.decode()


def test_submit_alone_takes_nothing_more(hers, rita, partner, wall):
    item = item_of(flagged(wall))
    flagged(wall, "A second story.", actor="page-2")
    leases.take(item.pk, caller=rita, now=wall())

    answer = hers.post(page(item), filled(item, partner, act="stop"))

    assert answer["Location"] == "/triage/"
    assert not ReviewItem.objects.filter(holder__isnull=False).exists()


def test_what_is_missing_is_named_and_what_was_typed_is_kept(hers, rita, partner, wall):
    item = item_of(flagged(wall))
    leases.take(item.pk, caller=rita, now=wall())

    answer = hers.post(
        page(item), filled(item, partner, headline="", article_url="", explanation="Half a thought")
    )

    assert answer.status_code == 422
    assert "Give your finding a headline." in words(answer)
    assert "This verdict needs your published article." in words(answer)
    assert "Half a thought" in answer.content.decode()
    assert Draft.objects.get().fields["explanation"] == "Half a thought"
    assert not Rating.objects.exists()


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://{domain}/x", "Give the article's https address."),
        ("https://elsewhere.example/x", "The article must be on your own domain"),
        ("https://{domain}.evil.example/x", "The article must be on your own domain"),
        ("https://me@{domain}/x", "Give the article's https address."),
        ("javascript:alert(1)", "Give the article's https address."),
    ],
)
def test_an_article_elsewhere_is_refused_at_once_and_at_submit(hers, rita, partner, wall, url, sentence):
    item = item_of(flagged(wall))
    leases.take(item.pk, caller=rita, now=wall())
    address = url.format(domain=partner.domains[0])

    at_once = hers.post("/triage/article/", {"article_url": address})
    at_submit = hers.post(page(item), filled(item, partner, article_url=address))

    assert sentence in words(at_once).replace("&#x27;", "'")
    assert sentence in words(at_submit).replace("&#x27;", "'")
    assert at_submit.status_code == 422


def test_not_eligible_asks_why_and_closes_without_a_rating(hers, rita, partner, wall):
    post = flagged(wall)
    item = item_of(post)
    leases.take(item.pk, caller=rita, now=wall())

    assert hers.post(page(item), filled(item, partner, "not_eligible")).status_code == 422
    done = hers.post(page(item), filled(item, partner, "not_eligible", why="opinion", why_words="A column."))

    assert done.status_code == 302
    item.refresh_from_db()
    assert item.outcome == "not_eligible"
    assert post.decisions.get().presentation == {"reason": "It is an opinion. A column."}
    assert not Rating.objects.exists()


def test_a_stale_page_gets_409_with_what_changed_and_the_form_as_it_was(hers, rita, partner, wall):
    post = flagged(wall)
    item = item_of(post)
    leases.take(item.pk, caller=rita, now=wall())
    sent = filled(item, partner)
    p.edit(post, "The water of the town well was NEVER tested.", clock=wall)

    answer = hers.post(page(item), sent)

    assert answer.status_code == 409
    shown = words(answer)
    assert "Not sent." in shown
    assert "What you saw (version 1)" in shown and "Now (version 2)" in shown
    assert "NEVER" in shown
    assert sent["explanation"].replace("'", "&#x27;") in answer.content.decode()
    assert not Rating.objects.exists()

    again = re.search(r'name="version" value="(\d+)"', answer.content.decode())[1]
    item.refresh_from_db()
    assert int(again) == item.version
    done = hers.post(page(item), filled(item, partner))
    assert done.status_code == 302
    assert Rating.objects.get().post_version.number == 2


def test_who_was_slower_sees_whose_decision_stands_and_nothing_is_rated_twice(hers, rita, partner, wall):
    item = item_of(flagged(wall))
    leases.take(item.pk, caller=rita, now=wall())
    sent = filled(item, partner, verdict="true")
    other = f.partner(clock=wall)
    stranger = f.reviewer(other, clock=wall)
    leases.release(item.pk, caller=rita, now=wall())
    leases.take(item.pk, caller=stranger, now=wall())
    ratings.submit(
        ItemRef(item.pk, item.version), f.draft(other), caller=stranger, now=wall.advance(seconds=1)
    )

    answer = hers.post(page(item), sent)

    assert answer.status_code == 409
    assert f"{other.name} rated it: False." in words(answer)
    assert str(f.person_of(stranger)) not in words(answer)
    assert sent["headline"] in answer.content.decode()
    assert Rating.objects.count() == 1
    assert "This item is closed." in words(hers.get(page(item)))


def test_a_lost_lease_keeps_the_draft_and_offers_the_item_again(hers, rita, partner, wall):
    item = item_of(flagged(wall))
    leases.take(item.pk, caller=rita, now=wall())
    hers.post(verb("draft", item), filled(item, partner))
    roy = f.reviewer(partner, clock=wall)
    leases.release(item.pk, caller=rita, now=wall())
    leases.take(item.pk, caller=roy, now=wall())

    lost = hers.post(page(item), filled(item, partner))
    assert lost.status_code == 409
    assert "You no longer hold this item." in words(lost)
    leases.release(item.pk, caller=roy, now=wall())
    free = hers.post(page(item), filled(item, partner))
    assert "Take it again" in words(free)

    hers.post(verb("take", item))
    restored = hers.get(page(item)).content.decode()
    assert "No, the well is not poisoned" in restored
    assert "Draft of" in restored


def test_a_run_out_lease_is_good_as_long_as_nobody_took_the_item(hers, rita, partner, wall):
    item = item_of(flagged(wall))
    leases.take(item.pk, caller=rita, now=wall() - timedelta(minutes=11))

    assert "Your lease has run out." in words(hers.get(page(item)))
    assert hers.post(page(item), filled(item, partner)).status_code == 302


def test_renewing_shows_the_lease_and_a_lost_one_says_so(hers, rita, partner, wall):
    item = item_of(flagged(wall))
    leases.take(item.pk, caller=rita, now=wall())

    assert "Yours for" in words(hers.post(verb("renew", item)))
    leases.release(item.pk, caller=rita, now=wall())
    lost = hers.post(verb("renew", item))

    assert lost.status_code == 409
    assert "No longer yours" in words(lost)


def test_undo_takes_the_rating_back_and_brings_the_words_with_it(hers, rita, partner, wall):
    post = flagged(wall)
    item = item_of(post)
    leases.take(item.pk, caller=rita, now=wall())
    hers.post(page(item), filled(item, partner))
    rating = Rating.objects.get()

    answer = hers.post(reverse("factcheck:ratings_undo", args=[rating.pk]))

    reopened = ReviewItem.objects.get(status="open", holder_id=rita.person_id)
    assert answer["Location"] == page(reopened)
    assert rating.headline in hers.get(answer["Location"]).content.decode()
    assert rating.withdrawal.undone


def test_undo_is_refused_after_its_time_and_to_others(hers, rita, partner, door, wall):
    post = p.post(clock=wall)
    late = p.Clock()
    late.now = wall() - timedelta(minutes=5)
    rating = f.rate(post, by=rita, clock=late)
    stranger = door(f.reviewer(f.partner(clock=wall), clock=wall))

    told = hers.post(reverse("factcheck:ratings_undo", args=[rating.pk]), follow=True)

    assert "can be undone by its rater within 30 seconds" in words(told)
    assert stranger.post(reverse("factcheck:ratings_undo", args=[rating.pk])).status_code == 404
    assert (
        stranger.post(reverse("factcheck:ratings_withdraw", args=[rating.pk]), {"reason": "x"}).status_code
        == 404
    )
    assert stranger.get(reverse("factcheck:ratings_revise", args=[rating.pk])).status_code == 404
