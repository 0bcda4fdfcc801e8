"""One child process: how it starts, what it leaves in its log, how it is brought to an end."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from launcher.linux import Identity, tether
from launcher.places import ROOT

LOG_LIMIT_BYTES = 8 * 1024 * 1024

# Every process of a running product carries this variable, grandchildren included.
MARK = "VERACITY_CHILD_OF"


@dataclass(frozen=True)
class Command:
    """What to run, and how it wants to be treated. Durations in seconds."""

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    log: Path
    cwd: Path = ROOT
    identity: Identity = Identity.SAME
    stop_signal: signal.Signals = signal.SIGTERM
    hurry_signal: signal.Signals = signal.SIGKILL
    grace: float = 4.0
    before_start: Callable[[], None] = field(default=lambda: None, repr=False)


class Child:
    """A started command."""

    def __init__(self, command: Command) -> None:
        command.before_start()
        self.command = command
        self.started_at = time.monotonic()
        with command.log.open("ab", buffering=0) as log:
            self._process = subprocess.Popen(
                command.argv,
                env=dict(command.env),
                cwd=command.cwd,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C must reach the launcher only: it knows the order
                preexec_fn=tether(command.identity, command.stop_signal),
            )

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def uptime(self) -> float:
        return time.monotonic() - self.started_at

    def exit_code(self) -> int | None:
        """None while it runs; negative signal number when a signal ended it."""
        return self._process.poll()

    def ask_to_stop(self) -> None:
        self._signal(self.command.stop_signal)

    def hurry(self) -> None:
        self._signal(self.command.hurry_signal)

    def end_group(self) -> None:
        """Kill what a dead child left of its own children."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            return

    def _signal(self, number: signal.Signals) -> None:
        if self._process.poll() is None:
            self._process.send_signal(number)


def stop(children: Iterable[Child], *, in_a_hurry: Callable[[], bool]) -> None:
    """Bring some children to an end side by side: ask, wait their grace, insist.

    `in_a_hurry` is asked all the time: a second Ctrl-C cuts the grace short.
    """
    waiting = [child for child in children if child.exit_code() is None]
    for child in waiting:
        child.ask_to_stop()
    asked_at = time.monotonic()
    insisted: set[int] = set()
    while waiting:
        elapsed = time.monotonic() - asked_at
        for child in waiting:
            if child.pid not in insisted and (elapsed > child.command.grace or in_a_hurry()):
                child.hurry()
                insisted.add(child.pid)
            elif elapsed > child.command.grace + 2:
                child.end_group()
        time.sleep(0.02)
        for child in [child for child in waiting if child.exit_code() is not None]:
            child.end_group()
            waiting.remove(child)


def trim_log(path: Path) -> None:
    """Keep a log and its predecessor below the limit, while the child goes on writing.

    The child appends through its own descriptor, so the file is copied and cut, not renamed.
    Lines written between the two are lost. On a full disk the older lines are lost, not the space.
    """
    try:
        if path.stat().st_size < LOG_LIMIT_BYTES:
            return
        with path.open("rb+") as log:
            with contextlib.suppress(OSError), path.with_suffix(path.suffix + ".1").open("wb") as kept:
                log.seek(-LOG_LIMIT_BYTES // 2, os.SEEK_END)
                kept.write(log.read())
            log.truncate(0)
    except OSError:  # a vanished log must not end the watch
        return


def last_lines(path: Path, size: int = 4000) -> str:
    """The end of a log, at most `size` bytes of it."""
    try:
        with path.open("rb") as log:
            log.seek(0, os.SEEK_END)
            log.seek(max(0, log.tell() - size))
            return log.read().decode(errors="replace")
    except FileNotFoundError:
        return ""


def leftovers(var: Path) -> list[int]:
    """Living processes that an earlier launcher of this `var` left behind, by the mark they carry."""
    mark = f"{MARK}={var}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue  # gone meanwhile, or somebody else's
    return found


def end_leftovers(var: Path, *, patience: float = 5.0) -> int:
    """Wait until an earlier launcher's processes are gone, then kill the rest; how many were seen.

    They were told to end when their launcher died; this is for the one that did not hear it.
    """
    deadline = time.monotonic() + patience
    seen: set[int] = set()
    while found := leftovers(var):
        seen.update(found)
        if time.monotonic() > deadline:
            for pid in found:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
    return len(seen)
