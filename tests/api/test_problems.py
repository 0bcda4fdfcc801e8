"""Whatever goes wrong under /api/ is a problem with a code and the request's id."""

import pytest
from django.db import IntegrityError, OperationalError, transaction
from django.test import Client

from moderation.api import flags
from moderation.http.problems import problem_of
from moderation.models import RoleGrant
from tests.api.contract import require_problem
from tests.factories import platform as p

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/api/v1/nothing", 404, "not_found"),
        ("GET", "/api/", 404, "not_found"),
        ("GET", "/api/v1/flags/", 404, "not_found"),
        ("GET", "/api/v1/items/not-an-id", 404, "not_found"),
        ("GET", "/api/v1/posts/%00", 404, "not_found"),
        ("PATCH", "/api/v1/flags", 405, "method_not_allowed"),
        ("OPTIONS", "/api/v1/flags", 405, "method_not_allowed"),
        ("TRACE", "/api/v1/flags", 405, "method_not_allowed"),
        ("DELETE", "/api/v1/schema/", 405, "method_not_allowed"),
    ],
)
def test_django_and_the_router_answer_with_problems_too(platform, method, path, status, code):
    answer = platform.client.generic(method, path, headers=platform.headers)

    require_problem(answer)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    if status == 405:
        assert answer.headers["Allow"]


def test_a_post_named_with_a_nul_does_not_exist(platform):
    assert platform.get("/posts/ext:a%00b").status_code == 404
    assert (
        platform.post("/posts/ext:%00/reach", {"at": "2026-01-01T00:00:00Z", "views": 1}).status_code == 404
    )


def test_an_unknown_host_is_a_problem(settings):
    settings.ALLOWED_HOSTS = ["platform.example"]

    answer = Client().get("/api/v1/flags", headers={"Host": "elsewhere.example"})

    require_problem(answer)
    assert answer.status_code == 400


def test_a_fault_of_ours_is_a_problem_that_tells_nothing(platform, monkeypatch, clock):
    def broken(*args, **kwargs):
        raise RuntimeError("secret detail")

    monkeypatch.setattr(flags.members, "flags_told_for", broken)
    answer = platform.client.get("/api/v1/flags?flagger=a", headers=platform.headers)

    require_problem(answer)
    assert answer.status_code == 500
    assert "secret" not in answer.content.decode()


def test_a_database_that_is_away_is_503_with_when_to_come_back(platform, monkeypatch):
    def away(*args, **kwargs):
        raise OperationalError("connection refused")

    monkeypatch.setattr(flags.members, "flags_told_for", away)
    answer = platform.get("/flags?flagger=a")

    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert answer.headers["Retry-After"] == "1"


def test_a_race_that_the_database_decides_is_a_conflict_in_its_constraints_words(clock):
    adam = p.person("Adam")
    with pytest.raises(IntegrityError) as raced, transaction.atomic():
        for _ in range(2):
            RoleGrant.objects.create(person=adam, role="auditor", granted_at=clock())

    problem = problem_of(raced.value)

    assert (problem.status, problem.detail) == (409, "This person holds the role already.")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("abc-123.DEF_456", True),
        ("0193787a-5f00-7abc-8def-000000000001", True),
        ("short", False),
        ("x" * 65, False),
        ("with space and <b>", False),
        ("new\\nline-in-it", False),
    ],
)
def test_a_sane_request_id_is_kept_and_any_other_replaced(platform, given, kept):
    answer = platform.get("/flags?flagger=a", X_Request_ID=given)

    assert (answer.headers["X-Request-ID"] == given) is kept
    assert answer.headers["X-Request-ID"]


def test_only_json_is_served(platform):
    answer = platform.get("/flags?flagger=a", Accept="text/html")

    assert answer.status_code == 406


def test_nothing_is_cached_on_the_way(platform, clock):
    post = p.post(clock=clock)

    assert platform.get(f"/posts/{post.pk}").headers["Cache-Control"] == "no-store"
