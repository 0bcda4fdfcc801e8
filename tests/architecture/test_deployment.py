"""The example deployment runs what the launcher runs."""

import re

import pytest
import yaml
from django.conf import settings

from launcher.places import ROOT
from launcher.product import WEB_PROCESSES, WEB_THREADS, WORKERS

COMPOSE = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())


@pytest.mark.parametrize("name", WORKERS)
def test_the_same_workers_serve_the_same_queues(name):
    queues, concurrency = WORKERS[name]

    command = COMPOSE["services"][name]["command"]

    assert f"--queues {','.join(queues)} --concurrency {concurrency} " in command


def test_every_variable_that_production_needs_is_given():
    given = COMPOSE["x-product"]["environment"]

    assert {"SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL", "REDIS_URL", "EMAIL_URL"} <= set(given)


def test_only_the_migration_acts_as_the_owner():
    services = COMPOSE["services"]

    owners = [
        name
        for name, service in services.items()
        if "veracity_owner" in str(service.get("environment", {}).get("DATABASE_URL", ""))
    ]
    assert owners == ["migrate"]


def test_the_image_serves_with_as_many_processes_and_threads_as_the_documents_count():
    dockerfile = (ROOT / "deploy" / "Dockerfile").read_text()
    operations = (ROOT / "docs" / "operations.md").read_text()

    assert f'"--workers", "{WEB_PROCESSES}", "--blocking-threads", "{WEB_THREADS}"' in dockerfile
    assert f"{WEB_PROCESSES} processes with a pool of {WEB_THREADS}" in operations
    tasks = sum(concurrency for _, concurrency in WORKERS.values())
    worst = WEB_PROCESSES * WEB_THREADS + tasks + len(WORKERS) + 1
    assert re.search(rf"\*\*{worst}\*\* of \d+", operations)


def test_every_queue_is_explained():
    operations = (ROOT / "docs" / "operations.md").read_text()

    assert [queue for queue in settings.TASK_QUEUES if f"`{queue}`" not in operations] == []
