"""Every page, visited by everybody for what is theirs, somebody else's, and nobody's (ORG-01)."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.db import transaction
from django.shortcuts import resolve_url
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from tests.api.world import FOREIGN, MISSING, OWN
from tests.factories.pages import visitor
from tests.pages.page_expectations import EVERYBODY, PAGES, Door, Page
from tests.pages.world import PageWorld

pytestmark = pytest.mark.django_db

# Not ours to walk: Django's admin and the sign-in pages answer for themselves, the API has a walk of its own.
ELSEWHERE = ("admin/", "accounts/", "api/", "static/")


def served(urls=None, path="", space="") -> Iterator[tuple[str, URLPattern]]:
    """(name, pattern) of every page; one without a name is told by its path."""
    for entry in urls or get_resolver().url_patterns:
        here = path + str(entry.pattern)
        if here.startswith(ELSEWHERE):
            continue
        if isinstance(entry, URLResolver):
            within = f"{space}{entry.namespace}:" if entry.namespace else space
            yield from served(entry.url_patterns, here, within)
        else:
            yield (f"{space}{entry.name}" if entry.name else here), entry


def names_in(pattern) -> list[str]:
    """What an address is made of, whether it is written with converters or as an expression."""
    return list(pattern.converters) or list(pattern.regex.groupindex)


def tables() -> dict[str, Page]:
    """The lines of this table and of every other area's."""
    found: dict[str, Page] = {}
    for file in Path("tests").glob("*/page_expectations.py"):
        found |= import_module(".".join(file.with_suffix("").parts)).PAGES
    return found


def test_every_page_has_a_line_and_every_line_a_page():
    assert set(tables()) == {name for name, _ in served()}


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker):
    """One world for the whole walk: each visit is rolled back."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield PageWorld(timezone.now)
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def clients(world):
    found = {kind: visitor(world.people[kind]) for kind in EVERYBODY if kind != "anonymous"}
    found["anonymous"] = Client()
    for client in found.values():
        client.raise_request_exception = False
    return found


@pytest.mark.parametrize("name", PAGES)
def test_everybody_sees_and_does_what_they_may_and_learns_nothing_else(world, clients, name):
    page, entry = PAGES[name], dict(served())[name]
    names = names_in(entry.pattern)
    for method, door in (("GET", page.get), ("POST", page.post)):
        for kind in EVERYBODY:
            answers = {}
            for which in (OWN, FOREIGN, MISSING) if names else (OWN,):
                address = reverse(name, kwargs=world.kwargs(names, which, kind))
                with transaction.atomic():
                    sent = door.body(world) if door and method == "POST" else None
                    answers[which] = clients[kind].generic(
                        method,
                        address,
                        *([urlencode(sent), "application/x-www-form-urlencoded"] if sent is not None else []),
                    )
                    if answers[which].streaming:
                        list(answers[which])  # to its end, so that its file is closed
                    transaction.set_rollback(True)
                clients[kind].cookies.pop("messages", None)  # what one visit said is not for the next
            require(page, door, kind, answers, f"{method} {name} as {kind}")


def require(page: Page, door: Door | None, kind: str, answers: dict, told: str) -> None:
    got = {which: answer.status_code for which, answer in answers.items()}
    said = f"{told}: {got}"
    if door is None:
        assert set(got.values()) <= {405, 302 if kind == "anonymous" else 405}, said
    elif kind == "anonymous" and not page.is_open:
        assert set(got.values()) == {302}, said
        assert all(a["Location"].startswith(resolve_url(settings.LOGIN_URL)) for a in answers.values()), said
    elif kind not in door.allowed:
        assert set(got.values()) == {door.refused}, said
        assert len({bare(answer) for answer in answers.values()}) == 1, f"{said} tells what exists"
    else:
        assert got[OWN] in door.answers, said
        if MISSING in got:
            assert got[MISSING] == door.missing, said
        if FOREIGN in got and door.foreign is not None and kind not in door.sees_all:
            assert got[FOREIGN] == door.foreign, said
            assert bare(answers[FOREIGN]) == bare(answers[MISSING]), f"{said} tells what exists"


def bare(answer) -> str:
    """The answer without what every request has of its own: its tokens and its address."""
    text = answer.headers.get("Location", "") + ("" if answer.streaming else answer.content.decode())
    text = re.sub(r'("X-CSRFToken": "|name="csrfmiddlewaretoken" value=")\w+', "", text)
    return text.replace(answer.wsgi_request.get_full_path(), "")
