"""HTTP to addresses that somebody gave us: never a way into the network we stand in (WHK-02).

The name is resolved when connecting, every address it has is judged, and the connection goes to the one
that was judged: what the name says a moment later is not asked. Redirects are not followed; of an answer
only the status and Retry-After are kept.
"""

import contextlib
import ipaddress
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPException
from types import TracebackType
from typing import Self

from django.conf import settings
from django.utils.translation import gettext as _
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, LocationParseError
from urllib3.util import Url, parse_url

MOST_READ = 16 * 1024  # bytes of a body, read only so that the connection can be used again
CONNECT_SECONDS = 5.0
_PORTS = {"https": 443, "http": 80}
# Not public, or another address in disguise, whatever this Python's ipaddress says: IETF protocol assignments,
# 6to4 relays, IPv4-compatible, IPv4-mapped, NAT64, Teredo, 6to4, site-local.
_NEVER = [
    ipaddress.ip_network(network)
    for network in (
        "192.0.0.0/24", "192.88.99.0/24",
        "::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/23", "2002::/16",
        "fec0::/10",
    )
]  # fmt: skip


class Unreached(Exception):
    """No answer, with the reason in our own words: it is shown, so it holds nothing that the other end said."""


class AddressRefused(Unreached):
    """The address is none that we connect to."""


@dataclass(frozen=True)
class Reply:
    status: int
    retry_after: str  # as it was sent, "" without


def check(url: str) -> None:
    """Refuse an address that can never be connected to, before it is kept. Names are judged when connecting.

    Raises AddressRefused.
    """
    target = _parse(url)
    if not _is_allowed(target):
        with contextlib.suppress(OSError):  # also a literal in decimal or hexadecimal
            _require_public(str(ipaddress.IPv4Address(socket.inet_aton(_host(target)))))
        if _is_literal(_host(target)):
            _require_public(_host(target))


def is_public(address: str) -> bool:
    """Whether an IP address is a unicast one of the public internet, not another one wrapped in it."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    unfit = ip.is_multicast or ip.is_reserved or ip.is_unspecified or getattr(ip, "scope_id", None)
    return (
        ip.is_global
        and not unfit
        and not any(ip in network for network in _NEVER if ip.version == network.version)
    )


class Line:
    """A connection to one address, opened when it is first needed and used for as long as the other end lets us.

    Used as a context manager, by one thread.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: HTTPConnection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._close()

    def post(self, body: bytes, headers: Mapping[str, str]) -> Reply:
        """Send one body; raises Unreached, also when the whole takes longer than WEBHOOK_TIMEOUT_SECONDS."""
        started = time.monotonic()
        target = _parse(self._url)
        try:
            connection = self._open(target)
            left = settings.WEBHOOK_TIMEOUT_SECONDS - (time.monotonic() - started)
            with _ended_after(connection, left):
                return self._exchange(connection, target, body, headers)
        except Unreached:
            self._close()
            raise
        except (HTTPError, HTTPException, OSError, ValueError) as error:
            self._close()
            if time.monotonic() - started >= settings.WEBHOOK_TIMEOUT_SECONDS:
                raise Unreached(_("No answer in %g seconds.") % settings.WEBHOOK_TIMEOUT_SECONDS) from None
            raise Unreached(_("The connection failed: %s.") % type(error).__name__) from None

    def _open(self, target: Url) -> HTTPConnection:
        if self._connection is not None and self._connection.is_connected:
            return self._connection
        self._close()
        failed: Exception = Unreached(_("The name has no address."))
        for address in _addresses(target):
            connection = _connection(target, address)
            try:
                connection.connect()
            except (HTTPError, HTTPException, OSError) as error:
                connection.close()
                failed = Unreached(_("No connection to %(host)s: %(error)s.") % {"host": target.host, "error": type(error).__name__})  # fmt: skip
            else:
                self._connection = connection
                return connection
        raise failed

    def _exchange(
        self, connection: HTTPConnection, target: Url, body: bytes, headers: Mapping[str, str]
    ) -> Reply:
        connection.request(
            "POST",
            target.request_uri,
            body=body,
            headers={"Host": target.netloc or "", **headers},
            preload_content=False,
            decode_content=False,
            enforce_content_length=False,
        )
        answer = connection.getresponse()
        reply = Reply(answer.status, answer.headers.get("Retry-After", ""))
        try:
            whole = len(answer.read(MOST_READ + 1, decode_content=False)) <= MOST_READ
        except (HTTPError, HTTPException, OSError):
            whole = False
        if not whole:  # what is left unread would be taken for the next answer
            self._close()
        return reply

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


@contextlib.contextmanager
def _ended_after(connection: HTTPConnection, seconds: float) -> Iterator[None]:
    """Cut the connection after so many seconds: one that answers a byte at a time never times out by itself."""
    if seconds <= 0 or connection.sock is None:
        raise TimeoutError
    connection.timeout = seconds
    cut = threading.Timer(seconds, _cut, args=(connection.sock,))
    cut.daemon = True
    cut.start()
    try:
        yield
    finally:
        cut.cancel()


def _cut(sock: socket.socket) -> None:
    with contextlib.suppress(OSError):
        socket.socket.shutdown(sock, socket.SHUT_RDWR)


def _connection(target: Url, address: str) -> HTTPConnection:
    port = _port(target)
    if target.scheme == "http":
        return HTTPConnection(address, port, timeout=CONNECT_SECONDS)
    return HTTPSConnection(
        address,
        port,
        timeout=CONNECT_SECONDS,
        cert_reqs="CERT_REQUIRED",
        server_hostname=_host(target),
        assert_hostname=_host(target),
    )


def _addresses(target: Url) -> list[str]:
    """The IP addresses of the host, all of them fit. Raises AddressRefused, Unreached."""
    try:
        found = socket.getaddrinfo(_host(target), _port(target), type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Unreached(_("The name %s is not known.") % target.host) from None
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not _is_allowed(target):
        for address in addresses:
            _require_public(address)
    return addresses


def _parse(url: str) -> Url:
    """Raises AddressRefused for what is no https address of a host, at its port; allowed hosts excepted."""
    try:
        target = parse_url(url)
    except LocationParseError:
        raise AddressRefused(_("This is no address.")) from None
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise AddressRefused(_("Write the address in ASCII, its host in xn-- form."))
    if target.scheme not in _PORTS or not target.host:
        raise AddressRefused(_("Give an https address."))
    if target.auth is not None or target.fragment is not None:
        raise AddressRefused(_("An address carries neither a password nor a fragment."))
    if not _is_allowed(target) and (target.scheme != "https" or _port(target) != _PORTS["https"]):
        raise AddressRefused(_("Only https at port 443 is delivered to."))
    return target


def _is_allowed(target: Url) -> bool:
    """Whether the operator named this host."""
    host = _host(target)
    return bool({host, f"{host}:{_port(target)}"} & settings.WEBHOOK_HOSTS_ALLOWED)


def _require_public(address: str) -> None:
    if not is_public(address):
        raise AddressRefused(_("The address is not one of the public internet."))


def _host(target: Url) -> str:
    return (target.host or "").strip("[]").rstrip(".").lower()


def _port(target: Url) -> int:
    return _PORTS[target.scheme or "https"] if target.port is None else target.port


def _is_literal(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
