"""The calls of Veracity's HTTP API that a platform's servers need. Safe to share between threads."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import urllib3

from .answers import NO_EFFECT, UNKNOWN_POST, Answer, read_effect
from .errors import CursorLost, Refused, Unavailable, Unintelligible

TIMEOUT = 10.0  # seconds for an answer, beside a wait that was asked for
CONNECT_TIMEOUT = 5.0
MOST = 1000  # states, changes or posts in one request


@dataclass(frozen=True, slots=True)
class SnapshotPage:
    states: Sequence[Mapping[str, Any]]
    next: str | None
    changes_cursor: str


@dataclass(frozen=True, slots=True)
class ChangesPage:
    changes: Sequence[Mapping[str, Any]]
    cursor: str
    more: bool


class Api:
    """Every method raises Unavailable (repeat later), Refused (do not repeat) or Unintelligible."""

    def __init__(self, address: str, key: str) -> None:
        """`address` is where Veracity is, such as https://veracity.example; `key` an API key of it."""
        self.address = address.rstrip("/")
        self._headers = {
            "Authorization": f"Bearer {key}",
            "Accept": "application/json",
            "User-Agent": "veracity-client/0.1.0",
        }
        self._pool = urllib3.PoolManager(num_pools=1, maxsize=4, retries=False)

    def lookup(
        self, posts: Sequence[str], *, region: str = "", viewer_preference: str = "default"
    ) -> list[Answer]:
        """Ask the server about up to 1000 posts (ids, or `ext:` and your own); answers in their order."""
        body: dict[str, Any] = {"posts": list(posts), "viewer_preference": viewer_preference}
        if region:
            body["region"] = region
        answer = self._call("POST", "/distribution/lookup", body=body)
        return [_looked_up(row) for row in _member(answer, "posts", list)]

    def flag(
        self,
        post: str,
        *,
        flagger: str,
        reason: str,
        note: str = "",
        version: int | None = None,
        idempotency_key: str = "",
    ) -> Mapping[str, Any]:
        """Pass on a member's flag; the answer holds its `id` and `outcome`. One live flag per member and
        version counts, so repeating it after Unavailable does nothing twice."""
        body: dict[str, Any] = {"post": post, "flagger": flagger, "reason": reason, "note": note}
        if version is not None:
            body["version"] = version
        return self._call("POST", "/flags", body=body, idempotency_key=idempotency_key or uuid.uuid4().hex)

    def snapshot(self, *, cursor: str | None = None, limit: int = MOST) -> SnapshotPage:
        """A page of the states of all posts that have or had an effect; `cursor` is `next` of the page before."""
        asked = {"limit": str(limit)} | ({"cursor": cursor} if cursor else {})
        answer = self._call("GET", "/distribution/snapshot", asked)
        following = answer.get("next")
        if following is not None and not isinstance(following, str):
            raise Unintelligible("next is no cursor")
        return SnapshotPage(
            _member(answer, "states", list), following, _member(answer, "changes_cursor", str)
        )

    def changes(self, cursor: str, *, limit: int = MOST, wait: int = 0) -> ChangesPage:
        """Changes behind a cursor, oldest first; waits up to `wait` (≤ 25) seconds for the first one.

        Raises CursorLost when only a new snapshot helps.
        """
        asked = {"cursor": cursor, "limit": str(limit), "wait": str(wait)}
        answer = self._call("GET", "/distribution/changes", asked, patience=float(wait))
        return ChangesPage(
            _member(answer, "changes", list),
            _member(answer, "cursor", str),
            _member(answer, "more", bool),
        )

    def close(self) -> None:
        """Let go of idle connections."""
        self._pool.clear()

    def _call(
        self,
        method: str,
        path: str,
        query: Mapping[str, str] | None = None,
        *,
        body: Any = None,
        idempotency_key: str = "",
        patience: float = 0.0,
    ) -> Mapping[str, Any]:
        headers = dict(self._headers)
        if body is not None:
            headers["Content-Type"] = "application/json"
        if idempotency_key:
            headers["Idempotency-Key"] = idempotency_key
        url = f"{self.address}/api/v1{path}" + (f"?{urlencode(query)}" if query else "")
        try:
            answer = self._pool.request(
                method,
                url,
                body=json.dumps(body).encode() if body is not None else None,
                headers=headers,
                redirect=False,  # a key goes only where it was meant to go
                timeout=urllib3.Timeout(connect=CONNECT_TIMEOUT, read=TIMEOUT + patience),
            )
        except urllib3.exceptions.HTTPError as error:
            raise Unavailable(f"{self.address} does not answer: {error}") from error
        return _read(answer.status, answer.data, answer.headers.get("Retry-After"))


def _read(status: int, data: bytes, retry_after: str | None) -> Mapping[str, Any]:
    if status >= 500 or status == 429:
        seconds = float(retry_after) if retry_after and retry_after.isdecimal() else None
        raise Unavailable(f"the server answers {status}", retry_after=seconds)
    try:
        found = json.loads(data)
    except ValueError as error:
        raise Unintelligible(f"{status} without JSON") from error
    if not isinstance(found, dict):
        raise Unintelligible(f"{status} with JSON that is no object")
    if status == 410:
        raise CursorLost(status, found)
    if status >= 300:
        raise Refused(status, found)
    return found


def _member(answer: Mapping[str, Any], name: str, kind: type) -> Any:
    value = answer.get(name)
    if not isinstance(value, kind):
        raise Unintelligible(f"the answer lacks {name}")
    return value


def _looked_up(row: Mapping[str, Any]) -> Answer:
    state = row.get("state")
    if state == "effect":
        return read_effect(row)
    if state not in ("none", "unknown"):
        raise Unintelligible(f"{state} is no state")
    return NO_EFFECT if state == "none" else UNKNOWN_POST
