"""The triage as a reviewer meets it, without scripts: look, take, rate, and what others do meanwhile."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse

from factcheck.models import Draft, Lease, Rating
from factcheck.services import leases, ratings
from moderation.enums import FlagReason
from moderation.models import Escalation, ReviewItem
from moderation.services import notes
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db


@pytest.fixture
def partner(wall):
    return f.partner(clock=wall)


@pytest.fixture
def rita(partner, wall):
    return f.reviewer(partner, clock=wall)


@pytest.fixture
def hers(rita, door):
    return door(rita)


def flagged(clock, text="The water of the town well was tested and found clean.", **fields):
    post = p.post(text, clock=clock, **fields)
    p.flag(post, clock=clock)
    p.settle(clock)
    return post


def item_of(post):
    return ReviewItem.objects.get(post=post, status="open")


def page(item):
    return reverse("factcheck:triage_item", args=[item.pk])


def verb(name, item):
    return reverse(f"factcheck:triage_{name}", args=[item.pk])


def filled(item, partner, verdict="false", **changes):
    """What the form of the page sends."""
    return {
        "version": item.version,
        "seen": str(item.displayed_version_id),
        "verdict": verdict,
        "claim_text": "The well is poisoned.",
        "fragment": "the town well",
        "headline": "No, the well is not poisoned",
        "explanation": "The laboratory's results were published on Monday.",
        "article_url": f"https://{partner.domains[0]}/checks/well",
        "evidence_url_0": "https://example.org/results",
        "evidence_title_0": "The results",
        "countries": "pt, BR",
        "act": "next",
        **changes,
    }


def words(response):
    """The page as read: without tags, spaces joined."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


# ── look and take ──────────────────────────────────────────────────────────────────────────────────


def test_looking_claims_nothing(hers, wall):
    item = item_of(flagged(wall))

    assert hers.get("/triage/").status_code == 200
    shown = hers.get(page(item))

    assert "Take this item to rate it" in words(shown)
    item.refresh_from_db()
    assert item.holder_id is None
    assert not Lease.objects.exists()


def test_take_next_hands_over_the_best_item_and_opens_it(hers, rita, wall):
    flagged(wall)
    post = p.post("They gather tonight.", clock=wall, actor="page-2")
    p.flag(post, clock=wall, reason=FlagReason.VIOLENCE)
    p.settle(wall)

    answer = hers.post("/triage/next/")

    assert answer["Location"] == page(item_of(post))
    shown = hers.get(answer["Location"])
    assert "Yours for" in words(shown)
    assert "You hold this" in words(shown)
    assert item_of(post).holder_id == rita.person_id


def test_colleagues_have_first_names_other_partners_only_their_organisation(partner, hers, door, wall):
    first, second = flagged(wall), flagged(wall, "Another story about the well.", actor="page-2")
    roy = f.reviewer(partner, clock=wall)
    other = f.partner(clock=wall)
    stranger = f.reviewer(other, clock=wall)
    leases.take(item_of(first).pk, caller=roy, now=wall())
    leases.take(item_of(second).pk, caller=stranger, now=wall())

    shown = words(hers.get("/triage/"))

    assert "Held by Rita " in shown
    assert f"Held by {other.name}" in shown
    assert str(f.person_of(stranger)) not in shown
    assert f"Held by {other.name}" in words(hers.get(page(item_of(second))))


def test_an_item_of_another_scope_does_not_exist_and_other_roles_are_told_why(hers, door, wall):
    foreign = item_of(flagged(wall, "بئر المدينة", language="ar"))
    own = item_of(flagged(wall, actor="page-2"))

    assert hers.get(page(foreign)).status_code == 404
    assert hers.post(verb("take", foreign)).status_code == 404
    assert hers.post(page(foreign), {}).status_code == 404
    assert str(foreign.pk) not in hers.get("/triage/").content.decode()
    member = door(p.member(clock=wall))
    assert member.get(page(own)).status_code == 403
    assert "Only reviewers of a partner see the queue." in words(member.get("/triage/"))


def test_a_lapsed_partner_reads_and_is_told_why_it_cannot_take(door, wall):
    lapsed = f.partner(clock=wall, certified=False)
    lena = f.reviewer(lapsed, clock=wall)
    item = item_of(flagged(wall))
    reading = door(lena)

    shown = reading.get(page(item))

    assert f"{lapsed.name} has no certificate that holds today" in words(shown)
    assert reading.post(verb("take", item)).status_code == 403
    assert reading.post("/triage/next/").status_code == 403
    assert "You can read, not take." in words(reading.get("/triage/"))


