"""The product on services of its own, in a folder that is gone afterwards, with Django at hand here."""

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import redis

from factcheck.rehearsal.client import Client
from launcher.commands import running_services
from launcher.places import Places
from launcher.product import Product
from launcher.supervisor import Signals


@dataclass(frozen=True)
class Stage:
    """Where the product answers, and the bare services behind it."""

    address: str
    database_url: str
    redis_url: str

    def database(self) -> psycopg.Connection:
        """A bare connection: the bound is measured with it."""
        return psycopg.connect(self.database_url, autocommit=True)

    def redis(self) -> redis.Redis:
        return redis.Redis.from_url(self.redis_url)

    def client(self, key: str) -> Client:
        return Client(self.address, key)


@contextmanager
def product() -> Iterator[Stage]:
    """Start everything as `make run` does, without the demo; end it with the block."""
    with tempfile.TemporaryDirectory(prefix="veracity-bench-") as folder:
        signals = Signals()
        places = Places(Path(folder))
        places.create()
        with running_services(places, signals) as (services, supervisor):
            running = Product(places, services, _free_port(), signals.to_stop)
            running.prepare()
            running.start(supervisor)
            running.wait_until_it_works(supervisor)
            os.environ.update(running.environment(as_owner=True))
            _set_up_django()
            yield Stage(running.address, services.owner_url, services.redis_url)


def _set_up_django() -> None:
    import django

    django.setup()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
