"""Receivers of webhooks: real servers on the loopback, which answer as a test says and keep what they got."""

import contextlib
import json
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks import Webhook

from moderation.caller import Caller
from moderation.models import Post, WebhookEndpoint
from moderation.services import deliveries, webhooks
from tests.factories import platform
from tests.factories.platform import Clock, administrator


@dataclass
class Answer:
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    wait: threading.Event | None = None  # answers when this is set


@dataclass(frozen=True)
class Got:
    headers: Mapping[str, str]  # names in small letters
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def told(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    def is_signed_with(self, secret: str) -> bool:
        """As a receiver verifies, by the library, but whenever it was sent: tests have a clock of their own."""
        given = self.headers["webhook-signature"].split(" ")
        expected = _sign(secret, self.id, int(self.headers["webhook-timestamp"]), self.body)
        return expected in given


class Receiver:
    """`answers` are given in turn, then `usual`. `got` is what came, in order."""

    def __init__(self) -> None:
        self.got: list[Got] = []
        self.answers: list[Answer] = []
        self.usual = Answer()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/hook"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def types(self) -> list[str]:
        return [got.told["type"] for got in self.got]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.got.append(Got({k.lower(): v for k, v in self.headers.items()}, body))
                answer = receiver.answers.pop(0) if receiver.answers else receiver.usual
                if answer.wait is not None:
                    answer.wait.wait(20)
                with contextlib.suppress(OSError):
                    self.send_response(answer.status)
                    for name, value in answer.headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(answer.body)))
                    self.end_headers()
                    self.wfile.write(answer.body)

            def log_message(self, *_: object) -> None:
                pass

        return Handler


@contextlib.contextmanager
def receiving() -> Iterator[Callable[[], Receiver]]:
    made: list[Receiver] = []

    def make() -> Receiver:
        made.append(Receiver())
        return made[-1]

    yield make
    for receiver in made:
        receiver.close()


def endpoint(
    url: str,
    *events: str,
    clock: Clock,
    by: Caller | None = None,
    **more: Any,
) -> tuple[WebhookEndpoint, str]:
    """An endpoint of these events, of all without a name; and its secret."""
    wanted: Collection[str] = events or [t.value for t in webhooks.SUBSCRIBABLE]
    return webhooks.add(
        name="Ranking",
        url=url,
        event_types=wanted,
        caller=by or administrator(clock=clock),
        now=clock(),
        **more,
    )


def removed_post(clock: Clock) -> Post:
    """A post whose removal is an event."""
    post = platform.post(clock=clock)
    platform.removed(post, clock=clock)
    platform.settle(clock)
    return post


def deliver(clock: Clock) -> None:
    """Do what the delivery workers would do now."""
    for lane in deliveries.turn(now=clock()):
        while deliveries.work(lane, clock=clock):
            pass


def _sign(secret: str, message: str, timestamp: int, body: bytes) -> str:
    return Webhook(secret).sign(message, datetime.fromtimestamp(timestamp, UTC), body.decode())
