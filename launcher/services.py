"""The database and the broker of one `var/`: embedded ones, or those the environment names."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from launcher import problems
from launcher.children import Child, Command, last_lines
from launcher.places import Places
from launcher.postgres import OWNER, RUNTIME, Postgres
from launcher.problems import Interrupted
from launcher.valkey import Valkey

START_PATIENCE_SECONDS = 60.0


@dataclass(frozen=True)
class Service:
    """A command that must answer before others may use it."""

    command: Command
    ready: Callable[[Child], bool]


@dataclass(frozen=True)
class Services:
    """Addresses, and the services to start so that they answer.

    `runtime_role` is the database role that web and workers act as; empty when they act as the owner.
    """

    owner_url: str
    runtime_url: str
    runtime_role: str
    redis_url: str
    embedded: tuple[Service, ...]

    def addresses(self, *, as_owner: bool) -> dict[str, str]:
        """Environment for a process of the product. Migrations act as the owner, all else does not."""
        found = {
            "DATABASE_URL": self.owner_url if as_owner else self.runtime_url,
            "REDIS_URL": self.redis_url,
        }
        if self.runtime_role and not as_owner and self.runtime_url == self.owner_url:
            found["RUNTIME_ROLE"] = self.runtime_role  # one sign-in for both: settings change the role
        return found


def prepare(places: Places, env: dict[str, str], *, durable: bool = True) -> Services:
    """Make what does not exist yet; nothing is started. Raises Problem.

    Whoever sets DATABASE_URL or REDIS_URL brings that service along; RUNTIME_ROLE then names the
    role, if any, that web and workers shall act as.
    """
    embedded = []
    owner_url = runtime_url = os.environ.get("DATABASE_URL", "")
    runtime_role = os.environ.get("RUNTIME_ROLE", "")
    if not owner_url:
        postgres = embedded_postgres(places, durable=durable)
        postgres.prepare()
        owner_url, runtime_url, runtime_role = postgres.url(OWNER), postgres.url(RUNTIME), RUNTIME
        embedded.append(Service(postgres.command(env), lambda child: postgres.ready(child.pid)))
    redis_url = os.environ.get("REDIS_URL", "")
    if not redis_url:
        valkey = Valkey(places.valkey, places.sockets, places.logs / "valkey.log")
        redis_url = valkey.url
        embedded.append(Service(valkey.command(env), lambda _: valkey.ready()))
    return Services(owner_url, runtime_url, runtime_role, redis_url, tuple(embedded))


def embedded_postgres(places: Places, *, durable: bool = True) -> Postgres:
    return Postgres(places.postgres, places.sockets, places.logs / "postgres.log", durable=durable)


def wait_until_ready(
    service: Service,
    child: Child,
    *,
    interrupted: Callable[[], bool],
    patience: float = START_PATIENCE_SECONDS,
) -> None:
    """Raises Problem when the child ends first or does not answer in time, Interrupted when asked to end."""
    deadline = time.monotonic() + patience
    while not service.ready(child):
        if interrupted():
            raise Interrupted
        if child.exit_code() is not None or time.monotonic() > deadline:
            raise problems.from_output(
                f"start {service.command.name}", last_lines(service.command.log), service.command.log
            )
        time.sleep(0.02)