def test_nothing_to_take_is_told_apart(hers, rita, partner, door, wall):
    assert "The queue is empty" in words(hers.get("/triage/"))

    item = item_of(flagged(wall))
    roy = f.reviewer(partner, clock=wall)
    leases.take(item.pk, caller=roy, now=wall())
    assert "Every open item is being reviewed" in words(hers.get("/triage/"))
    assert "being reviewed by somebody" in words(hers.post("/triage/next/", follow=True))

    leases.release(item.pk, caller=roy, now=wall())
    leases.take(item.pk, caller=rita, now=wall())
    skipped = hers.post(verb("skip", item), {"reason": "expertise"}, follow=True)
    assert "Nothing else for you" in words(skipped)
    assert "See what you set aside" in words(skipped)
    assert "Nothing else for you" not in words(door(roy).get("/triage/"))
    assert leases.take_next(caller=roy, now=wall()).pk == item.pk


def test_four_skips_of_five_items_show_four_others(hers, wall):
    for number in range(5):
        flagged(wall, f"Story number {number} about the well.", actor=f"page-{number}")
    seen = []

    answer = hers.post("/triage/next/")
    for _ in range(4):
        seen.append(answer["Location"])
        item = ReviewItem.objects.get(pk=seen[-1].split("/")[2])
        answer = hers.post(verb("skip", item), {"reason": "time"})

    assert len({*seen, answer["Location"]}) == 5
    assert words(hers.get("/triage/?view=aside")).count("Story number") >= 4


def test_a_skip_needs_a_reason(hers, rita, wall):
    item = item_of(flagged(wall))
    leases.take(item.pk, caller=rita, now=wall())

    assert "Say why you skip it." in words(hers.post(verb("skip", item), {}, follow=True))

    item.refresh_from_db()
    assert item.holder_id == rita.person_id


def test_a_snoozed_item_waits_for_its_time(hers, rita, wall):
    item = item_of(flagged(wall))
    leases.take(item.pk, caller=rita, now=wall())

    hers.post(verb("snooze", item), {"until": "4h"})

    lease = Lease.objects.get(item=item)
    assert timedelta(hours=3, minutes=59) < lease.wake_at - wall() < timedelta(hours=4, minutes=1)
    assert "Put off" in words(hers.get("/work/"))


# ── rate ───────────────────────────────────────────────────────────────────────────────────────────


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
        ratings.ItemRef(item.pk, item.version), f.draft(other), caller=stranger, now=wall.advance(seconds=1)
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


# ── beside rating ──────────────────────────────────────────────────────────────────────────────────


def test_escalating_opens_a_case_and_the_item_stays_ratable(hers, rita, partner, wall):
    item = item_of(flagged(wall))
    leases.take(item.pk, caller=rita, now=wall())
    sent = {
        "ground": "incites_violence",
        "note": "They name a place and a time.",
        "regions": "et",
        "seen": str(item.displayed_version_id),
    }

    shown = hers.post(verb("escalate", item), sent, follow=True)

    assert "The policy desk has it." in words(shown)
    assert "Incites violence: Open." in words(shown)
    case = Escalation.objects.get()
    assert (case.note, case.regions, case.opened_for) == (sent["note"], ["ET"], partner.pk)
    assert hers.post(page(item), filled(item, partner)).status_code == 302


def test_an_escalation_that_lacks_words_fails_loudly(hers, rita, wall):
    item = item_of(flagged(wall))

    answer = hers.post(verb("escalate", item), {"ground": "hate", "seen": str(item.displayed_version_id)})

    assert answer.status_code == 422
    assert "Not escalated" in words(answer)
    assert "data-dialog-auto" in answer.content.decode()
    assert not Escalation.objects.exists()
    foreign = flagged(wall, "Another story.", actor="page-9")
    sent = {"ground": "hate", "note": "x", "seen": str(foreign.current_version_id)}
    assert hers.post(verb("escalate", item), sent).status_code == 404


def test_notes_are_signed_by_first_name_within_and_by_organisation_outside(hers, rita, partner, door, wall):
    item = item_of(flagged(wall))
    other = f.partner(clock=wall)
    stranger = f.reviewer(other, clock=wall)
    notes.add(item.pk, text="We saw this in March.", caller=stranger, now=wall())

    shown = words(hers.post(verb("note", item), {"text": "I call the town hall."}, follow=True))

    assert f"We saw this in March. {other.name}" in shown
    assert "I call the town hall. Rita" in shown
    assert str(f.person_of(stranger)) not in shown
    assert "I call the town hall. " + partner.name in words(door(stranger).get(page(item)))
    assert hers.post(verb("note", item), {"text": " "}).status_code == 422


