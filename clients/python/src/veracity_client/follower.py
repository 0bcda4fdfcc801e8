"""Snapshot, then changes by long poll, for as long as it is told to: what keeps a copy equal to the server."""

import logging
import random
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from .api import Api
from .backoff import Backoff
from .copies import Changed, Held
from .errors import CursorLost, Refused, Unavailable, VeracityError, VersionMissing
from .states import State
from .storage import Place, Storage

logger = logging.getLogger(__name__)

TURNED_AWAY_PAUSE = 1.0  # seconds, when too many readers wait at the server


class Kept(Protocol):
    """The copy that is kept up to date."""

    def _replace(self, held: Held) -> None: ...
    def _apply(self, changes: Sequence[Mapping[str, Any]]) -> tuple[list[Changed], int]: ...


@dataclass
class Progress:
    """How it goes; written by the follower's thread only."""

    cursor: str | None = None
    as_of: float | None = None  # seconds since 1970: everything that was told before is in the copy
    applied: int = 0
    old: int = 0
    snapshots: int = 0
    failures: int = 0
    error: str = ""
    unstored: str = ""  # why the copy is in memory only, though a file was asked for


@dataclass
class _Building:
    """A snapshot that is not complete yet."""

    began: float
    held: Held = field(default_factory=Held)
    next: str | None = None


class Follower:
    """Runs in one thread until `stopped` is set."""

    def __init__(
        self,
        api: Api,
        copy: Kept,
        *,
        open_storage: Callable[[], Storage] | None,
        wait: int,
        clock: Callable[[], float],
        on_change: Callable[[Sequence[Changed]], None] | None,
        became_ready: threading.Event,
        stopped: threading.Event,
    ) -> None:
        self.progress = Progress()
        self._api = api
        self._copy = copy
        self._open_storage = open_storage
        self._storage: Storage | None = None
        self._wait = wait
        self._clock = clock
        self._on_change = on_change
        self._ready = became_ready
        self._stopped = stopped
        self._building: _Building | None = None
        self._caught_up = False
        self._backoff = Backoff()

    def run(self) -> None:
        """Whatever fails is tried again, later each time: the copy goes on answering meanwhile."""
        try:
            self._resume()
            while not self._stopped.is_set():
                self._step_safely()
        finally:
            if self._storage:
                self._storage.close()

    def _resume(self) -> None:
        """Begin with what an earlier run stored."""
        if self._open_storage is None:
            return
        try:
            self._storage = self._open_storage()
        except (sqlite3.Error, OSError) as error:
            self._go_on_without_file(error)
            return
        held = Held()
        try:
            place = self._storage.place()
            if place is None:
                return
            for written in self._storage.states():
                held.put(State(written))
        except (VeracityError, ValueError, sqlite3.Error) as error:
            logger.warning("what was stored is not readable, a snapshot is taken: %s", error)
            self._store(lambda storage: storage.discard())
            return
        self.progress.cursor, self.progress.as_of = place.cursor, place.as_of
        self._show(held)

    def _store(self, act: Callable[[Storage], None]) -> None:
        """Do something with the file. If that fails the copy lives on in memory only: answers come first."""
        if self._storage is None:
            return
        try:
            act(self._storage)
        except (sqlite3.Error, OSError) as error:
            self._storage.close()
            self._storage = None
            self._go_on_without_file(error)

    def _go_on_without_file(self, error: Exception) -> None:
        logger.error("the copy is not stored any more, until the next start: %s", error)
        self.progress.unstored = str(error)

    def _step_safely(self) -> None:
        asked = 0.0
        try:
            self._step()
            self.progress.failures, self.progress.error = 0, ""
            return
        except (CursorLost, VersionMissing) as error:
            logger.warning("a new snapshot is taken: %s", error)
            self._begin_anew()
            self.progress.error = str(error)
        except VeracityError as error:
            if isinstance(error, Refused):
                self._building = None  # the page that was asked for may be what is refused
            asked = (error.retry_after or 0.0) if isinstance(error, Unavailable) else 0.0
            logger.warning("Veracity cannot be followed now: %s", error)
            self.progress.error = str(error)
        except Exception as error:
            # A full disk, a fault of ours: the copy must not silently stay behind for ever.
            logger.exception("following failed")
            self.progress.error = f"{type(error).__name__}: {error}"
            self._begin_anew()
        self.progress.failures += 1
        self._stopped.wait(self._backoff.pause(at_least=asked))

    def _begin_anew(self) -> None:
        self.progress.cursor = None
        self._building = None

    def _step(self) -> None:
        if self.progress.cursor is None:
            self._read_page()
        else:
            self._follow(self.progress.cursor)
            self._backoff.reset()

    def _read_page(self) -> None:
        """One page of a snapshot; the last one puts the new copy in the old one's place."""
        if self._building is None:
            self._building = _Building(self._clock())
            self._store(lambda storage: storage.begin_anew())
        building = self._building
        page = self._api.snapshot(cursor=building.next)
        for written in page.states:
            building.held.put(State(written))
        self._store(lambda storage: storage.add(page.states))
        building.next = page.next
        if page.next is not None:
            return
        self._store(lambda storage: storage.keep(Place(page.changes_cursor, building.began)))
        self.progress.cursor, self.progress.as_of = page.changes_cursor, building.began
        self.progress.snapshots += 1
        self._building, self._caught_up = None, False
        self._show(building.held)

    def _follow(self, cursor: str) -> None:
        """One answer of the feed. An empty one that waited says that the copy was current until its end."""
        wait = self._wait if self._caught_up else 0
        as_of, began = self._clock(), time.monotonic()
        page = self._api.changes(cursor, wait=wait)
        took = time.monotonic() - began
        applied, old = self._copy._apply(page.changes)
        if not page.changes and took >= wait:
            as_of += wait
        if page.more:  # more was told before we asked
            as_of = self.progress.as_of or 0.0
        self._store(lambda storage: storage.put(page.changes, Place(page.cursor, as_of)))
        self.progress.cursor, self.progress.as_of = page.cursor, as_of
        self.progress.applied += len(applied)
        self.progress.old += old
        self._caught_up = not page.more
        if applied and self._on_change:
            self._tell(applied)
        if wait and not page.changes and took < wait / 2:
            self._stopped.wait(TURNED_AWAY_PAUSE * random.uniform(0.5, 1.5))  # noqa: S311 (no secret)

    def _tell(self, applied: Sequence[Changed]) -> None:
        assert self._on_change is not None
        try:
            self._on_change(applied)
        except Exception:
            logger.exception("on_change failed")

    def _show(self, held: Held) -> None:
        self._copy._replace(held)
        self._ready.set()
