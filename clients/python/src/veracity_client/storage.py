"""The copy on disk: states and the cursor behind them, changed together or not at all."""

import contextlib
import json
import logging
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

logger = logging.getLogger(__name__)

FORMAT = "1"

_TABLES = """
CREATE TABLE IF NOT EXISTS place (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS state (post TEXT PRIMARY KEY, written TEXT NOT NULL) WITHOUT ROWID;
"""
_PUT_STATE = "INSERT INTO state VALUES (?, ?) ON CONFLICT (post) DO UPDATE SET written = excluded.written"
_PUT_PLACE = "INSERT INTO place VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"


@dataclass(frozen=True, slots=True)
class Place:
    """Where the copy stands: the cursor to follow on from, and when (seconds since 1970) it was current."""

    cursor: str
    as_of: float


class Storage:
    """A SQLite file of one server's states, for one thread of one process: the file is locked."""

    def __init__(self, path: Path, *, server: str) -> None:
        """Opens or makes the file. A copy of another server's, or a damaged one, is thrown away.

        Raises sqlite3.Error when the file cannot be used, also when another process uses it.
        """
        self._path = path
        self._server = server
        try:
            self._connection = self._open()
        except sqlite3.OperationalError:  # locked, no room, no right: nothing is wrong with the file
            raise
        except sqlite3.DatabaseError as error:
            logger.warning("%s is damaged and made anew: %s", path, error)
            self._unlink()
            self._connection = self._open()

    def place(self) -> Place | None:
        """Where the copy stands; None when there is none."""
        found = _places(self._connection)
        return Place(found["cursor"], float(found["as_of"])) if "cursor" in found else None

    def states(self) -> Iterator[Mapping[str, Any]]:
        """Every state, as the server wrote it."""
        for (written,) in self._connection.execute("SELECT written FROM state"):
            yield json.loads(written)

    def begin_anew(self) -> None:
        """Throw the states away; nothing of it is to be seen before `keep`."""
        self.forget()
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("DELETE FROM state")
        self._connection.execute("DELETE FROM place WHERE name IN ('cursor', 'as_of')")

    def add(self, states: Iterable[Mapping[str, Any]]) -> None:
        """Put states into what `keep` will make visible."""
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN IMMEDIATE")
        rows = [(s["post"], json.dumps(s, separators=(",", ":"))) for s in states]
        self._connection.executemany(_PUT_STATE, rows)

    def keep(self, place: Place) -> None:
        """Commit what was added, together with the place behind it."""
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany(_PUT_PLACE, [("cursor", place.cursor), ("as_of", repr(place.as_of))])
        self._connection.execute("COMMIT")

    def put(self, states: Iterable[Mapping[str, Any]], place: Place) -> None:
        """Put changed states and the place behind them, together."""
        self.add(states)
        self.keep(place)

    def forget(self) -> None:
        """Drop what was added since the last `keep`."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def discard(self) -> None:
        """Throw the file away and begin with an empty one. Raises sqlite3.Error."""
        self.close()
        self._unlink()
        self._connection = self._open()

    def close(self) -> None:
        with contextlib.suppress(sqlite3.Error):
            self.forget()
        self._connection.close()

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, isolation_level=None, timeout=1.0)
        try:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(
                "PRAGMA synchronous = NORMAL"
            )  # a power cut may cost the newest, never the whole
            connection.executescript(_TABLES)
            ours = {"format": FORMAT, "server": self._server}
            found = _places(connection)
            if {name: found.get(name) for name in ours} != ours:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("DELETE FROM state")
                connection.execute("DELETE FROM place")
                connection.executemany(_PUT_PLACE, ours.items())
                connection.execute("COMMIT")
        except BaseException:
            connection.close()
            raise
        return connection

    def _unlink(self) -> None:
        for name in (self._path, Path(f"{self._path}-wal"), Path(f"{self._path}-shm")):
            name.unlink(missing_ok=True)


def _places(connection: sqlite3.Connection) -> dict[str, str]:
    return dict(connection.execute("SELECT name, value FROM place").fetchall())
