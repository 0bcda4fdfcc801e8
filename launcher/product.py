"""The product as processes: what is prepared, what runs, and how each one shows that it works."""

import hashlib
import json
import os
import socket
import sys
import urllib.request
from collections.abc import Callable
from typing import Any

from launcher import problems
from launcher.children import MARK, Command, last_lines
from launcher.console import step, table
from launcher.places import ROOT, Places
from launcher.problems import Problem
from launcher.services import Services
from launcher.supervisor import Supervisor

# Queues by worker process, and how many tasks each works on at once. Removals never wait behind the rest.
WORKERS = {
    "worker-urgent": (("urgent",), 1),
    "worker-effects": (("effects", "matching"), 2),
    "worker-delivery": (("delivery",), 8),
    "worker-maintenance": (("maintenance",), 1),
}
# Those whose tasks wait for others' servers: each waits in a thread, a process would cost 60 MB.
THREADED = frozenset({"worker-delivery"})
WEB_PROCESSES = 2
WEB_THREADS = 8

_READY_SECONDS = 60.0
_MAX_FAILURES_AT_START = 3

# Stop groups: the higher ends first. Embedded services are group 0 (broker) and -1 (database).
_WEB, _WORKERS = 2, 1


class Product:
    """One running product on one `var/` and one port."""

    def __init__(
        self, places: Places, services: Services, port: int, interrupted: Callable[[], bool]
    ) -> None:
        self._places = places
        self._services = services
        self._port = port
        self._interrupted = interrupted
        self._setup_log = places.logs / "setup.log"

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def environment(self, *, as_owner: bool = False) -> dict[str, str]:
        """For a process of the product."""
        return process_environment(self._places, self._services, as_owner=as_owner) | {
            MARK: str(self._places.var)
        }

    def prepare(self) -> None:
        """Bring schema, rights and static files up to this code. Safe to repeat. Raises Problem."""
        self._manage(
            "Preparing the database", "migrate", "--no-input", doing="prepare the database", as_owner=True
        )
        if self._services.runtime_role:
            self._manage(
                "Granting rights", "grant_runtime", "--role", self._services.runtime_role,
                doing="grant the runtime role its rights", as_owner=True,
            )  # fmt: skip
        stamp = self._places.var / "staticfiles.stamp"
        current = _static_fingerprint()
        if not stamp.exists() or stamp.read_text() != current:
            self._manage(
                "Collecting static files",
                "collectstatic",
                "--no-input",
                "--clear",
                doing="collect the static files",
            )
            stamp.write_text(current)

    def seed(self) -> None:
        """Load the demo into an empty database; a filled one is left alone."""
        self._manage("Loading the demo (once)", "seed_demo", "--if-empty", doing="load the demo")

    def start(self, supervisor: Supervisor) -> None:
        for command in self._commands():
            supervisor.start(command, stop_group=_WEB if command.name == "web" else _WORKERS)

    def wait_until_it_works(self, supervisor: Supervisor) -> None:
        """Until a page is served and a message went through every queue. Raises Problem, Interrupted."""
        names = ["web", *WORKERS, "beat"]

        def answered(probe: Callable[[], bool]) -> Callable[[], bool]:
            def check() -> bool:
                for name in names:
                    if supervisor.failures(name) >= _MAX_FAILURES_AT_START:
                        log = self._places.logs / f"{name}.log"
                        raise problems.from_output(f"start {name}", last_lines(log), log)
                return probe()

            return check

        if not supervisor.wait_for(answered(self.is_healthy), seconds=_READY_SECONDS):
            log = self._places.logs / "web.log"
            raise problems.from_output(f"reach {self.address}/healthz", last_lines(log), log)
        self._manage(
            "Sending a message through every queue", "check_roundtrip", "--timeout", f"{_READY_SECONDS:.0f}",
            doing="get an answer from the workers",
        )  # fmt: skip
        supervisor.wait_for(answered(lambda: True), seconds=1)

    def is_healthy(self) -> bool:
        """Whether `/healthz` answers 200: a page is served and the database answers."""
        return self._health() is not None

    def silences(self) -> dict[str, float | None]:
        """Seconds since a worker answered, by queue; empty when unknown."""
        found: dict[str, float | None] = (self._health() or {}).get("queues", {})
        return found

    def _health(self) -> dict[str, Any] | None:
        try:
            with _direct.open(f"{self.address}/healthz", timeout=2) as answer:
                found = json.load(answer)
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def introduction(self) -> str:
        """Where it runs, and the demo's sign-ins."""
        try:
            people = json.loads(self._places.sign_ins.read_text())
        except (OSError, ValueError):
            people = []
        lines = [f"Veracity runs at {self.address}", ""]
        if people:
            rows = [("role", "email", "password")] + [(p["role"], p["email"], p["password"]) for p in people]
            lines += [table(rows), ""]
        lines.append("Ctrl-C stops it. `make reset` starts over.")
        return "\n".join(lines)

    def publish(self) -> None:
        """Leave the addresses for `manage.py` and the other make targets."""
        staged = self._places.environment.with_suffix(".new")
        staged.touch(mode=0o600)
        found = self._services.addresses(as_owner=False) | {"VERACITY_ADDRESS": self.address}
        staged.write_text(json.dumps(found))
        staged.replace(self._places.environment)

    def withdraw(self) -> None:
        self._places.environment.unlink(missing_ok=True)

    def _commands(self) -> list[Command]:
        env = self.environment()
        celery = (sys.executable, "-m", "celery", "-A", "config")
        found = [
            Command(
                name="web",
                argv=(
                    sys.executable, "-m", "granian", "--interface", "wsgi", "config.wsgi:application",
                    "--host", "127.0.0.1", "--port", str(self._port), "--workers", str(WEB_PROCESSES),
                    "--blocking-threads", str(WEB_THREADS), "--workers-kill-timeout", "2", "--no-ws", "--respawn-failed-workers",
                ),
                env=env,
                log=self._places.logs / "web.log",
                grace=3.0,
            )
        ]  # fmt: skip
        for name, (queues, concurrency) in WORKERS.items():
            found.append(
                Command(
                    name=name,
                    argv=(
                        *celery, "worker", "--queues", ",".join(queues), "--concurrency", str(concurrency),
                        "--pool", "threads" if name in THREADED else "prefork", "--hostname", f"{name}@%h",
                        "--loglevel", "WARNING", "--without-gossip", "--without-mingle",
                    ),
                    env=env,
                    log=self._places.logs / f"{name}.log",
                    grace=3.0,
                )
            )  # fmt: skip
        found.append(
            Command(
                name="beat",
                argv=(
                    *celery,
                    "beat",
                    "--pidfile",
                    "",
                    "--loglevel",
                    "WARNING",
                ),
                env=env,
                log=self._places.logs / "beat.log",
                grace=2.0,
            )
        )
        return found

    def _manage(self, title: str, *arguments: str, doing: str, as_owner: bool = False) -> None:
        step(
            title,
            [sys.executable, str(ROOT / "manage.py"), *arguments],
            doing=doing,
            env=self.environment(as_owner=as_owner),
            log=self._setup_log,
            interrupted=self._interrupted,
        )


