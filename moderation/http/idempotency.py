"""A write that is sent again under the same key is carried out once and answered the same.

The key's row is inserted first in the outermost transaction of the request, so key, effect and answer
commit together or not at all. A second request with the key waits at that row.
"""

import hashlib
import re
from collections.abc import Callable
from datetime import datetime

import psycopg
from django.db import OperationalError, transaction
from django.http import HttpRequest
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from moderation.caller import Caller
from moderation.http.problems import Problem, field_error
from moderation.services import repeats

HEADER = "Idempotency-Key"
REPLAYED = "Idempotent-Replayed"
_SANE = re.compile(r"[\x21-\x7e]{1,200}")


class _NotKept(Exception):
    """Carries an answer that is no success out of the transaction, which it rolls back."""

    def __init__(self, response: Response) -> None:
        self.response = response


def key_of(request: HttpRequest) -> str:
    """The request's key, or "". Raises Problem."""
    key = request.headers.get(HEADER, "")
    if HEADER in request.headers and not _SANE.fullmatch(key):
        raise field_error(HEADER, "invalid_key", "1 to 200 visible ASCII characters.")
    return key


def once(
    act: Callable[[], Response],
    *,
    key: str,
    body: bytes,
    request: HttpRequest,
    caller: Caller,
    now: datetime,
) -> Response:
    """Carry `act` out, or give the answer that the same request got before.

    Raises Problem: 422 for another request under the same key, 409 while the first is still at work.
    """
    digest = hashlib.sha256(b"\n".join([request.method.encode(), request.get_full_path().encode(), body]))  # type: ignore[union-attr]
    try:
        with transaction.atomic():
            return _once(act, key, digest.hexdigest(), caller, now)
    except _NotKept as refused:
        return refused.response


def _once(
    act: Callable[[], Response],
    key: str,
    digest: str,
    caller: Caller,
    now: datetime,
) -> Response:
    try:
        kept = repeats.begin(caller.key, key, digest, now=now)
    except OperationalError as error:
        if not isinstance(error.__cause__, psycopg.errors.LockNotAvailable):
            raise
        raise Problem(
            409,
            "in_progress",
            "The first request with this key is still at work.",
            headers={"Retry-After": "1"},
        ) from None
    if kept.request_sha256 != digest:
        raise Problem(422, "idempotency_key_reused", "This key was used for another request.")
    if kept.status:
        return Response(kept.body, status=kept.status, headers={REPLAYED: "true"})
    response = act()
    if response.status_code >= 300:
        raise _NotKept(response)
    body = JSONRenderer().render(response.data) if response.data is not None else None
    repeats.keep(kept, status=response.status_code, body=body)
    return response
