"""Every refusal under /api/ is an RFC 9457 problem: type, title, status, detail, code, errors, request_id."""

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

import psycopg
from django.apps import apps
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.core.serializers.json import DjangoJSONEncoder
from django.core.signals import got_request_exception
from django.db import DataError, IntegrityError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.utils.log import log_response
from rest_framework import exceptions

from moderation.errors import DomainError, Invalid, NotFound, Refused

logger = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
API_ROOT = "/api/"
# What a field's errors say: {"verdict": [{"code": "required", "detail": "…"}]}; "" is the body itself.
Errors = Mapping[str, list[dict[str, str]]]

TITLES = {
    400: "This request cannot be accepted",
    401: "Say who you are",
    403: "You may not do this",
    404: "There is nothing here for you",
    405: "This address does not do that",
    406: "Only JSON is served here",
    409: "Something else came first",
    410: "This is gone",
    411: "Say how long the body is",
    413: "This is too large",
    415: "Only JSON is read here",
    422: "This request cannot be carried out",
    429: "Too many requests",
    500: "Something is broken here",
    503: "Try again in a moment",
}
# Codes whose status differs from their kind's.
STATUS_OF_CODE = {"not_a_rating": 422}
# What the database says when it is busy, not wrong: the same request may succeed in a moment.
BUSY = (
    psycopg.errors.LockNotAvailable,
    psycopg.errors.DeadlockDetected,
    psycopg.errors.SerializationFailure,
)


class Problem(Exception):
    """HTTP's own refusal, for what no service could say."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        errors: Errors | None = None,
        headers: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail
        self.errors, self.headers, self.more = errors, dict(headers or {}), more


def field_error(path: str, code: str, detail: str) -> Problem:
    """A problem with one field, or with a header of that name."""
    return Problem(400, code, f"{path}: {detail}", errors={path: [{"code": code, "detail": detail}]})


def document(problem: Problem, request_id: str) -> dict[str, Any]:
    return {
        "type": f"urn:veracity:problem:{problem.code}",
        "title": TITLES.get(problem.status, TITLES[400]),
        "status": problem.status,
        "detail": problem.detail,
        "code": problem.code,
        "errors": dict(problem.errors or {}),
        "request_id": request_id,
        **problem.more,
    }


def exception_handler(error: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """DRF asks here. A fault of ours is logged and signalled as Django does, and its detail kept back."""
    request: HttpRequest = context["request"]._request
    problem = problem_of(error)
    if problem is not None:
        return _response(problem, request)
    got_request_exception.send(sender=None, request=request)
    response = _response(Problem(500, *_DJANGO_SAYS[500]), request)
    log_response(
        "Internal Server Error: %s", request.path, response=response, request=request, exception=error
    )
    return response


def _response(problem: Problem, request: HttpRequest) -> HttpResponse:
    body = document(problem, request.request_id)  # type: ignore[attr-defined]
    return HttpResponse(
        json.dumps(body, cls=DjangoJSONEncoder, ensure_ascii=False),
        status=problem.status,
        content_type=MEDIA_TYPE,
        headers=problem.headers,
    )


def problem_of(error: Exception) -> Problem | None:
    """The problem that an exception amounts to; None for a fault of ours."""
    if isinstance(error, Problem):
        return error
    for kind, translate in _TRANSLATIONS.items():
        if isinstance(error, kind):
            return translate(error)
    return None


def refusal(error: Exception) -> dict[str, Any]:
    """Why one entry of many was refused: the part of a problem that is about the entry."""
    problem = problem_of(error)
    if problem is None:
        raise error
    return {"code": problem.code, "detail": problem.detail, "errors": dict(problem.errors or {})}


class ProblemsMiddleware:
    """Answers under /api/ that Django made itself (no such address, bad host, CSRF, a fault) become problems."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not request.path.startswith(API_ROOT):
            return response
        if response.status_code >= 400 and response.headers.get("Content-Type") != MEDIA_TYPE:
            response = self._problem(request, response)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    def _problem(self, request: HttpRequest, plain: HttpResponse) -> HttpResponse:
        status = plain.status_code
        code, detail = _DJANGO_SAYS.get(status, ("bad_request", TITLES[400] + "."))
        response = _response(Problem(status, code, detail), request)
        for name in ("Allow", "WWW-Authenticate", "Retry-After"):
            if name in plain.headers:
                response.headers[name] = plain.headers[name]
        response.cookies = plain.cookies
        return response


_DJANGO_SAYS = {
    403: ("forbidden", "This request was refused."),
    404: ("not_found", "There is no such address."),
    405: ("method_not_allowed", "This address does not take that method."),
    413: ("too_large", "The body is too large."),
    500: ("internal_error", "A fault on our side. It is logged under this request id."),
}