def process_environment(places: Places, services: Services, *, as_owner: bool = False) -> dict[str, str]:
    """What a process of the product finds in its environment."""
    given = {name: value for name, value in os.environ.items() if name != "RUNTIME_ROLE"}
    return {
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "SECRET_KEY": places.secret_key(),
        **given,
        **services.addresses(as_owner=as_owner),
        "VERACITY_VAR": str(places.var),
        "PYTHONUNBUFFERED": "1",
    }


def chosen_port() -> int:
    """PORT from the environment, 8000 without. Raises Problem."""
    text = os.environ.get("PORT") or "8000"
    if not text.isdigit() or not 1 <= int(text) <= 65535:
        raise Problem(f"PORT must be a number from 1 to 65535, not “{text}”.")
    return int(text)


def require_free(port: int) -> None:
    """Raises Problem when the port is taken. The web server itself would share it silently."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
            probe.listen()
        except PermissionError:
            raise Problem(
                f"Only root may use port {port}: choose one above 1023, as in `make run PORT=8001`."
            ) from None
        except OSError:
            raise Problem(
                f"Port {port} is taken by another program: stop it, or choose another as in `make run PORT=8001`."
            ) from None


# A proxy meant for the outside must not stand between the launcher and its own web server.
_direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _static_fingerprint() -> str:
    """Changes whenever a static file of ours or a requirement does."""
    digest = hashlib.sha256(
        (ROOT / "requirements.txt").read_bytes() + (ROOT / "constraints.txt").read_bytes()
    )
    for folder in sorted({ROOT / "static", *ROOT.glob("*/static")}):
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            found = path.stat()
            digest.update(f"{path.relative_to(ROOT)} {found.st_size} {found.st_mtime_ns}\n".encode())
    return digest.hexdigest()
