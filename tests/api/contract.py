"""The served OpenAPI as a yardstick: every answer that a test receives must be what it says."""

import json
import re
from functools import cache
from typing import Any

import jsonschema
from django.http import HttpResponse
from drf_spectacular.generators import SchemaGenerator

PROBLEM = "application/problem+json"


@cache
def schema() -> dict[str, Any]:
    made = SchemaGenerator().get_schema(request=None, public=True)
    found: dict[str, Any] = json.loads(json.dumps(made, default=str))
    return found


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    """(method, path, operation) of everything served."""
    return [
        (method.upper(), path, operation)
        for path, methods in schema()["paths"].items()
        for method, operation in methods.items()
    ]


def require_conformity(method: str, path: str, response: HttpResponse) -> None:
    """Fail unless the status is documented for the operation and the body is of its shape."""
    if response.status_code == 500:
        raise AssertionError(f"{method} {path} broke: {response.content.decode()}")
    operation = _operation(method, f"/api/v1{path.partition('?')[0]}")
    if operation is None:  # no such address, or not with this method: a problem like any other
        return require_problem(response)
    documented = operation["responses"].get(str(response.status_code))
    assert documented, f"{method} {path} answered {response.status_code}, which the schema does not know"
    if response.status_code == 304:
        assert not response.content
        return None
    media = response.headers["Content-Type"].partition(";")[0]
    if response.status_code >= 400:
        require_problem(response)
    assert media in documented["content"], f"{method} {path} answered {media}"
    require_shape(response.json(), documented["content"][media]["schema"])
    return None


def require_problem(response: HttpResponse) -> None:
    assert response.headers["Content-Type"] == PROBLEM
    problem = response.json()
    require_shape(problem, {"$ref": "#/components/schemas/ProblemOut"})
    assert problem["status"] == response.status_code
    assert problem["request_id"] == response.headers["X-Request-ID"]


def require_shape(value: Any, shape: dict[str, Any]) -> None:
    whole = {**shape, "components": schema()["components"]}
    jsonschema.Draft202012Validator(
        whole, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    ).validate(value)


def _operation(method: str, path: str) -> dict[str, Any] | None:
    for pattern, template in _templates():
        if pattern.fullmatch(path):
            found: dict[str, Any] | None = schema()["paths"][template].get(method.lower())
            return found
    return None


@cache
def _templates() -> list[tuple[re.Pattern[str], str]]:
    """Fixed addresses first, then longer ones, as in the urls: an external id may hold slashes."""
    found = []
    for template in sorted(schema()["paths"], key=lambda t: ("{" in t, -len(t))):
        parts = [
            ".+" if part == "{post}" else "[^/]+" if part.startswith("{") else re.escape(part)
            for part in template.split("/")
        ]
        found.append((re.compile("/".join(parts)), template))
    return found