def test_a_claim_that_sounds_alike_is_suggested_and_confirmed_in_one_act(hers, rita, wall):
    rated = f.rate(p.post(clock=wall), by=rita, clock=wall, claim="The town well was poisoned last week")
    item = item_of(
        flagged(wall, "Our town well was poisoned, pass it on before they delete it", actor="page-2")
    )
    leases.take(item.pk, caller=rita, now=wall())
    shown = words(hers.get(page(item)))
    assert "The town well was poisoned last week" in shown
    assert "4 of 7 words the same" in shown

    done = hers.post(
        verb("same_claim", item), {"claim": str(rated.claim_id), "version": item.version}, follow=True
    )

    assert "the claim&#x27;s rating answers this post" in words(done)
    item.refresh_from_db()
    assert (item.status, item.outcome) == ("closed", "rated")


def test_an_edited_post_is_confirmed_or_let_go_by_its_re_check(hers, rita, wall):
    post = p.post("The town well was poisoned last week, they say.", clock=wall)
    rating = f.rate(post, by=rita, clock=wall)
    p.settle(wall)
    p.edit(post, "The town well was NOT poisoned, as it turns out.", clock=wall)
    p.settle(wall)
    item = ReviewItem.objects.get(status="open", kind="re_check")
    leases.take(item.pk, caller=rita, now=wall())
    assert "An earlier version made this claim" in words(hers.get(page(item)))
    assert p.lookup(post, clock=wall)["made_on_earlier_version"]

    hers.post(verb("no_longer", item), {"claim": str(rating.claim_id), "version": item.version})
    p.settle(wall)

    assert p.lookup(post, clock=wall) is None
    item.refresh_from_db()
    assert item.status == "closed"


# ── live ───────────────────────────────────────────────────────────────────────────────────────────


def poll_of(response):
    """The address and version that the list of a page asks with."""
    html = response.content.decode()
    url = re.search(r'id="queue" data-poll="([^"]+)"', html)[1].replace("&amp;", "&")
    return url, re.search(r'data-version="([^"]+)"', html)[1]


def ask(client, url, version):
    return client.get(
        url, {**dict(q.split("=", 1) for q in url.partition("?")[2].split("&") if q), "version": version}
    )


def test_the_poll_answers_204_until_something_changes(hers, rita, partner, wall):
    item = item_of(flagged(wall))
    url, version = poll_of(hers.get("/triage/"))
    assert ask(hers, url, version).status_code == 204

    flagged(wall, "News from the well.", actor="page-2")
    changed = ask(hers, url, version)
    assert changed.status_code == 200
    assert "News from the well." in words(changed)
    _, version = poll_of(changed)
    assert ask(hers, url, version).status_code == 204

    leases.take(item.pk, caller=f.reviewer(partner, clock=wall), now=wall())
    assert "Held by Rita" in words(ask(hers, url, version))


def test_a_lease_that_runs_out_shows_without_anybody_writing(hers, partner, wall):
    item = item_of(flagged(wall))
    leases.take(item.pk, caller=f.reviewer(partner, clock=wall), now=wall())
    url, version = poll_of(hers.get("/triage/"))

    ReviewItem.objects.filter(pk=item.pk).update(held_until=wall() - timedelta(seconds=1))

    assert "Held by" not in words(ask(hers, url, version))


def test_an_open_item_hears_of_an_edit_before_any_worker(hers, rita, wall):
    post = flagged(wall)
    item = item_of(post)
    leases.take(item.pk, caller=rita, now=wall())
    url, version = poll_of(hers.get(page(item)))
    assert ask(hers, url, version).status_code == 204

    p.edit(post, "The water was never tested.", clock=wall)
    news = ask(hers, url, version)

    assert "This item changed since you opened it." in words(news)
    assert f"{page(item)}?since=" in news.content.decode()
    since = re.search(r"\?since=([0-9a-f-]+)", news.content.decode())[1]
    p.settle(wall)
    assert "never" in words(hers.get(f"{page(item)}?since={since}")).split("What you saw")[1]


def test_an_open_item_hears_that_its_lease_is_lost_or_that_it_was_closed(hers, rita, partner, wall):
    item = item_of(flagged(wall))
    leases.take(item.pk, caller=rita, now=wall())
    url, version = poll_of(hers.get(page(item)))
    roy = f.reviewer(partner, clock=wall)
    leases.release(item.pk, caller=rita, now=wall())
    leases.take(item.pk, caller=roy, now=wall())

    lost = ask(hers, url, version)
    assert "You no longer hold this item." in words(lost)
    assert "took it after your lease ran out" in words(lost)

    item.refresh_from_db()
    ratings.submit(
        ratings.ItemRef(item.pk, item.version), f.draft(partner), caller=roy, now=wall.advance(seconds=1)
    )
    assert f"{partner.name} rated it: False." in words(ask(hers, url, version))


# ── consequences ───────────────────────────────────────────────────────────────────────────────────


