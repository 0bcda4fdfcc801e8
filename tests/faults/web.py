"""The web server of a broken installation, to be killed and started again on the same port."""

import os
import signal
import socket
import sys
import urllib.request
from pathlib import Path

from launcher.children import Child, Command, last_lines, stop
from launcher.places import ROOT
from tests.faults.stage import Stage
from tests.waiting import until


class Web:
    """granian on the stage's services, as `make run` starts it."""

    def __init__(self, stage: Stage, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        self._command = Command(
            name="web",
            argv=(
                sys.executable, "-m", "granian", "--interface", "wsgi", "config.wsgi:application",
                "--host", "127.0.0.1", "--port", str(port), "--workers", "1", "--blocking-threads", "8",
                "--workers-kill-timeout", "2", "--no-ws", "--working-dir", str(ROOT),
            ),
            env=stage._environment(),
            log=folder / "web.log",
            grace=3.0,
        )  # fmt: skip
        self._child: Child | None = None

    def start(self) -> None:
        self._child = Child(self._command)
        assert until(self._answers, pause=0.1), last_lines(self._command.log)

    def kill(self) -> None:
        """kill -9 the server and its processes."""
        if self._child and self._child.exit_code() is None:
            os.killpg(self._child.pid, signal.SIGKILL)
            assert until(lambda: self._child and self._child.exit_code() is not None)

    def stop(self) -> None:
        if self._child:
            stop([self._child], in_a_hurry=lambda: True)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.address}/healthz", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False
