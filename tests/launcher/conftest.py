"""Commands to supervise and a process that launches them, small enough to see through."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from launcher.children import Command
from launcher.places import ROOT


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def python(tmp_path) -> Callable[..., Command]:
    """A command that runs a few lines of Python."""

    def build(code: str, *, name: str = "child", **how: object) -> Command:
        return Command(
            name=name,
            argv=(sys.executable, "-c", textwrap.dedent(code)),
            env={"PATH": os.defpath, "PYTHONUNBUFFERED": "1"},
            log=tmp_path / f"{name}.log",
            **how,
        )

    return build


@pytest.fixture
def launch() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """A process of its own that uses the launcher, to be killed at will."""
    started: list[subprocess.Popen[str]] = []

    def start(code: str, *arguments: object, **env: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
            cwd=ROOT,
            env=os.environ | env,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.communicate()
