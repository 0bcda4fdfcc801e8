"""`make test` and `make check`: every part runs, whatever became of the others; one line sums up."""

import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from launcher import browser
from launcher.commands import running_services
from launcher.console import say
from launcher.places import ROOT, Places
from launcher.problems import Interrupted
from launcher.supervisor import Signals

_DJANGO = [sys.executable, "manage.py"]
_STATIC_PARTS = {
    "ruff check": [sys.executable, "-m", "ruff", "check", "."],
    "ruff format": [sys.executable, "-m", "ruff", "format", "--check", "."],
    "mypy": [sys.executable, "-m", "mypy"],
    "import-linter": [str(Path(sys.executable).with_name("lint-imports"))],
    "migrations match models": [*_DJANGO, "makemigrations", "--check", "--dry-run"],
    "system check": [*_DJANGO, "check"],
}
# Pages, killed processes and whole copies of the tree take minutes: `make test` only.
_SLOW = (
    "tests/browser",
    "tests/faults",
    "tests/launcher/test_environment.py",
    "tests/launcher/test_whole_product.py",
    "tests/architecture/test_deletion.py",
)
_PYTEST_RAN = (0, 1)


@dataclass
class Tally:
    passed: int = 0
    failed: int = 0

    def add(self, passed: bool) -> None:
        if passed:
            self.passed += 1
        else:
            self.failed += 1


def run(signals: Signals, *, whole: bool, pytest_arguments: Sequence[str]) -> int:
    """Run all parts and print `N passed, M failed`; 0 when nothing failed.

    Raises Problem when the parts cannot start: no browser, no database. Raises Interrupted.
    """
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="veracity-checks-") as name:
        folder = Path(name)
        places = Places(folder)
        places.create()
        if whole:
            browser.ensure(log=folder / "browser.log", interrupted=signals.to_stop)
        say("Starting PostgreSQL and Valkey for the tests")
        with running_services(places, signals, durable=False) as (services, _):
            env = (
                os.environ
                | services.addresses(as_owner=True)
                | {"DJANGO_SETTINGS_MODULE": "config.settings.test"}
            )
            for title, argv in _STATIC_PARTS.items():
                tally.add(_static_part(title, argv, env, signals))
            slow = () if whole else tuple(f"--ignore={path}" for path in _SLOW)
            _pytest([*slow, *pytest_arguments], folder / "tests.xml", env, signals, tally)
    say(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


def _static_part(title: str, argv: list[str], env: dict[str, str], signals: Signals) -> bool:
    started_at = time.monotonic()
    done = subprocess.run(
        argv, env=env, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if signals.to_stop():
        raise Interrupted
    passed = done.returncode == 0
    say(f"{title}: {'passed' if passed else 'FAILED'} ({time.monotonic() - started_at:.1f} s)")
    if not passed:
        say(done.stdout)
    return passed


def _pytest(arguments: list[str], results: Path, env: dict[str, str], signals: Signals, tally: Tally) -> None:
    argv = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        "2",
        "--dist",
        "worksteal",
        f"--junitxml={results}",
        *arguments,
    ]
    status = subprocess.run(argv, env=env, cwd=ROOT).returncode
    if signals.to_stop():
        raise Interrupted
    if results.exists():
        count(results, tally)
    if status not in _PYTEST_RAN:
        say(f"pytest: FAILED, it ended with status {status}")
        tally.add(False)


def count(results: Path, tally: Tally) -> None:
    """Add the tests of a JUnit file; a skipped test is neither passed nor failed.

    Names do not tell tests apart: a generated test bears the same one for every operation it asks. Only a
    test that failed and broke again in its tear-down is written twice, the second time as an error.
    """
    failed_calls: Counter[tuple[str, str]] = Counter()
    for case in ET.parse(results).iter("testcase"):  # noqa: S314 (pytest wrote it a moment ago)
        key = (case.get("classname", ""), case.get("name", ""))
        error = case.find("error")
        if case.find("failure") is not None:
            failed_calls[key] += 1
            tally.add(False)
        elif error is not None:
            if failed_calls[key] and error.get("message", "").startswith("failed on teardown"):
                failed_calls[key] -= 1
            else:
                tally.add(False)
        elif case.find("skipped") is None:
            tally.add(True)
