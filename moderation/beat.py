"""Beat by the clock that nobody sets: what is due every few seconds stays so when the wall clock is changed."""

import time
from typing import Any

from celery.beat import Scheduler

LONGEST_SLEEP = 5.0  # seconds


class SteadyScheduler(Scheduler):
    """Sends every entry at its interval of the monotonic clock (CEL-06).

    Celery's own schedulers remember when an entry last ran; a clock set back by an hour then silences them
    for that hour, also after a restart. All entries are intervals: this keeps nothing.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        self._due: dict[str, float] = {}
        super().__init__(*args, **options)

    def tick(self, **_: Any) -> float:
        """Send what is due; returns the seconds until something is."""
        for name, entry in self.schedule.items():
            now = time.monotonic()
            if self._due.get(name, now) <= now:
                self._due[name] = now + entry.schedule.seconds
                self.apply_entry(entry, producer=self.producer)
        wait = min(self._due.values(), default=LONGEST_SLEEP) - time.monotonic()
        return min(max(wait, 0.01), LONGEST_SLEEP)
