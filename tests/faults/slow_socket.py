"""A socket in front of Redis that lets every answer wait: a server that is there and slow."""

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def slowed(target: Path, at: Path, *, seconds: float) -> Iterator[None]:
    """Pass on between `at` and the socket `target`, each answer after so many seconds."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(at))
        server.listen()
        server.settimeout(0.1)
        over = threading.Event()
        threading.Thread(target=_accept, args=(server, target, seconds, over), daemon=True).start()
        try:
            yield
        finally:
            over.set()


def _accept(server: socket.socket, target: Path, seconds: float, over: threading.Event) -> None:
    while not over.is_set():
        try:
            client, _ = server.accept()
        except (TimeoutError, OSError):
            continue
        behind = socket.socket(socket.AF_UNIX)
        behind.connect(str(target))
        client.settimeout(None)
        for source, sink, wait in ((client, behind, 0.0), (behind, client, seconds)):
            threading.Thread(target=_pass_on, args=(source, sink, wait), daemon=True).start()


def _pass_on(source: socket.socket, sink: socket.socket, wait: float) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            time.sleep(wait)
            sink.sendall(data)
    for end in (source, sink):
        with contextlib.suppress(OSError):
            end.close()
