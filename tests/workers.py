"""Real Celery workers on a test's own database, for the tests in which the queue is the point.

Loaded as a pytest plugin.
"""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from launcher.children import Child, Command, last_lines, stop

from .waiting import until

StartWorker = Callable[..., Child]


@pytest.fixture
def start_worker(transactional_db: None, tmp_path: Path) -> Iterator[StartWorker]:
    """`start_worker("effects", …)` starts a worker of these queues, all without a name, and waits until it
    listens. What it works on must be committed: the test runs without a transaction around it.
    `app` is the module of another Celery application.
    """
    started: list[Child] = []

    def start(*queues: str, concurrency: int = 1, app: str = "config") -> Child:
        name = f"worker-{len(started)}"
        database = connection.settings_dict["NAME"]
        command = Command(
            name=name,
            argv=(
                sys.executable, "-m", "celery", "-A", app, "worker", "--loglevel", "INFO",
                "--queues", ",".join(queues or settings.TASK_QUEUES), "--concurrency", str(concurrency),
                "--hostname", f"{name}-{os.getpid()}@%h", "--without-gossip", "--without-mingle",
            ),
            env=os.environ | {
                "DATABASE_URL": f"{os.environ['DATABASE_URL'].rpartition('/')[0]}/{database}",
                "DJANGO_SETTINGS_MODULE": "config.settings.test",
            },
            log=tmp_path / f"{name}.log",
            grace=2.0,
        )  # fmt: skip
        child = Child(command)
        started.append(child)
        assert until(lambda: " ready." in last_lines(command.log)), last_lines(command.log)
        return child

    yield start
    stop(started, in_a_hurry=lambda: False)
