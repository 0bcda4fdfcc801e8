"""The whole product on this machine, started and stopped as a person does it.

The tests share one folder, each able to begin with whatever another one left in it.
"""

import json
import os
import pty
import re
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from launcher.children import leftovers
from launcher.places import ROOT
from tests.waiting import until

from .conftest import alive

START_SECONDS = 240
OURS = (
    "DATABASE_URL",
    "REDIS_URL",
    "REDIS_PREFIX",
    "DJANGO_SETTINGS_MODULE",
    "VERACITY_TEST_FOLDER",
    "SECRET_KEY",
)


@pytest.fixture(scope="module")
def var(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("product") / "var"


@pytest.fixture(scope="module")
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        found: int = probe.getsockname()[1]
        return found


@pytest.fixture(scope="module")
def environment(var, port) -> dict[str, str]:
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in OURS and not name.startswith("PYTEST_")
    }
    return env | {"VERACITY_VAR": str(var), "PORT": str(port)}


class Running:
    """A `make run` on a terminal of its own."""

    def __init__(self, env: dict[str, str]) -> None:
        self.shown = ""
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.chdir(ROOT)
            os.execvpe("make", ["make", "--no-print-directory", "run"], env)
        os.set_blocking(self._terminal, False)

    def read(self) -> str:
        try:
            while chunk := os.read(self._terminal, 65536):
                self.shown += chunk.decode(errors="replace")
        except (BlockingIOError, OSError):
            pass
        return self.shown

    def wait_for(self, words: str, seconds: float = START_SECONDS) -> None:
        assert until(lambda: words in self.read() or not alive(self.pid), seconds), self.shown
        assert words in self.read(), self.shown

    def type(self, keys: bytes) -> None:
        os.write(self._terminal, keys)

    def ended(self, seconds: float) -> bool:
        return until(lambda: self.read() and not alive(self.pid), seconds)

    def collect(self) -> None:
        if alive(self.pid):
            os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._terminal)


@contextmanager
def make_run(env: dict[str, str]) -> Iterator[Running]:
    running = Running(env)
    try:
        yield running
    finally:
        subprocess.run(["make", "stop"], cwd=ROOT, env=env, capture_output=True)
        running.collect()


def make(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "--no-print-directory", *arguments],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
    )


def status(port: int) -> int:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=3) as answer:
            return int(answer.status)
    except OSError:
        return 0


def supervisor_pid(var: Path) -> int:
    return int(json.loads((var / "launcher.lock").read_text())["pid"])


@pytest.fixture
def started_before(environment, var) -> None:
    if not (var / "sign-ins.json").exists():
        with make_run(environment) as running:
            running.wait_for("Ctrl-C stops it")


def test_the_first_start_shows_its_steps_the_address_and_the_sign_ins(environment, var, port):
    make("reset", env=environment)

    with make_run(environment) as running:
        running.wait_for("Ctrl-C stops it")

        for words in (
            "Preparing the database",
            "Loading the demo",
            f"Veracity runs at http://127.0.0.1:{port}",
        ):
            assert words in running.shown
        for person in json.loads((var / "sign-ins.json").read_text()):
            assert person["email"] in running.shown and person["password"] in running.shown
        assert status(port) == 200

        running.type(b"\x03")

        pressed_at = time.monotonic()
        assert running.ended(10), running.shown
        assert time.monotonic() - pressed_at < 10
        assert "Stopped." in running.shown
        assert leftovers(var) == []


def test_the_second_start_is_quick_and_a_third_one_beside_it_is_refused(
    environment, var, port, started_before
):
    started_at = time.monotonic()
    with make_run(environment) as running:
        running.wait_for("Ctrl-C stops it")
        # 10 s on a machine of its own; the suite keeps both cores busy meanwhile.
        assert time.monotonic() - started_at < 30

        beside = make("run", env=environment)
        elsewhere = make("run", env=environment | {"VERACITY_VAR": str(var) + "-other"})

        assert beside.returncode != 0
        assert re.search(rf"^veracity: Veracity is already running at http://127.0.0.1:{port}", beside.stderr)
        assert elsewhere.returncode != 0
        assert elsewhere.stderr.startswith(f"veracity: Port {port} is taken by another program")
        assert "Traceback" not in beside.stderr + elsewhere.stderr


def test_whatever_is_killed_comes_back(environment, var, port):
    with make_run(environment) as running:
        running.wait_for("Ctrl-C stops it")
        for name in (
            "web",
            "worker-urgent",
            "worker-effects",
            "worker-delivery",
            "beat",
            "valkey",
            "postgres",
        ):
            os.kill(child(var, name), signal.SIGKILL)
            running.wait_for(f"{name} ended (SIGKILL); starting again", 10)
        assert until(lambda: status(port) == 200, 30)

        answer = make("manage", "CMD=check_roundtrip --timeout 60", env=environment)

        assert answer.returncode == 0, answer.stdout + answer.stderr
        assert answer.stdout.count(" ms") == 5


def test_workers_hear_again_after_the_broker_fell_three_times(environment, var):
    with make_run(environment) as running:
        running.wait_for("Ctrl-C stops it")
        for _ in range(3):
            before = child(var, "valkey")
            os.kill(before, signal.SIGKILL)
            assert until(lambda old=before: child(var, "valkey") not in (0, old), 15)

        answer = make("manage", "CMD=check_roundtrip --timeout 90", env=environment)

        assert answer.returncode == 0, answer.stdout + answer.stderr


def test_a_killed_supervisor_leaves_nothing_and_the_next_start_recovers(environment, var, port):
    with make_run(environment) as running:
        running.wait_for("Ctrl-C stops it")

        os.kill(supervisor_pid(var), signal.SIGKILL)

        assert until(lambda: leftovers(var) == [] and status(port) == 0, 15), leftovers(var)
        postmaster = int((var / "postgres" / "postmaster.pid").read_text().split()[0]) if pid_file(var) else 0
        assert not postmaster or until(lambda: not alive(postmaster), 15)
    with make_run(environment) as running:
        running.wait_for("Ctrl-C stops it")
        assert status(port) == 200


def test_manage_and_postgres_tools_work_while_nothing_runs(environment, started_before):
    counted = make("pg", 'CMD=psql -At -c "SELECT count(*) > 100 FROM moderation_post"', env=environment)
    checked = make("manage", "CMD=check", env=environment)

    assert counted.stdout.splitlines()[-1] == "t", counted.stdout + counted.stderr
    assert checked.returncode == 0, checked.stderr


def test_reset_removes_everything_it_wrote(environment, var, started_before):
    assert make("stop", env=environment).stdout == "Veracity is not running.\n"

    assert make("reset", env=environment).returncode == 0

    assert [path.name for path in var.iterdir()] == ["launcher.lock"]


def pid_file(var: Path) -> bool:
    return (var / "postgres" / "postmaster.pid").exists()


def child(var: Path, name: str) -> int:
    """The pid of a child of the supervisor, by a word of its command line; 0 when there is none."""
    words = {"web": "granian", "beat": "beat", "valkey": "valkey-server", "postgres": "bin/postgres"}
    parent = supervisor_pid(var)
    for entry in Path("/proc").iterdir():
        try:
            if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) != parent or not alive(
                int(entry.name)
            ):
                continue
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (OSError, ValueError, IndexError):
            continue
        if words.get(name, f"{name}@") in command:
            return int(entry.name)
    return 0
