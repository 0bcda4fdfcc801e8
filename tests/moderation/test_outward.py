"""Addresses that others give lead to the public internet or nowhere (WHK-02)."""

import os
import socket
import ssl
import subprocess
import threading

import pytest

from moderation import outward
from moderation.outward import AddressRefused, Line, Unreached
from tests.factories.receivers import receiving
from tests.waiting import until

INSIDE = [
    "127.0.0.1", "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
    "192.0.0.8", "192.88.99.1", "198.18.0.1", "203.0.113.5", "224.0.0.1", "240.0.0.1", "255.255.255.255",
    "::1", "::", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::127.0.0.1", "::ffff:0:10.0.0.1", "64:ff9b::10.0.0.1",
    "64:ff9b:1::a00:1", "2002:a00:1::", "2001:0:53aa:64c:0:0:f5ff:fffe", "fe80::1", "fe80::1%eth0", "fc00::1",
    "fec0::1", "ff02::1", "2001:db8::1", "nonsense",
]  # fmt: skip


@pytest.mark.parametrize("address", INSIDE)
def test_is_no_public_unicast_address(address):
    assert not outward.is_public(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001:81b::200e"]
)
def test_is_a_public_unicast_address(address):
    assert outward.is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        *(f"https://{a}/" for a in INSIDE[:20] if ":" not in a),
        *(f"https://[{a}]/" for a in INSIDE if ":" in a and "%" not in a),
        "https://2130706433/", "https://0x7f000001/", "https://0x7f.1/", "https://0177.0.0.1/", "https://127.1/",
        "http://hooks.example/", "https://hooks.example:8443/", "https://hooks.example:0/", "ftp://hooks.example/",
        "file:///etc/passwd", "gopher://hooks.example/", "javascript:alert(1)", "//hooks.example/", "hooks.example",
        "https://user:pass@hooks.example/", "https://127.0.0.1@hooks.example/", "https://hooks.example#@127.0.0.1/",
        "https://hooks.example\\@127.0.0.1/", "https://hooks.example/ x", "https://hooks.example/\r\nX: y",
        "https://hööks.example/", "https:///", "https://", "", "https://[::1", "https://hooks.example:99999/",
    ],
)  # fmt: skip
def test_is_refused_before_it_is_kept(url):
    with pytest.raises(AddressRefused):
        outward.check(url)


def test_a_public_name_is_kept_whatever_it_leads_to_now():
    outward.check("https://hooks.example/some/path?x=1")


@pytest.fixture
def names(monkeypatch):
    """What each name has for addresses, look-up by look-up; the last one stays."""
    table: dict[str, list[str]] = {}
    asked: list[str] = []

    real = socket.getaddrinfo

    def getaddrinfo(host, port, *more, **named):
        asked.append(host)
        if host.replace(".", "").isdecimal():  # nothing is asked of anybody for an address
            return real(host, port, *more, **named)
        if host not in table:
            raise socket.gaierror(-2, "unknown")
        found = table[host]
        address = found.pop(0) if len(found) > 1 else found[0]
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        return [(family, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return table, asked


@pytest.mark.parametrize("inside", ["127.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1"])
def test_a_name_that_leads_inside_is_refused_and_nothing_is_sent(names, inside):
    names[0]["hooks.example"] = [inside]

    with Line("https://hooks.example/") as line, pytest.raises(AddressRefused):
        line.post(b"{}", {})


def test_the_connection_goes_to_the_address_that_was_judged_and_the_name_is_not_asked_again(
    names, monkeypatch
):
    table, asked = names
    table["hooks.example"] = ["93.184.216.34", "127.0.0.1"]  # another answer to whoever asks again
    reached = []
    monkeypatch.setattr(
        socket.socket,
        "connect",
        lambda sock, address: reached.append(address) or (_ for _ in ()).throw(OSError()),
    )

    with Line("https://hooks.example/") as line, pytest.raises(Unreached, match="No connection"):
        line.post(b"{}", {})

    assert asked.count("hooks.example") == 1
    assert [a[0] for a in reached] == ["93.184.216.34"]


def test_a_host_that_the_operator_named_is_reached_inside_and_no_other(settings):
    with receiving() as make:
        hook = make()
        settings.WEBHOOK_HOSTS_ALLOWED = frozenset({hook.url.split("/")[2]})
        with Line(hook.url) as line:
            assert line.post(b"{}", {}).status == 200
            assert line.post(b"{}", {}).status == 200

        other = make()
        with pytest.raises(AddressRefused):
            outward.check(other.url)
        with Line(other.url) as line, pytest.raises(AddressRefused):
            line.post(b"{}", {})
        assert len(hook.got) == 2 and other.got == []


def test_a_certificate_of_the_name_is_asked_for_although_the_connection_is_to_an_address(
    settings, monkeypatch, tmp_path, names
):
    names[0].update({"hooks.example": ["127.0.0.1"], "other.example": ["127.0.0.1"]})
    settings.WEBHOOK_HOSTS_ALLOWED = frozenset({"hooks.example", "other.example"})
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate,
         "-days", "2", "-subj", "/CN=hooks.example", "-addext", "subjectAltName=DNS:hooks.example"],
        check=True, capture_output=True, env=os.environ,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with receiving() as make:
        hook = make()
        hook._server.socket = context.wrap_socket(hook._server.socket, server_side=True)
        port = hook.url.split(":")[2].split("/")[0]
        with Line(f"https://hooks.example:{port}/") as line, pytest.raises(Unreached):
            line.post(b"{}", {})  # nobody vouches for it
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        with Line(f"https://other.example:{port}/") as line, pytest.raises(Unreached):
            line.post(b"{}", {})  # it is another's
        assert hook.got == []
        with Line(f"https://hooks.example:{port}/") as line:
            assert line.post(b"{}", {}).status == 200
        assert hook.got[0].headers["host"] == f"hooks.example:{port}"


def test_a_connection_that_the_other_end_closed_is_opened_anew(settings):
    server = socket.create_server(("127.0.0.1", 0))
    settings.WEBHOOK_HOSTS_ALLOWED = frozenset({"127.0.0.1"})

    def serve() -> None:
        for _ in range(2):
            talking, _ = server.accept()
            talking.recv(65536)
            talking.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            talking.close()

    threading.Thread(target=serve, daemon=True).start()
    with Line(f"http://127.0.0.1:{server.getsockname()[1]}/") as line:
        assert line.post(b"{}", {}).status == 200
        assert until(lambda: line._connection is None or not line._connection.is_connected)
        assert line.post(b"{}", {}).status == 200
    server.close()