def consequences(client, item, verdict):
    return words(client.post(verb("consequences", item), {"verdict": verdict}))


def test_the_preview_counts_copies_and_their_actors(hers, wall):
    text = "Breaking: the town well is poisoned and nobody tells you the truth about it"
    post = flagged(wall, text)
    p.post(text.upper(), clock=wall, actor="page-2")
    p.post(text + "!!", clock=wall, actor="page-3")
    p.post(text, clock=wall, actor="page-2")
    p.settle(wall)

    told = consequences(hers, item_of(post), "")

    assert "Reaches 3 posts of 2 actors" in told.replace(" ", " ")


def test_the_preview_says_who_becomes_a_repeat_offender(hers, rita, wall):
    f.rate(p.post("Lemon water cures dengue within a day.", clock=wall), by=rita, clock=wall)
    p.settle(wall)
    item = item_of(flagged(wall))

    told = consequences(hers, item, "false")
    assert "20% of the feed left" in told
    assert "Page 1 becomes a repeat offender: all 2 posts keep 50% of their reach." in told
    assert "No strike." in consequences(hers, item, "partly_false")
    assert "Distribution unchanged" in consequences(hers, item, "true")
    assert "Closes the item" in consequences(hers, item, "not_eligible")


def test_the_preview_says_that_another_partner_found_otherwise(hers, rita, wall):
    other = f.partner(clock=wall)
    post = p.post(clock=wall)
    f.rate(post, "true", by=f.reviewer(other, clock=wall), clock=wall)
    p.settle(wall)
    item = f.taken(post, by=rita, clock=wall)

    told = consequences(hers, item, "false")

    assert f"{other.name} (true) found otherwise." in told
    assert "Fact-checkers disagree" in told
    assert "Distribution unchanged" in told
    assert "No strike." in told
    assert f"Already rated by {other.name}:" in words(hers.get(page(item)))


# ── what people put into posts ─────────────────────────────────────────────────────────────────────


def test_what_is_hidden_in_a_post_is_pointed_out_and_everything_is_inert(hers, wall):
    post = flagged(
        wall,
        'Send 10 \u202e01\u202c to <img src=x onerror=alert(1)> "><script>alert(2)</script>',
        links=["javascript:alert(3)", "https://раypal.example/login"],
        media=[{"url": "https://tracker.example/p.png", "alt": "<b>x"}],
        actor="<svg onload=alert(4)>",
    )

    html = hers.get(page(item_of(post))).content.decode()

    assert "right-to-left override" in html and "U+202E" in html
    for attack in ("<img src=x", "<script>alert", "<svg onload", 'href="javascript:', 'src="https://tracker'):
        assert attack not in html
    assert "xn--" in html and "letters of two scripts" in html
    assert "not a web address, not linked" in html


# ── figures ────────────────────────────────────────────────────────────────────────────────────────


def test_a_longer_queue_costs_no_more_queries(hers, wall, django_assert_max_num_queries):
    for number in range(3):
        flagged(wall, f"Story {number} about the well.", actor=f"page-{number}")
    hers.get("/triage/")
    with django_assert_max_num_queries(20) as few:
        hers.get("/triage/")
    for number in range(3, 25):
        p.flag(p.post(f"Story {number} about the well.", clock=wall, actor=f"page-{number}"), clock=wall)
    p.settle(wall)

    with django_assert_max_num_queries(len(few)):
        hers.get("/triage/")


def test_an_item_with_much_about_it_costs_no_more_queries(hers, rita, wall, django_assert_max_num_queries):
    text = "Breaking: the town well is poisoned and nobody tells you the truth about it"
    post = flagged(wall, text)
    item = item_of(post)
    leases.take(item.pk, caller=rita, now=wall())
    hers.get(page(item))
    with django_assert_max_num_queries(70) as few:
        hers.get(page(item))
    for number in range(12):
        p.flag(post, clock=wall, note=f"Note {number}", reason=list(FlagReason)[number % 9])
        p.post(text, clock=wall, actor=f"copy-{number}")
        notes.add(item.pk, text=f"Note {number}", caller=rita, now=wall())
    p.settle(wall)

    # One query fewer or more: notes bring the partners' names, flags the notes' people.
    with django_assert_max_num_queries(len(few) + 2):
        hers.get(page(item))


def test_a_poll_without_news_is_cheap(hers, rita, wall, django_assert_max_num_queries):
    item = item_of(flagged(wall))
    leases.take(item.pk, caller=rita, now=wall())
    url, version = poll_of(hers.get(page(item)))

    with django_assert_max_num_queries(10):
        assert ask(hers, url, version).status_code == 204


# ── the other pages ────────────────────────────────────────────────────────────────────────────────


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

    shown = words(hers.get("/work/"))

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
