"""The triage as a reviewer meets it, without scripts: look, take, skip, put off."""

from datetime import timedelta

import pytest
from django.urls import reverse

from factcheck.models import Lease
from factcheck.services import leases
from moderation.enums import FlagReason
from moderation.models import ReviewItem
from tests.factcheck.reading import flagged, item_of, page, verb, words
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db


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
    assert "Put off" in words(hers.get(reverse("factcheck:work")))


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
