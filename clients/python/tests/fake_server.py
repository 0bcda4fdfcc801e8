"""A server that speaks the two addresses of the feed from a list in memory, and fails as it is told to."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

EFFECT: dict[str, Any] = {
    "state": "effect",
    "multipliers": {
        "feed": 0.2, "explore": 0.0, "recommendations": 0.0, "search": 0.2, "share": 0.2, "ads": 0.0,
    },
    "label": "warning",
    "interstitial": True,
    "warn_before_share": True,
    "ads": False,
    "recommendations": False,
    "monetisation": True,
    "removed": False,
    "ground": None,
    "hidden_until": None,
    "regional": False,
    "regions": {},
    "by_preference": {"do_not_reduce": {"feed": 1.0}, "reduce_more": {"feed": 0.1}},
    "articles": [
        {"verdict": "false", "publisher": "Clarim", "headline": "No", "url": "https://c.example/1", "language": "en"}
    ],
    "contested": False,
    "made_on_earlier_version": False,
    "provisional": False,
    "actor_level": "notice",
    "policy_version": 1,
    "because": ["d1"],
}  # fmt: skip
NONE: dict[str, Any] = {"state": "none"}


def until(condition: Callable[[], object], seconds: float = 10.0) -> bool:
    """Whether something came to hold in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


class FakeServer:
    """`change` is what happens there; `failing` answers the next requests instead of the feed."""

    def __init__(self) -> None:
        self.states: dict[str, dict[str, Any]] = {}
        self.feed: list[dict[str, Any]] = []
        self.failing: list[tuple[int, dict[str, str], bytes]] = []
        self.asked: list[str] = []
        self.bodies: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.turned_away = False
        self.era = "a"
        self._changed = threading.Condition()
        self._port = 0
        self._sockets: list[socket.socket] = []
        self._http: ThreadingHTTPServer | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """On the same port as before, if it ran before."""
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                fake._answer(self)

            def do_POST(self) -> None:
                fake.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                fake._answer(self)

            def log_message(self, *_: object) -> None: ...

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False  # a handler may be waiting for a change that never comes

            def get_request(self) -> tuple[socket.socket, Any]:
                accepted = super().get_request()
                fake._sockets.append(accepted[0])
                return accepted

            def handle_error(self, *_: object) -> None: ...  # a connection that was cut off

        self._http = Server(("127.0.0.1", self._port), Handler)
        self._port = self._http.server_port
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        if self._http:
            self._http.shutdown()
            self._http.server_close()
            self._http = None
        while self._sockets:  # as a killed process would leave them
            with contextlib.suppress(OSError):
                self._sockets.pop().shutdown(socket.SHUT_RDWR)

    def change(self, post: str, state: dict[str, Any], *, version: int | None = None, **more: Any) -> None:
        """A new version of a post's state."""
        held = self.states.get(post, {"version": 0})
        written = {
            "post": post, "external_id": f"status/{post}", "version": version or held["version"] + 1,
            **state, **more,
        }  # fmt: skip
        with self._changed:
            self.states[post] = written
            self.feed.append({**written, "at": "2026-11-30T09:59:12Z"})
            self._changed.notify_all()

    def set_back(self) -> None:
        """Restored from a back-up without anything: cursors of before are unknown."""
        self.states, self.feed, self.era = {}, [], "b"

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        self.asked.append(request.path)
        self.headers.append(dict(request.headers))
        status, headers, body = self.failing.pop(0) if self.failing else self._routed(request.path)
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def _routed(self, path: str) -> tuple[int, dict[str, str], bytes]:
        parts = urlsplit(path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path.endswith("/snapshot"):
            return 200, {}, json.dumps(self._snapshot(query)).encode()
        if parts.path.endswith("/changes"):
            status, answer = self._changes(query)
            return status, {}, json.dumps(answer).encode()
        return 404, {}, b"{}"

    def _snapshot(self, query: dict[str, str]) -> dict[str, Any]:
        place, _, after = query.get("cursor", f"{len(self.feed)}-{self.era}|").partition("|")
        found = sorted((s for s in self.states.values() if s["post"] > after), key=lambda s: s["post"])
        shown = found[:2]
        following = f"{place}|{shown[-1]['post']}" if len(found) > 2 else None
        return {"states": shown, "next": following, "changes_cursor": place}

    def _changes(self, query: dict[str, str]) -> tuple[int, dict[str, Any]]:
        position, _, era = query["cursor"].partition("-")
        if era != self.era:
            return 410, {"code": "cursor_unknown", "detail": "The feed was set back."}
        begun, limit = int(position), int(query["limit"])
        with self._changed:
            if not self.turned_away:
                self._changed.wait_for(lambda: len(self.feed) > begun, timeout=float(query["wait"]))
            found = self.feed[begun : begun + limit]
            more = len(self.feed) > begun + limit
        return 200, {"changes": found, "cursor": f"{begun + len(found)}-{self.era}", "more": more}
