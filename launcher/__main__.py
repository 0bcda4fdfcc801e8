"""`python -m launcher COMMAND`: see the Makefile for what each command is for."""

import argparse
import sys

from launcher import environment
from launcher.console import fail
from launcher.linux import require_linux
from launcher.places import Places
from launcher.problems import Interrupted, Problem, from_os_error
from launcher.supervisor import Signals


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="launcher", description="Start, watch and stop Veracity on this machine."
    )
    parser.add_argument(
        "command", choices=("run", "stop", "reset", "manage", "pg", "rehearse", "bench", "test", "check")
    )
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    given = parser.parse_args(arguments)
    try:
        require_linux()
        return _dispatch(given.command, given.rest, arguments)
    except Problem as problem:
        fail(problem)
        return 1
    except Interrupted:
        return 130
    except OSError as error:
        fail(from_os_error(error))
        return 1


def _dispatch(command: str, rest: list[str], arguments: list[str]) -> int:
    # Imported here: the first pass runs on whatever Python was found, the second inside .venv.
    places = Places.from_environment()
    if command in ("stop", "reset"):
        from launcher import commands

        getattr(commands, command)(places)
        return 0
    signals = Signals()
    purpose = "test" if command in ("test", "check", "bench") else "run"
    environment.ensure(purpose, log=places.logs / "install.log", interrupted=signals.to_stop)
    environment.enter(arguments)
    if command in ("test", "check"):
        from launcher import checks

        return checks.run(signals, whole=command == "test", pytest_arguments=rest)
    from launcher import commands

    if command == "run":
        commands.run(places, signals)
        return 0
    return int(getattr(commands, command)(places, signals, rest))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
