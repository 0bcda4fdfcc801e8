"""A copy that keeps itself up to date: start it, ask it, and ask how old it is."""

import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

from .api import Api
from .copies import Changed, Copy
from .follower import Follower
from .storage import Storage


@dataclass(frozen=True, slots=True)
class Status:
    """How a replica does. Times are seconds."""

    ready: bool
    posts: int
    as_of: float | None  # since 1970, by the replica's clock
    stale_for: float | None  # what was decided longer ago than this is in the copy; None: no copy yet
    applied: int  # changes since the start
    old: int  # changes that were in the copy already
    snapshots: int
    failures: int  # in a row, now
    error: str  # of the newest failure, "" while all is well
    unstored: str  # why the copy is in memory only, though a path was given; "" otherwise


class Replica(Copy):
    """A local copy of every effect, followed in a thread of its own. Answers while the server is away, too.

    Start it after forking: each process has its own.
    """

    def __init__(
        self,
        address: str,
        key: str,
        *,
        path: str | os.PathLike[str] | None = None,
        wait: int = 25,
        clock: Callable[[], float] = time.time,
        on_change: Callable[[Sequence[Changed]], None] | None = None,
    ) -> None:
        """`key` needs the scope `distribution:read`.

        With `path`, the copy and its cursor are kept in that file (SQLite; one process per file) and the next
        start goes on from there. `wait`, 1 to 25 seconds, is how long a poll waits, and so how old the copy may
        look while nothing happens. `on_change` is called in the follower's thread after changes were
        applied, to drop what you derived from the states before.
        """
        if not 1 <= wait <= 25:
            raise ValueError("wait lies between 1 and 25 seconds")
        super().__init__(clock=clock)
        self._api = Api(address, key)
        self._became_ready = threading.Event()
        self._stopped = threading.Event()
        self._follower = Follower(
            self._api,
            self,
            open_storage=partial(Storage, Path(path), server=self._api.address) if path else None,
            wait=wait,
            clock=clock,
            on_change=on_change,
            became_ready=self._became_ready,
            stopped=self._stopped,
        )
        self._thread = threading.Thread(target=self._follower.run, name="veracity-replica", daemon=True)

    def start(self) -> Self:
        """Begin to follow; once."""
        self._thread.start()
        return self

    def stop(self, timeout: float | None = None) -> bool:
        """Stop following; the copy goes on answering, and ages. Returns whether the thread has ended.

        A poll that waits is not cut off: it ends with its answer, after `wait` seconds at most.
        """
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(timeout)
        self._api.close()
        return not self._thread.is_alive()

    def wait_until_ready(self, timeout: float | None = None) -> bool:
        """Whether there is a copy to ask, at the latest after `timeout` seconds."""
        return self._became_ready.wait(timeout)

    def status(self) -> Status:
        """How old the copy is, and what happened last."""
        progress = self._follower.progress
        as_of = progress.as_of
        return Status(
            ready=self.ready,
            posts=len(self),
            as_of=as_of,
            stale_for=None if as_of is None else max(0.0, self._clock() - as_of),
            applied=progress.applied,
            old=progress.old,
            snapshots=progress.snapshots,
            failures=progress.failures,
            error=progress.error,
            unstored=progress.unstored,
        )

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
