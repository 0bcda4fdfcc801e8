"""What the launcher prints: one line a step, with its progress while it runs."""

import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from launcher import problems
from launcher.linux import Identity, tether
from launcher.places import ROOT
from launcher.problems import Interrupted, Problem

_SIGN_OF_LIFE_SECONDS = 10.0


def say(line: str) -> None:
    print(line, flush=True)


def fail(problem: Problem) -> None:
    print(f"veracity: {problem}", file=sys.stderr, flush=True)


def step(
    title: str,
    argv: Sequence[str],
    *,
    doing: str,
    env: Mapping[str, str],
    log: Path,
    interrupted: Callable[[], bool],
) -> None:
    """Run a command to its end, showing its last line as progress; all of its output goes to `log`.

    Raises Problem with its last telling line when it fails (`doing` completes "Could not …"),
    Interrupted when asked to end.
    """
    shown = _Progress(title)
    output = bytearray()
    with (
        subprocess.Popen(
            argv,
            env=dict(env),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=tether(Identity.SAME, signal.SIGTERM),
        ) as process,
        log.open("ab", buffering=0) as kept,
        selectors.DefaultSelector() as selector,
    ):
        assert process.stdout is not None
        selector.register(process.stdout, selectors.EVENT_READ)
        kept.write(f"\n== {title}\n".encode())
        while True:
            if interrupted():
                os.killpg(process.pid, signal.SIGKILL)
                shown.end("stopped")
                raise Interrupted
            if selector.select(timeout=0.2):
                chunk = os.read(process.stdout.fileno(), 65536)
                if not chunk:
                    break
                kept.write(chunk)
                output = (output + chunk)[-16_000:]
            shown.update(_last_line(output))
        code = process.wait()
    if code != 0:
        shown.end("failed")
        raise problems.from_output(doing, output.decode(errors="replace"), log)
    shown.end("done")


def _last_line(output: bytearray) -> str:
    lines = output.decode(errors="replace").replace("\r", "\n").rstrip().rsplit("\n", 1)
    return lines[-1].strip()


class _Progress:
    """A line that rewrites itself on a terminal; elsewhere a sign of life now and then."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._started_at = self._said_at = time.monotonic()
        self._live = sys.stdout.isatty()
        self._shown = ""
        if not self._live:
            say(f"  {title} …")

    def update(self, detail: str) -> None:
        now = time.monotonic()
        seconds = f"{now - self._started_at:.0f} s"
        if self._live:
            width = os.get_terminal_size(sys.stdout.fileno()).columns or 80
            line = f"  {self._title} … {seconds}  {detail}"[: width - 1]
            if line != self._shown:
                self._shown = line
                print(f"\r\x1b[2K{line}", end="", flush=True)
        elif now - self._said_at > _SIGN_OF_LIFE_SECONDS:
            self._said_at = now
            say(f"  {self._title} … {seconds}  {detail[:100]}")

    def end(self, word: str) -> None:
        seconds = time.monotonic() - self._started_at
        print("\r\x1b[2K" if self._live else "", end="")
        say(f"  {self._title}: {word} ({seconds:.1f} s)")


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows as aligned columns; the first row is the heading."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
