"""The Redis connection. Each connection learns which server run it talks to, so that keys of an earlier
run (restored from a log that may lack its last second) are never read as truth."""

import threading
import time
from functools import lru_cache
from typing import Any

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.connection import Connection
from redis.retry import Retry


class Server:
    """A client with the current server's run id, and a short memory of failure.

    After a failed call the server counts as absent for `REST` seconds, so that a dead or slow Redis
    costs one time-out, not one per request.
    """

    REST = 2.0

    def __init__(self, url: str) -> None:
        self._run_id = ""
        self._lock = threading.Lock()
        self._absent_until = 0.0
        self.client = redis.Redis.from_url(
            url,
            socket_timeout=settings.REDIS_TIMEOUT_SECONDS,
            socket_connect_timeout=settings.REDIS_TIMEOUT_SECONDS,
            # Once more, at once, for a pooled connection that the server closed. A time-out is an answer.
            retry=Retry(NoBackoff(), 1, supported_errors=(redis.ConnectionError,)),
            redis_connect_func=self._greet,
        )

    def _greet(self, connection: Connection) -> None:
        """Runs on each new connection: after a restart every connection is new."""
        connection.on_connect()
        connection.send_command("INFO", "server")
        text = connection.read_response()
        body = text.decode() if isinstance(text, bytes) else str(text)
        found = dict(line.split(":", 1) for line in body.splitlines() if ":" in line)
        if not found.get("run_id"):
            raise redis.ResponseError("The server does not say its run id.")
        with self._lock:
            self._run_id = found["run_id"].strip()

    def run_id(self) -> str:
        """The run id of the server; connects if this process has not yet. Raises redis.RedisError."""
        if not self._run_id:
            self.client.ping()
        return self._run_id

    def absent(self) -> bool:
        return time.monotonic() < self._absent_until

    def failed(self) -> None:
        self._absent_until = time.monotonic() + self.REST


@lru_cache(maxsize=4)
def _server(url: str) -> Server:
    return Server(url)


def server() -> Server:
    return _server(settings.REDIS_URL)


def key(*parts: Any) -> str:
    return settings.REDIS_PREFIX + ":".join(str(p) for p in parts)
