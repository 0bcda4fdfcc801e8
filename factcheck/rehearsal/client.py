"""One caller of the HTTP API: a kept-open connection to this machine, and a key."""

import json
import threading
import uuid
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit


class Client:
    """Calls `/api/v1`; safe to share between threads, each of which keeps its own connection."""

    def __init__(self, address: str, key: str) -> None:
        parts = urlsplit(address)
        if parts.hostname not in ("127.0.0.1", "localhost", "::1"):
            raise ValueError("A rehearsal talks to this machine only.")
        self._host, self._port = parts.hostname, parts.port or 80
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self._local = threading.local()

    def call(self, method: str, path: str, body: Any = None, *, key: str = "") -> tuple[int, Any]:
        """Status and parsed answer. Writes carry an Idempotency-Key (`key`, or a fresh one), so a broken
        connection is tried once more without doing anything twice."""
        payload = json.dumps(body) if body is not None else None
        status, raw = self.send(method, path, payload, key=key)
        return status, json.loads(raw) if raw else None

    def send(self, method: str, path: str, payload: str | None, *, key: str = "") -> tuple[int, bytes]:
        """As `call`, with a body that is written already and an answer that nobody has read."""
        headers = dict(self._headers)
        if method != "GET":
            headers["Idempotency-Key"] = key or uuid.uuid4().hex
        for last in (False, True):
            connection = self._connection()
            try:
                connection.request(method, f"/api/v1{path}", payload, headers)
                answer = connection.getresponse()
                return answer.status, answer.read()
            except (HTTPException, OSError):
                connection.close()
                self._local.connection = None
                if last:
                    raise
        raise AssertionError("unreachable")

    def _connection(self) -> HTTPConnection:
        found: HTTPConnection | None = getattr(self._local, "connection", None)
        if found is None:
            found = self._local.connection = HTTPConnection(self._host, self._port, timeout=60)
        return found
