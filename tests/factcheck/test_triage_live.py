"""What an open page hears of others, and what pages cost."""

import re
from datetime import timedelta

import pytest

from factcheck.services import leases, ratings
from moderation.enums import FlagReason
from moderation.models import ReviewItem
from moderation.services import notes
from moderation.services.queue import ItemRef
from tests.factcheck.reading import ask, flagged, item_of, page, poll_of, words
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db


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
    assert "Rita holds it now." in words(lost)

    item.refresh_from_db()
    ratings.submit(ItemRef(item.pk, item.version), f.draft(partner), caller=roy, now=wall.advance(seconds=1))
    assert f"{partner.name} rated it: False." in words(ask(hers, url, version))


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

    with django_assert_max_num_queries(11):
        assert ask(hers, url, version).status_code == 204
