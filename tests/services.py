"""PostgreSQL and Valkey for one run of the suite, and for the tests that break them.

Loaded as a pytest plugin. The first process of the run makes the folder that config/settings/test.py
names, starts there what DATABASE_URL and REDIS_URL do not bring along, and ends it with the run;
pytest-xdist's workers find it running. Each worker has its own database and its own Redis prefix.
"""

import os
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from launcher.children import Child, stop
from launcher.places import Places
from launcher.postgres import OWNER, Postgres
from launcher.problems import Problem
from launcher.services import Service, wait_until_ready
from launcher.valkey import Valkey

_PLAIN = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"}


class TestServices:
    """An embedded database and broker in a folder of their own.

    Not durable by default: the machine's crash may lose data, a killed process may not.
    """

    __test__ = False

    def __init__(self, folder: Path, *, durable: bool = False) -> None:
        self._places = Places(folder)
        logs, sockets = self._places.logs, self._places.sockets
        self._postgres = Postgres(self._places.postgres, sockets, logs / "postgres.log", durable=durable)
        self._valkey = Valkey(self._places.valkey, sockets, logs / "valkey.log")
        self._children: dict[str, Child] = {}

    @property
    def data(self) -> Path:
        """The cluster's folder."""
        return self._places.postgres

    @property
    def database_url(self) -> str:
        return self._postgres.url(OWNER)

    @property
    def redis_url(self) -> str:
        return self._valkey.url

    def expected(self) -> list[str]:
        """The services that the environment's addresses expect here; others were brought along."""
        found = {"postgres": ("DATABASE_URL", self.database_url), "valkey": ("REDIS_URL", self.redis_url)}
        return [name for name, (variable, url) in found.items() if os.environ[variable] == url]

    def start(self, *names: str) -> None:
        """Start the named services, on what they wrote before if anything, and wait until they answer."""
        self._places.create()
        services = []
        for name in names:
            service = self._postgres_service() if name == "postgres" else self._valkey_service()
            self._children[name] = Child(service.command)
            services.append(service)
        for service in services:
            wait_until_ready(service, self._children[service.command.name], interrupted=lambda: False)

    def pid(self, name: str) -> int:
        return self._children[name].pid

    def kill(self, name: str) -> None:
        """kill -9, and wait until it is gone; `start` brings it back."""
        child = self._children.pop(name)
        os.kill(child.pid, signal.SIGKILL)
        while child.exit_code() is None:
            time.sleep(0.01)

    def stop(self, *names: str) -> None:
        """End the named services in order, all without a name; the data stays for another start."""
        for name in names or ("valkey", "postgres"):
            if name in self._children:
                stop([self._children.pop(name)], in_a_hurry=lambda: False)

    def wipe(self) -> None:
        """Remove what they wrote, also the sockets that a long path sent elsewhere."""
        self._places.wipe()

    def _postgres_service(self) -> Service:
        self._postgres.prepare()
        return Service(self._postgres.command(_PLAIN), lambda child: self._postgres.ready(child.pid))

    def _valkey_service(self) -> Service:
        return Service(self._valkey.command(_PLAIN), lambda _: self._valkey.ready())


_shared = pytest.StashKey[TestServices]()
_made = pytest.StashKey[Path]()


def pytest_configure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        return
    folder = Path(os.environ["VERACITY_TEST_FOLDER"])
    _remove_abandoned(folder)
    folder.mkdir(mode=0o700)  # fails if somebody else was first: a predictable name must be ours
    config.stash[_made] = folder
    (folder / "staticfiles").mkdir()
    services = TestServices(folder)
    config.stash[_shared] = services
    try:
        services.start(*services.expected())
    except Problem as problem:
        pytest.exit(f"The tests' services do not start: {problem}", returncode=1)


def pytest_unconfigure(config: pytest.Config) -> None:
    if _shared in config.stash:
        config.stash[_shared].stop()
    if _made in config.stash:
        shutil.rmtree(config.stash[_made], ignore_errors=True)


@pytest.fixture
def own_services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestServices]:
    """A durable database and broker of this test's own, started: to be killed, filled or stopped."""
    services = TestServices(tmp_path_factory.mktemp("own"), durable=True)
    services.start("postgres", "valkey")
    yield services
    services.stop()
    services.wipe()


def _remove_abandoned(folder: Path) -> None:
    """Folders of runs that were killed; their services died with them."""
    for other in folder.parent.glob("veracity-test-*"):
        pid = other.name.rpartition("-")[2]
        if pid.isdigit() and not Path(f"/proc/{pid}").exists() and other.stat().st_uid == os.getuid():
            shutil.rmtree(other, ignore_errors=True)
