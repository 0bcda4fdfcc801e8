"""Do the workers still hear? A worker can live on, connected to nothing, after the broker was away.

The product sends a message through every queue every few seconds and reports on `/healthz` how long
each has been silent.
"""

import time
from collections.abc import Mapping, Sequence

from launcher.supervisor import Supervisor

LIMIT_SECONDS = 90.0
_ASK_EVERY_SECONDS = 10.0

Silences = Mapping[str, float | None]


class Hearing:
    """Restarts who has gone deaf: a worker by its silent queues, beat when every queue is silent."""

    def __init__(self, supervisor: Supervisor, workers: Mapping[str, Sequence[str]]) -> None:
        self._supervisor = supervisor
        self._workers = workers
        self._ask_at = time.monotonic() + _ASK_EVERY_SECONDS

    def due(self) -> bool:
        return time.monotonic() > self._ask_at

    def judge(self, silences: Silences) -> None:
        """Act on what `/healthz` reported; nothing reported is no reason to act."""
        self._ask_at = time.monotonic() + _ASK_EVERY_SECONDS
        for name in deaf(silences, self._workers):
            self._supervisor.restart(name, f"has not answered for {LIMIT_SECONDS:.0f} s")
            # A new process needs its time to be heard through every queue.
            self._ask_at = time.monotonic() + LIMIT_SECONDS


def deaf(silences: Silences, workers: Mapping[str, Sequence[str]]) -> list[str]:
    """Names of the processes to replace.

    Silence everywhere is beat's: nobody asked. Where some queues answer, the silent ones' workers are deaf.
    """
    silent = {queue for queue, seconds in silences.items() if seconds is not None and seconds > LIMIT_SECONDS}
    if silent and silent == set(silences):
        return ["beat"]
    return [name for name, queues in workers.items() if silent.intersection(queues)]
