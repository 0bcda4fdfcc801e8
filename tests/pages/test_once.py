"""A form that is sent twice, by a double click or a reload, is carried out once: every act of every page."""

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.db import connection, transaction
from django.urls import reverse
from django.utils import timezone

from moderation.enums import Scope
from moderation.models import ApiClient, IdempotencyKey
from tests.factories import platform as p
from tests.factories.pages import visitor
from tests.pages.page_expectations import PAGES
from tests.pages.test_walk import names_in, served
from tests.pages.world import PageWorld

pytestmark = pytest.mark.django_db
TOKEN = "a" * 64  # what one rendering of a page names all its forms by
KEY = {"name": "Bridge", "scopes": [Scope.POSTS_WRITE], "expires": "90"}
PARTNER = {
    "name": "New Checks", "slug": "new-checks", "languages": "en", "countries": "", "domains": "new.example",
    "time_zone": "UTC",
}  # fmt: skip
CERTIFICATE = {"body": "IFCN", "first_day": "2026-01-01", "last_day": "2027-12-31"}
INVITATION = {"email": "new@people.example", "role": "reviewer"}
RATING = {
    "verdict": "true",
    "claim_text": "It is so.",
    "headline": "It is",
    "explanation": "We looked.",
    "version": "1",
}
# Forms that the walk sends only to be mended.
FILLED = {
    "factcheck:partners_add": PARTNER,
    "factcheck:partners_certify": CERTIFICATE,
    "factcheck:partners_invite": INVITATION,
    "factcheck:people": INVITATION,
    "factcheck:triage_item": RATING,
    "factcheck:ratings_revise": {**RATING, "verdict": "satire"},
}
ACTS = list(FILLED) + [name for name, page in PAGES.items() if page.post and 302 in page.post.answers]


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), transaction.atomic():
        yield PageWorld(timezone.now)
        transaction.set_rollback(True)


def stored() -> dict[str, int]:
    """How many rows each table has."""
    tables = [m._meta.db_table for m in apps.get_models() if m not in (IdempotencyKey, Session)]
    counts = " UNION ALL ".join(f"SELECT '{t}', count(*) FROM {t}" for t in tables)
    with connection.cursor() as cursor:
        cursor.execute(counts)
        return dict(cursor.fetchall())


@pytest.mark.parametrize("name", ACTS)
def test_a_form_that_is_sent_twice_is_carried_out_once_and_answered_the_same(world, name):
    door, names = PAGES[name].post, names_in(dict(served())[name].pattern)
    for kind in door.allowed if name not in FILLED else list(door.allowed)[:1]:
        address = reverse(name, kwargs=world.kwargs(names, "own", kind))
        fields = {
            **FILLED.get(name, door.body(world)),
            "seen": world.ids["item_version"],
            "csrfmiddlewaretoken": TOKEN,
        }
        with transaction.atomic():
            client = visitor(world.people[kind])
            first = client.post(address, fields)
            assert first.status_code == 302 or (name not in FILLED and first.status_code in door.answers), (
                first.content
            )
            if first.status_code != 302:  # refused in this world: nothing is kept
                transaction.set_rollback(True)
                continue
            after = stored()
            second = client.post(address, fields)

            assert (second.status_code, second.headers.get("Location")) == (302, first.headers["Location"])
            assert stored() == after
            transaction.set_rollback(True)


def test_a_double_click_makes_one_key_and_says_that_it_is_not_shown_again(clock):
    client = visitor(p.administrator(clock=clock))
    fields = {**KEY, "csrfmiddlewaretoken": TOKEN}

    first = client.post(reverse("keys"), fields)
    second = client.post(reverse("keys"), fields, follow=True)

    assert first.status_code == 201 and "The key is made." in first.content.decode()
    assert ApiClient.objects.filter(name=KEY["name"]).count() == 1
    assert "carried out once" in second.content.decode() and "The key is made." not in second.content.decode()


def test_the_form_of_another_page_view_makes_another_key(clock):
    client = visitor(p.administrator(clock=clock))

    for token in (TOKEN, "b" * 64):
        client.post(reverse("keys"), {**KEY, "csrfmiddlewaretoken": token})

    assert ApiClient.objects.filter(name=KEY["name"]).count() == 2


def test_the_same_token_of_somebody_else_is_another_form(clock):
    for _ in range(2):
        visitor(p.administrator(clock=clock)).post(reverse("keys"), {**KEY, "csrfmiddlewaretoken": TOKEN})

    assert ApiClient.objects.filter(name=KEY["name"]).count() == 2


def test_a_form_that_was_mended_is_carried_out(clock):
    client = visitor(p.administrator(clock=clock))
    refused = client.post(reverse("keys"), {**KEY, "name": "", "csrfmiddlewaretoken": TOKEN})

    mended = client.post(reverse("keys"), {**KEY, "csrfmiddlewaretoken": TOKEN})

    assert (refused.status_code, mended.status_code) == (422, 201)


def test_what_the_first_answer_said_is_said_by_the_second_too(world):
    client = visitor(world.people["reviewer"])
    address = reverse("factcheck:triage_note", kwargs=world.kwargs(["item_id"], "own", "reviewer"))
    fields = {"text": "Called them.", "csrfmiddlewaretoken": TOKEN}
    client.post(address, fields)
    client.cookies.pop("messages")  # the browser dropped the first answer

    assert "Note added." in client.post(address, fields, follow=True).content.decode()
