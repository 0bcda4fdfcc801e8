"""Somebody who acts too fast is told when it goes on, and loses nothing that they typed."""

import html
import json
import re

import pytest
from django.urls import reverse
from django.utils import timezone

from moderation.models import ItemNote
from tests.factories.pages import visitor
from tests.pages.world import PageWorld

pytestmark = pytest.mark.django_db
TYPED = 'The mayor\'s office says "no".\nThey call back <tomorrow>.'


@pytest.fixture
def client(settings):
    world = PageWorld(timezone.now)
    world_client = visitor(world.people["reviewer"])
    world_client.note = reverse("factcheck:triage_note", kwargs=world.kwargs(["item_id"], "own", "reviewer"))
    settings.API_LIMITS = {**settings.API_LIMITS, "person": {"read": "60/minute", "write": "1/minute"}}
    world_client.post(world_client.note, {"text": "The first."})
    return world_client


def test_what_was_typed_stands_on_the_page_ready_to_be_sent_again(client, settings):
    refused = client.post(client.note, {"text": TYPED})
    page = refused.content.decode()

    assert refused.status_code == 429
    assert re.search(r"send it again in \d+ second", page) and refused["Retry-After"] in page
    assert f'action="{client.note}"' in page
    kept = html.unescape(re.search(r'<textarea name="text" hidden>\n(.*?)</textarea>', page, re.S)[1])
    assert kept == TYPED

    settings.API_LIMITS = {**settings.API_LIMITS, "person": {"read": "60/minute", "write": "60/minute"}}
    assert client.post(client.note, {"text": kept}).status_code == 302
    assert ItemNote.objects.filter(text=TYPED).count() == 1


def test_a_part_of_a_page_stays_as_it_is_and_says_why(client):
    refused = client.post(client.note, {"text": TYPED}, headers={"HX-Request": "true"})
    told = json.loads(refused["HX-Trigger"])["toast"]

    assert (refused.status_code, refused.content) == (429, b"")
    assert (
        told["tone"] == "warn"
        and "nothing is lost" in told["text"]
        and refused["Retry-After"] in told["text"]
    )
