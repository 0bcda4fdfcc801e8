"""Every route, called by everybody on what is theirs, somebody else's, and nobody's (ORG-01)."""

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from django.db import transaction
from django.urls import URLPattern, URLResolver, get_resolver

from tests.api import contract
from tests.api.expectations import EVERYBODY, PEOPLE, ROUTES, Expectation
from tests.api.world import FOREIGN, MISSING, OWN, World
from tests.factories.platform import Clock

pytestmark = pytest.mark.django_db

# Not ours to walk: Django's admin and the sign-in pages answer for themselves, the schema is for everybody.
ELSEWHERE = ("/admin/", "/accounts/", "/api/v1/schema/", "/api/v1/docs/")


def patterns(urls=None, prefix="/") -> Iterator[tuple[str, URLPattern]]:
    for entry in urls or get_resolver().url_patterns:
        path = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from patterns(entry.url_patterns, path)
        else:
            yield re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", path), entry


def served() -> list[tuple[str, str]]:
    """(method, path) of every route of the API."""
    return [
        (method.upper(), path)
        for path, entry in patterns()
        if path.startswith("/api/") and not path.startswith(ELSEWHERE)
        for method in ("get", "post", "put", "patch", "delete")
        if hasattr(entry.callback.view_class, method)
    ]


def tables() -> dict[str, Expectation]:
    """The lines of this table and of every other area's."""
    found = dict(ROUTES)
    for file in Path("tests").glob("*/expectations.py"):
        found |= import_module(".".join(file.with_suffix("").parts)).ROUTES
    return found


def test_every_route_has_a_line_and_every_line_a_route():
    routes = {f"{method} {path}" for method, path in served()}

    assert {line for line in tables() if " /api/" in line} == routes


def test_the_schema_holds_every_route():
    assert {f"{method} {path}" for method, path, _ in contract.operations()} == set(ROUTES)


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker):
    """One world for the whole walk: each call is rolled back."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield World(Clock())
        transaction.set_rollback(True)


@pytest.mark.parametrize("route", ROUTES)
def test_everybody_gets_what_they_may_and_learns_nothing_else(world, route):
    expected, (method, template) = ROUTES[route], route.split(" ")
    body = expected.body(world) if expected.body else None
    addressed = "{" in template
    for kind in EVERYBODY:
        api = world.callers[kind]
        if kind.startswith("client:flags") and "flags" in template and isinstance(body, dict):
            body = {**body, "flagger": "member/1"}
        answers = {}
        for which in (OWN, FOREIGN, MISSING) if addressed else (OWN,):
            query = "" if "flagger" in expected.query and kind in PEOPLE else expected.query
            path = world.address(template, which, kind).removeprefix("/api/v1") + query
            with transaction.atomic():
                answers[which] = api.send(method, path, body)
                transaction.set_rollback(True)
        require(expected, kind, answers, route)


def require(expected: Expectation, kind: str, answers: dict, route: str) -> None:
    got = {which: answer.status_code for which, answer in answers.items()}
    said = f"{route} as {kind}: {got} {[a.content for a in answers.values()]}"
    if kind == "anonymous":
        assert set(got.values()) == {401}, said
    elif kind not in expected.allowed:
        assert set(got.values()) == {expected.refused}, said
    else:
        own = got[OWN]
        assert own < 300 or own in expected.also, said
        if MISSING in got:
            assert got[MISSING] == 404, said
        if FOREIGN in got and expected.foreign is not None and kind not in expected.sees_all:
            assert got[FOREIGN] == expected.foreign, said
    if FOREIGN in got and got[FOREIGN] == got[MISSING]:
        assert bare(answers[FOREIGN]) == bare(answers[MISSING]), said


def bare(answer):
    return {name: value for name, value in answer.json().items() if name != "request_id"}
