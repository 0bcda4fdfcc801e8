"""Keeps a handful of children running, and takes them down in the opposite order."""

import signal
import time
from collections.abc import Callable, Sequence
from types import FrameType, TracebackType
from typing import Self

from launcher.children import Child, Command, stop, trim_log
from launcher.problems import Interrupted

_BACK_OFF_SECONDS = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
_STEADY_SECONDS = 60.0
_TRIM_EVERY_SECONDS = 5.0


class Signals:
    """Counts requests to end. Set explicitly: a shell starts background jobs with SIGINT ignored."""

    def __init__(self) -> None:
        self.count = 0
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.count += 1

    def to_stop(self) -> bool:
        return self.count > 0

    def in_a_hurry(self) -> bool:
        """Asked more than once: no more patience."""
        return self.count > 1


class Supervisor:
    """Children by name, in the order of their start. Leaving the `with` block ends them all."""

    def __init__(self, signals: Signals, say: Callable[[str], None]) -> None:
        self._signals = signals
        self._say = say
        self._slots: dict[str, _Slot] = {}
        self._trimmed_at = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for group in self._stop_groups():
            stop(group, in_a_hurry=self._signals.in_a_hurry)

    def start(self, command: Command, *, stop_group: int) -> Child:
        """Start a child and keep it running. Groups stop in falling order, each side by side."""
        slot = _Slot(command, stop_group)
        self._slots[command.name] = slot
        return slot.start()

    def child(self, name: str) -> Child:
        return self._slots[name].child

    def failures(self, name: str) -> int:
        """How often it ended by itself since it last ran steadily."""
        return self._slots[name].failures

    def restart(self, name: str, reason: str) -> None:
        """End a child that lives but does not work; `watch` starts it again."""
        self._say(f"{name} {reason}: starting it again.")
        stop([self._slots[name].child], in_a_hurry=self._signals.in_a_hurry)

    def watch(self) -> None:
        """One look at every child: start again what ended, after a pause that grows with each failure."""
        now = time.monotonic()
        for slot in self._slots.values():
            slot.look(now, self._say)
        if now - self._trimmed_at > _TRIM_EVERY_SECONDS:
            self._trimmed_at = now
            for slot in self._slots.values():
                trim_log(slot.command.log)

    def wait_for(self, condition: Callable[[], bool], *, seconds: float, pause: float = 0.1) -> bool:
        """Keep watching until `condition` holds; False when it did not in time. Raises Interrupted."""
        deadline = time.monotonic() + seconds
        while not condition():
            if self._signals.to_stop():
                raise Interrupted
            if time.monotonic() > deadline:
                return False
            self.watch()
            time.sleep(pause)
        return True

    def _stop_groups(self) -> Sequence[list[Child]]:
        numbers = sorted({slot.stop_group for slot in self._slots.values()}, reverse=True)
        return [[s.child for s in self._slots.values() if s.stop_group == number] for number in numbers]


class _Slot:
    """One command's place among the children, whoever fills it at the moment."""

    def __init__(self, command: Command, stop_group: int) -> None:
        self.command = command
        self.stop_group = stop_group
        self.failures = 0
        self._again_at: float | None = None
        self.child: Child

    def start(self) -> Child:
        self.child = Child(self.command)
        return self.child

    def look(self, now: float, say: Callable[[str], None]) -> None:
        code = self.child.exit_code()
        if code is None:
            if self.failures and self.child.uptime > _STEADY_SECONDS:
                self.failures = 0
            return
        if self._again_at is None:
            self.child.end_group()
            pause = _BACK_OFF_SECONDS[min(self.failures, len(_BACK_OFF_SECONDS) - 1)]
            self.failures += 1
            self._again_at = now + pause
            say(
                f"{self.command.name} ended ({_how(code)}); starting again in {pause:g} s. Its log: {self.command.log}"
            )
        elif now >= self._again_at:
            self._again_at = None
            self.start()


def _how(code: int) -> str:
    if code >= 0:
        return f"exit status {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
