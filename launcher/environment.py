"""The virtual environment: made once, filled with exact pins, remembered by a stamp."""

import fcntl
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from launcher.console import step
from launcher.places import ROOT
from launcher.problems import Problem

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"

_STAMP = VENV / "installed.json"
_REQUIREMENTS = {
    "run": ("requirements.txt", "constraints.txt"),
    "test": ("requirements-dev.txt", "requirements.txt", "constraints.txt"),
}


def ensure(purpose: str, *, log: Path, interrupted: Callable[[], bool]) -> None:
    """Have everything installed that `purpose` ("run" or "test") needs. Raises Problem.

    Two launchers at once in one checkout take turns.
    """
    wanted = _fingerprint(purpose)
    if _installed().get(purpose) == wanted:
        return
    with (ROOT / "requirements.txt").open() as turnstile:
        fcntl.flock(turnstile, fcntl.LOCK_EX)
        found = _installed()
        if found.get(purpose) == wanted:
            return
        log.parent.mkdir(parents=True, exist_ok=True)
        _create(log, interrupted)
        _install(_REQUIREMENTS[purpose][0], log, interrupted)
        _remember(found | {purpose: wanted})


def enter(arguments: list[str]) -> None:
    """Go on inside the virtual environment, in the same process; returns when already there."""
    if Path(sys.prefix).resolve() != VENV.resolve():
        os.execv(PYTHON, [str(PYTHON), "-m", "launcher", *arguments])  # noqa: S606


def _create(log: Path, interrupted: Callable[[], bool]) -> None:
    if _answers("import pip"):
        return
    base = getattr(sys, "_base_executable", None) or sys.executable
    options: list[str] = ["--clear"]
    if importlib.util.find_spec("ensurepip") is None:
        if importlib.util.find_spec("pip") is None:
            raise Problem(
                f"{base} can make no virtual environment: install its venv module"
                " (Debian, Ubuntu: apt install python3-venv) and start again."
            )
        options.append("--without-pip")
    step(
        "Creating .venv",
        [base, "-m", "venv", *options, str(VENV)],
        doing="create .venv",
        env=os.environ,
        log=log,
        interrupted=interrupted,
    )


def _install(requirements: str, log: Path, interrupted: Callable[[], bool]) -> None:
    pip = (
        [str(PYTHON), "-m", "pip"]
        if _answers("import pip")
        else [sys.executable, "-m", "pip", "--python", str(PYTHON)]
    )
    step(
        f"Installing {requirements}",
        [
            *pip,
            "install",
            "--disable-pip-version-check",
            "--no-input",
            "--progress-bar",
            "off",
            "-r",
            str(ROOT / requirements),
        ],
        doing="install the Python packages",
        env=os.environ,
        log=log,
        interrupted=interrupted,
    )


def _answers(statement: str) -> bool:
    try:
        return subprocess.run([PYTHON, "-c", statement], capture_output=True).returncode == 0
    except OSError:
        return False


def _fingerprint(purpose: str) -> str:
    digest = hashlib.sha256()
    for name in _REQUIREMENTS[purpose]:
        digest.update((ROOT / name).read_bytes())
    return digest.hexdigest()


def _installed() -> dict[str, str]:
    try:
        found = json.loads(_STAMP.read_text())
    except (OSError, ValueError):
        return {}
    # A Python that was upgraded or removed takes the environment with it.
    return found if PYTHON.exists() and found.get("python") == str(PYTHON.resolve()) else {}


def _remember(found: dict[str, str]) -> None:
    staged = _STAMP.with_suffix(".new")
    staged.write_text(json.dumps(found | {"python": str(PYTHON.resolve())}))
    staged.replace(_STAMP)