# ── one translation per kind of exception ──────────────────────────────────────────────────────────


def _invalid(error: Invalid) -> Problem:
    more = {name: value for name, value in error.data.items() if name != "current"}
    errors = {error.field: [{"code": error.code, "detail": error.message}]} if error.field else None
    return Problem(
        STATUS_OF_CODE.get(error.code, 400),
        error.code,
        f"{error.field}: {error.message}" if error.field else error.message,
        errors=errors,
        **_plain(more),
    )


def _domain(status: int) -> Callable[[Any], Problem]:
    def translate(error: DomainError) -> Problem:
        return Problem(status, error.code, error.message, **_plain(error.data))

    return translate


def _plain(data: Mapping[str, Any]) -> dict[str, Any]:
    """Data beside the problem's own members, never instead of them."""
    reserved = {"type", "title", "status", "detail", "code", "errors", "request_id"}
    return {name: value for name, value in data.items() if name not in reserved}


def _validation(error: exceptions.ValidationError) -> Problem:
    found: dict[str, list[dict[str, str]]] = {}
    for path, detail in _flat(error.detail, ""):
        found.setdefault(path, []).append({"code": str(detail.code), "detail": str(detail)})
    path, first = next(iter(found.items()))
    code = first[0]["code"] if len(found) == 1 and first[0]["code"] == "unknown_field" else "invalid"
    return Problem(400, code, f"{path}: {first[0]['detail']}" if path else first[0]["detail"], errors=found)


def _flat(detail: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Each error with the path of its field: posts.3.links.0."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            yield from _flat(
                inner, path if name == "non_field_errors" else f"{path}.{name}" if path else str(name)
            )
    elif isinstance(detail, list) and any(isinstance(inner, Mapping | list) for inner in detail):
        for index, inner in enumerate(detail):
            yield from _flat(inner, f"{path}.{index}" if path else str(index))
    elif isinstance(detail, list):
        for inner in detail:
            yield path, inner
    else:
        yield path, detail


def _drf(error: exceptions.APIException) -> Problem:
    codes = {
        401: "not_authenticated",
        403: "forbidden",
        405: "method_not_allowed",
        406: "not_acceptable",
        415: "unsupported_media_type",
    }
    headers = {}
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    code = codes.get(error.status_code, "bad_request")
    if isinstance(error, exceptions.AuthenticationFailed):
        code = "authentication_failed"
    return Problem(error.status_code, code, str(error.detail), headers=headers)


def _busy(error: OperationalError | InterfaceError) -> Problem:
    if isinstance(error.__cause__, BUSY):
        code, detail = "busy", "Somebody else is changing the same thing. Send the request again."
    else:
        logger.error("database_unavailable", exc_info=error)
        code, detail = "unavailable", "The database does not answer. Send the request again."
    return Problem(503, code, detail, headers={"Retry-After": "1"})


def _integrity(error: IntegrityError) -> Problem | None:
    """A race that the database decided: its constraint's own sentence. Anything else is a fault."""
    cause = error.__cause__
    name = cause.diag.constraint_name if isinstance(cause, psycopg.Error) else None
    sentence = _sentences().get(name or "")
    return Problem(409, "conflict", sentence) if sentence else None


@cache
def _sentences() -> dict[str, str]:
    """What each named constraint says to a person."""
    return {
        constraint.name: str(constraint.violation_error_message)
        for model in apps.get_models()
        for constraint in model._meta.constraints
    }


def _data(error: DataError) -> Problem:
    logger.error("input_reached_the_database", exc_info=error)
    return Problem(400, "invalid", "A value in this request cannot be stored.")


_TRANSLATIONS: dict[type[Exception], Callable[[Any], Problem | None]] = {
    Invalid: _invalid,
    NotFound: _domain(404),
    Refused: _domain(403),
    DomainError: _domain(409),
    exceptions.ValidationError: _validation,
    exceptions.APIException: _drf,
    Http404: lambda error: Problem(404, "not_found", "There is no such address."),
    RequestDataTooBig: lambda error: Problem(413, "too_large", "The body is too large."),
    PermissionDenied: lambda error: Problem(403, "forbidden", str(error) or "This request was refused."),
    SuspiciousOperation: lambda error: Problem(400, "bad_request", "This request is malformed."),
    BadRequest: lambda error: Problem(400, "bad_request", "This request is malformed."),
    MultiPartParserError: lambda error: Problem(400, "bad_request", "This request is malformed."),
    UnreadablePostError: lambda error: Problem(400, "bad_request", "The body ended too early."),
    DataError: _data,
    IntegrityError: _integrity,
    OperationalError: _busy,
    InterfaceError: _busy,
}
