"""What is a member's own: verdicts on their posts, notices, standing, settings, roles."""

import re

import pytest
from django.urls import reverse

from moderation.models import User
from moderation.services import decisions, notices
from tests.factories import pages
from tests.factories import platform as p
from tests.factories.pages import authored

pytestmark = pytest.mark.django_db


@pytest.fixture
def mira(wall):
    return p.member(clock=wall)


def test_an_author_reads_verdict_and_remedy_but_never_who_flagged(mira, wall):
    flagger = p.member("Zelda", clock=wall)
    post = authored(mira, wall=wall)
    flag = p.flag(post, by=flagger, clock=wall, note="My neighbour wrote this, I am Zelda.")
    decision = p.rated(post, "false", clock=wall)
    p.settle(wall)
    notices.deliver(now=decision.at.replace(year=decision.at.year + 1))

    collected = ""
    for name, args in [("feed", []), ("post", [post.pk]), ("notices", []), ("standing", []), ("flags", [])]:
        collected += pages.text_of(mira, name, *args)
    pages.text_of(mira, "flags-one", flag.pk, status=404)

    assert "Rated false by Clarim" in collected and "dispute" in collected
    for secret in ("Zelda", str(flagger.person_id), str(flag.pk), str(flag.reporter_id), "My neighbour"):
        assert secret not in collected
    assert not re.search(r"\b1 flag\b", collected)


def test_notices_are_new_until_they_were_read(mira, wall):
    post = authored(mira, wall=wall)
    p.removed(post, clock=wall)
    p.settle(wall)
    notices.deliver(now=wall())

    assert "1 unread notice" in pages.text_of(mira, "feed")
    assert "Your post was removed: Incites violence" in pages.text_of(mira, "notices")
    assert "1 unread notice" not in pages.text_of(mira, "feed")


def test_standing_shows_every_strike_with_post_verdict_and_end_and_only_to_its_owner(mira, wall):
    other = p.member(clock=wall)
    first, second = (
        authored(mira, "One wrong thing.", wall=wall),
        authored(mira, "Another wrong thing.", wall=wall),
    )
    one = p.rated(first, "false", clock=wall)
    p.rated(second, "altered", clock=wall)
    p.settle(wall)

    page = pages.text_of(mira, "standing")
    assert "Repeat offender" in page and "2 strikes count now" in page
    assert "One wrong thing." in page and "Another wrong thing." in page and "counts until" in page
    assert "All its posts rank at 50% of their weight." in page
    assert "Own Account" not in pages.text_of(other, "standing")

    decisions.stand(
        one.cluster_id, outcome="", contested=False, presentation={}, rated_version=None,
        source="test", source_key="withdrawn", caller=p.SYSTEM, now=wall(),
    )  # fmt: skip
    p.settle(wall)
    page = pages.text_of(mira, "standing")
    assert "1 strike counts now" in page and "Repeat offender" not in page


def test_settings_are_stored_and_a_refused_form_loses_nothing(mira, wall):
    client = pages.visitor(mira)
    form = {
        "display_name": "Mira M. \u0645",
        "language": "en",
        "time_zone": "Asia/Colombo",
        "region": "LK",
        "viewer_preference": "do_not_reduce",
    }
    refused = client.post(reverse("settings"), form | {"time_zone": "Moon/Crater"})
    assert refused.status_code == 422
    assert "Mira M." in refused.content.decode() and "Moon/Crater is not one" in refused.content.decode()
    assert User.objects.get(pk=mira.person_id).region == ""

    assert client.post(reverse("settings"), form).status_code == 302
    saved = User.objects.get(pk=mira.person_id)
    assert (saved.display_name, saved.time_zone, saved.region) == ("Mira M. \u0645", "Asia/Colombo", "LK")
    assert saved.viewer_preference == "do_not_reduce" and not saved.shortcuts_on
    assert 'data-shortcuts="off"' in pages.text_of(mira, "feed")


def test_somebody_acts_only_in_roles_they_hold_and_starts_where_the_role_works(wall):
    paula = p.specialist(clock=wall)
    client = pages.visitor(paula)

    assert client.post(reverse("acting"), {"acting": "administrator"}).status_code == 403
    switched = client.post(reverse("acting"), {"acting": "member", "next": "//evil.example/feed/"})
    assert switched["Location"] == reverse("feed")
    assert client.get("/")["Location"] == reverse("feed")
    assert client.post(reverse("acting"), {"acting": "member", "next": "/flags/"})["Location"] == "/flags/"
