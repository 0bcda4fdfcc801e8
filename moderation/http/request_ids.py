"""Each request has an id: in its answer, in every problem and in the logs."""

import re
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

HEADER = "X-Request-ID"
# What a client may choose: long enough to be its own, short and plain enough for a log.
SANE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")


class RequestIdMiddleware:
    """Sets request.request_id, from the client if it is sane, and repeats it in the answer.

    The header is rewritten for the log's middleware, which takes it from there.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.META.get("HTTP_X_REQUEST_ID", "")
        request_id = given if SANE.fullmatch(given) else str(uuid.uuid4())
        request.META["HTTP_X_REQUEST_ID"] = request.request_id = request_id  # type: ignore[attr-defined]
        response = self.get_response(request)
        response.headers[HEADER] = request_id
        return response
