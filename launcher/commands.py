"""What `make run`, `stop`, `reset`, `shell`, `manage`, `pg`, `rehearse` and `bench` do."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType

from launcher import services
from launcher.children import MARK, end_leftovers
from launcher.console import say
from launcher.hearing import Hearing
from launcher.places import ROOT, Lock, Places
from launcher.postgres import OWNER, client_environment, find_binaries
from launcher.problems import Problem
from launcher.product import WORKERS, Product, chosen_port, process_environment, require_free
from launcher.services import Services, embedded_postgres, wait_until_ready
from launcher.supervisor import Signals, Supervisor

_STOP_SECONDS = 15.0
_WATCH_SECONDS = 0.2

# Stop groups of the embedded services: the database outlives the broker, both outlive the product.
_DATABASE, _BROKER = -1, 0


def run(places: Places, signals: Signals) -> None:
    """Start the product and keep it running until somebody ends it. Raises Problem."""
    with _running_product(places, signals) as (product, supervisor):
        say("\n" + product.introduction())
        hearing = Hearing(supervisor, {name: queues for name, (queues, _) in WORKERS.items()})
        while not signals.to_stop():
            supervisor.watch()
            if hearing.due():
                hearing.judge(product.silences())
            time.sleep(_WATCH_SECONDS)
        say("\nStopping …")
    say("Stopped.")


def stop(places: Places) -> None:
    """End the running product, if there is one. Raises Problem when it does not end."""
    lock = Lock(places)
    holder = lock.holder()
    if holder is None:
        say("Veracity is not running.")
        return
    pid = int(str(holder.get("pid") or 0))
    if pid <= 0:
        raise Problem("Veracity is just starting or stopping: try again in a second.")
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
    if not lock.wait_until_free(_STOP_SECONDS):
        raise Problem(
            f"Veracity (process {pid}) did not stop within {_STOP_SECONDS:.0f} s: end it with `kill -9 {pid}`."
        )
    say("Stopped.")


def reset(places: Places) -> None:
    """Stop, and remove everything the product wrote: database, cache, files, logs. Raises Problem."""
    stop(places)
    lock = Lock(places)
    lock.take()
    places.wipe()
    say(f"Removed what was in {places.var}; the next `make run` starts over.")
    if os.environ.get("DATABASE_URL") or os.environ.get("REDIS_URL"):
        say("The services of DATABASE_URL and REDIS_URL were left as they are.")


def manage(places: Places, signals: Signals, arguments: Sequence[str]) -> int:
    """Run `manage.py` beside the running product, or on its services alone; the command's exit status."""
    return _beside_services(places, signals, [sys.executable, "manage.py", *arguments])


def bench(places: Places, signals: Signals, arguments: Sequence[str]) -> int:
    """Run `bench/run.py`, which starts a product of its own; its exit status."""
    return _foreground([sys.executable, "bench/run.py", *arguments], dict(os.environ))


def pg(places: Places, signals: Signals, arguments: Sequence[str]) -> int:
    """Run one of PostgreSQL's own tools (psql, pg_dump, pg_restore) on the product's database, as its owner."""
    folder = find_binaries()
    program = folder / (arguments[0] if arguments else "psql")
    if not os.access(program, os.X_OK):
        raise Problem(f"There is no {program.name} in {folder}.")
    url = os.environ.get("DATABASE_URL") or embedded_postgres(places).url(OWNER)
    return _beside_services(places, signals, [str(program), *arguments[1:]], client_environment(url))


def rehearse(places: Places, signals: Signals, arguments: Sequence[str]) -> int:
    """Run `manage.py rehearse` against the running product; without one, start it and stop it again."""
    argv = [sys.executable, "manage.py", "rehearse", *arguments]
    if Lock(places).holder():
        return _foreground(argv, _environment_of_running(places))
    with _running_product(places, signals) as (product, supervisor):
        env = product.environment() | {"VERACITY_ADDRESS": product.address}
        return _foreground(argv, env, supervisor)


@contextmanager
def running_services(
    places: Places, signals: Signals, *, durable: bool = True
) -> Iterator[tuple[Services, Supervisor]]:
    """Database and broker that answer, ended with the block. The caller holds the lock. Raises Problem."""
    env = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC", MARK: str(places.var)}
    found = services.prepare(places, env, durable=durable)
    with Supervisor(signals, say) as supervisor:
        for service in found.embedded:
            group = _DATABASE if service.command.name == "postgres" else _BROKER
            supervisor.start(service.command, stop_group=group)
        for service in found.embedded:
            wait_until_ready(service, supervisor.child(service.command.name), interrupted=signals.to_stop)
        yield found, supervisor


@contextmanager
def _running_product(places: Places, signals: Signals) -> Iterator[tuple[Product, Supervisor]]:
    port = chosen_port()
    lock = Lock(places)
    lock.take()
    places.create()
    if seen := end_leftovers(places.var):
        say(f"The last run was cut off; {seen} of its processes have ended now.")
    require_free(port)
    if places.begin_first_start():
        say("The first start was cut off before anybody could use it: starting over.")
    with running_services(places, signals) as (found, supervisor):
        product = Product(places, found, port, signals.to_stop)
        product.prepare()
        if places.in_first_start():
            product.seed()  # nobody shall see half a demo
            product.start(supervisor)
        else:
            product.start(supervisor)
            product.seed()
        product.wait_until_it_works(supervisor)
        places.end_first_start()
        product.publish()
        lock.describe(address=product.address)
        try:
            yield product, supervisor
        finally:
            product.withdraw()


def _beside_services(
    places: Places, signals: Signals, argv: list[str], more: Mapping[str, str] = MappingProxyType({})
) -> int:
    lock = Lock(places)
    if lock.holder():
        return _foreground(argv, {**_environment_of_running(places), **more})
    lock.take()
    places.create()
    end_leftovers(places.var)
    with running_services(places, signals) as (found, supervisor):
        return _foreground(argv, {**process_environment(places, found), **more}, supervisor)


def _environment_of_running(places: Places) -> dict[str, str]:
    try:
        addresses = json.loads(places.environment.read_text())
    except (OSError, ValueError):
        raise Problem("Veracity is still starting: try again when it has printed its address.") from None
    return {
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        **os.environ,
        **addresses,
        "VERACITY_VAR": str(places.var),
    }


def _foreground(argv: list[str], env: dict[str, str], supervisor: Supervisor | None = None) -> int:
    """Give the terminal to a command, keeping the services up meanwhile. Ctrl-C is the command's."""
    process = subprocess.Popen(argv, env=env, cwd=ROOT)
    while True:
        try:
            return process.wait(timeout=_WATCH_SECONDS)
        except subprocess.TimeoutExpired:
            if supervisor:
                supervisor.watch()
