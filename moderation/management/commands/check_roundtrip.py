"""Do workers answer? Asked through every queue, as `make run` and a deployment's health check do."""

import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from moderation.services import health


class Command(BaseCommand):
    help = (
        "Sends a message through every task queue and waits for the answers; fails naming the silent queues."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--timeout", type=float, default=10.0, help="Seconds for all queues together.")

    def handle(self, *, timeout: float, **options: Any) -> None:
        deadline = time.monotonic() + timeout
        silent = []
        for queue in settings.TASK_QUEUES:
            took = health.round_trip(queue, timeout=max(deadline - time.monotonic(), 1.0))
            if took is None:
                silent.append(queue)
            else:
                self.stdout.write(f"{queue}: {took * 1000:.0f} ms")
        if silent:
            raise CommandError(f"No worker answered within {timeout:g} s on: {', '.join(silent)}.")
