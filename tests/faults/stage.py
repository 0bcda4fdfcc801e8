"""A small installation of its own, to be broken: durable services, real workers and beats as processes.

Other than the suite's services these may be killed, filled and restarted. The test acts in its own
process, whose connections to database, cache and broker lead here while the stage is used.
"""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dj_database_url
import redis
from django.conf import settings
from django.db import connection, connections

from config.celery import app
from launcher.children import Child, Command, last_lines
from launcher.places import ROOT
from moderation import redis_client, reference, tasks
from moderation.models import Outbox
from tests.services import TestServices
from tests.waiting import until

KEPT = {"django_migrations", "django_content_type", "auth_permission"}


class Stage:
    """One installation. `reset` between tests; `strike` when all is done."""

    def __init__(self, folder: Path) -> None:
        self.services = TestServices(folder / "services", durable=True)
        self._folder = folder
        self._children: list[Child] = []
        self._killed: set[str] = set()
        self._changing = threading.Lock()
        self._ended = threading.Event()

    def build(self) -> None:
        self.services.start("postgres", "valkey")
        made = subprocess.run(
            [sys.executable, "manage.py", "migrate", "--no-input"],
            env=self._environment(), cwd=ROOT, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert made.returncode == 0, made.stderr
        threading.Thread(target=self._keep_running, daemon=True).start()

    def strike(self) -> None:
        self._ended.set()
        self.stop_all()
        self.services.stop()
        self.services.wipe()

    def reset(self) -> None:
        """Everything runs, nothing is stored, nobody works."""
        self.stop_all()
        for name in ("valkey", "postgres"):
            self.services.stop(name)
            self.services.start(name)
        tables = [t for t in connection.introspection.table_names() if t not in KEPT]
        with connection.cursor() as cursor:
            cursor.execute(f"TRUNCATE {', '.join(tables)} RESTART IDENTITY CASCADE")
        reference.load(sender=None, using="default")
        self.redis().flushall()
        self.forget_failures()

    def redis(self) -> "redis.Redis":
        return redis.Redis.from_url(self.services.redis_url, socket_timeout=5)

    def forget_failures(self) -> None:
        """Ask cache and broker again at once, instead of after their rest."""
        redis_client._server.cache_clear()
        tasks._broker_absent_until = 0.0

    # ── processes ───────────────────────────────────────────────────────────────────────────────

    def worker(self, *queues: str, concurrency: int = 2) -> Child:
        """Start a worker of these queues, all without a name; returns when it listens."""
        name = f"worker-{len(self._children)}"
        child = self._start(
            name, "worker", "--queues", ",".join(queues or settings.TASK_QUEUES),
            "--concurrency", str(concurrency), "--hostname", f"{name}@%h",
            "--without-gossip", "--without-mingle",
        )  # fmt: skip
        assert until(lambda: " ready." in last_lines(child.command.log)), last_lines(child.command.log)
        return child

    def beat(self) -> Child:
        name = f"beat-{len(self._children)}"
        child = self._start(name, "beat", "--schedule", str(self._folder / name), "--pidfile", "")
        assert until(lambda: "beat: Starting" in last_lines(child.command.log)), last_lines(child.command.log)
        return child

    def kill(self, child: Child) -> None:
        """kill -9 the process and all that it started. It stays dead."""
        with self._changing:
            self._killed.add(child.command.name)
            now = next(c for c in self._children if c.command.name == child.command.name)
            if now.exit_code() is None:
                os.killpg(now.pid, signal.SIGKILL)
        assert until(lambda: now.exit_code() is not None)

    def stop_all(self) -> None:
        for child in list(self._children):
            self.kill(child)
        self._children.clear()
        self._killed.clear()

    def _keep_running(self) -> None:
        """Start again what ended by itself, as every supervisor does.

        A worker that meets an absent broker while it holds messages may end: kombu's closing asks the
        connection that it has just given up (AttributeError: 'NoneType' object has no attribute 'hostname').
        """
        while not self._ended.wait(0.5):
            with self._changing:
                for place, child in enumerate(self._children):
                    if child.exit_code() is not None and child.command.name not in self._killed:
                        self._children[place] = Child(child.command)

    def logs(self) -> str:
        return "\n".join(last_lines(child.command.log) for child in self._children)

    def _start(self, name: str, *argv: str) -> Child:
        command = Command(
            name=name,
            argv=(sys.executable, "-m", "celery", "-A", "config", *argv, "--loglevel", "INFO"),
            env=self._environment(),
            log=self._folder / f"{name}-{os.urandom(4).hex()}.log",
            grace=2.0,
        )
        child = Child(command)
        with self._changing:
            self._children.append(child)
        return child

    def _environment(self) -> dict[str, str]:
        return os.environ | {
            "DATABASE_URL": self.services.database_url,
            "REDIS_URL": self.services.redis_url,
            "DJANGO_SETTINGS_MODULE": "config.settings.test",
        }

    # ── this process ────────────────────────────────────────────────────────────────────────────

    @contextmanager
    def here(self) -> Iterator[None]:
        """Let this process' database, cache and broker be those of the stage."""
        address = dj_database_url.parse(self.services.database_url)
        moved = {key: address[key] for key in ("HOST", "PORT", "NAME", "USER")}
        database = connections["default"].settings_dict
        before = {key: database[key] for key in moved}, settings.REDIS_URL, app.conf.broker_url
        connection.close()
        database.update(moved)
        self.use_redis(self.services.redis_url)
        try:
            yield
        finally:
            connection.close()
            database.update(before[0])
            self.use_redis(before[1])

    def use_redis(self, url: str) -> None:
        settings.REDIS_URL = url
        app.conf.broker_url = url.replace("unix://", "redis+socket://", 1).replace(
            "?db=", "?virtual_host=", 1
        )
        app._after_fork()  # forget the connections to the broker before
        self.forget_failures()


def nothing_is_owed() -> bool:
    return not Outbox.objects.filter(failed_at__isnull=True).exists()
