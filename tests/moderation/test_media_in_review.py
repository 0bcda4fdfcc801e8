"""Media of posts in review: blurred, then grey, then colour, by choice; how they start is each person's setting (UI-01)."""

import re

import pytest
from django.urls import reverse

from moderation.models import User
from tests.factories import pages
from tests.factories import platform as p
from tests.factories.desk import opened

pytestmark = pytest.mark.django_db
PICTURE = {"url": f"/media/ab/{'ab' * 32}.png", "sha256": "ab" * 32, "alt": "A crowd"}


def checked(page: str) -> list[str]:
    """Which step of the media is the chosen one."""
    return re.findall(r'value="(\w+)" autocomplete="off" data-reveal(?: data-key[^>]*)? checked', page)


@pytest.fixture
def paula(clock):
    return p.specialist(clock=clock)


@pytest.fixture
def case(paula, clock):
    return opened(p.post("See this.", clock=clock, media=[PICTURE]), by=paula, clock=clock)


def test_media_start_blurred_and_their_steps_have_keys_of_their_own(case, paula):
    page = pages.text_of(paula, "desk_case", case.pk)

    assert checked(page) == ["blurred"]
    assert 'value="grey" autocomplete="off" data-reveal data-key="b"' in page
    assert 'value="colour" autocomplete="off" data-reveal data-key="v"' in page
    assert "autoplay" not in page


@pytest.mark.parametrize("start", ["grey", "colour"])
def test_each_reviewer_chooses_how_media_start(case, paula, clock, start):
    client = pages.visitor(paula)
    form = client.get(reverse("settings")).context["form"]
    sent = {name: form[name].value() for name in form.fields}

    assert client.post(reverse("settings"), {**sent, "media_shown": start}).status_code == 302

    assert checked(pages.text_of(paula, "desk_case", case.pk)) == [start]
    assert checked(pages.text_of(p.specialist(clock=clock), "desk_case", case.pk)) == ["blurred"]


def test_members_who_review_nothing_are_not_asked(clock):
    mira = p.member(clock=clock)

    assert "Pictures and films in review" not in pages.text_of(mira, "settings")
    client = pages.visitor(mira)
    form = client.get(reverse("settings")).context["form"]
    client.post(reverse("settings"), {name: form[name].value() for name in form.fields})
    assert User.objects.get(pk=mira.person_id).media_shown == "blurred"
