"""Requests made up from the schema, fitting and unfitting: every answer is one that the schema knows, never a 5xx."""

import itertools
import uuid

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, transaction
from hypothesis import HealthCheck, settings
from schemathesis import checks

from tests.api.clients import Api
from tests.api.expectations import ROUTES
from tests.api.world import OWN, World
from tests.depth import budget
from tests.factories.platform import Clock

pytestmark = pytest.mark.django_db

schema = schemathesis.openapi.from_wsgi(
    "/api/v1/schema/", get_wsgi_application(), headers={"Accept": "application/json"}
)
checks.load_all_checks()
CHECKS = [
    checks.CHECKS.get_one(name)
    for name in (
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_schema_conformance",
    )
]
_count = itertools.count()


@pytest.fixture(autouse=True)
def _one_connection():
    """The handler ends each request by closing what is old: here the connection is the test's own."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture(scope="module")
def world(django_db_setup, django_db_blocker):
    """One world for all: each call is rolled back."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield World(Clock())
        transaction.set_rollback(True)


def headers_of(api: Api) -> dict[str, str]:
    cookies = "; ".join(f"{name}={morsel.value}" for name, morsel in api.client.cookies.items())
    return {**api.headers, "Cookie": cookies} if cookies else dict(api.headers)


@schema.parametrize()
@settings(budget(6), suppress_health_check=list(HealthCheck))
def test_no_request_breaks_it(case, world):
    route = f"{case.method.upper()} {case.operation.path}"
    kind = next(iter(ROUTES[route].allowed)) if route in ROUTES else "administrator"  # (or no such method)
    if next(_count) % 2:  # every other time about something that is there
        found = world.address(case.operation.path, OWN, kind).split("/")
        for part, value in zip(case.operation.path.split("/"), found, strict=True):
            if part.startswith("{"):
                case.path_parameters[part.strip("{}")] = value
        if isinstance(case.body, dict) and "post" in case.body:
            case.body["post"] = world.ids["post"]
    with transaction.atomic():
        response = case.call(headers={**headers_of(world.callers[kind]), "X-Request-ID": str(uuid.uuid4())})
        transaction.set_rollback(True)
    case.validate_response(response, checks=CHECKS)
