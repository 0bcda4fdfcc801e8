"""Where things lie on disk, and the lock that says who may use them."""

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from launcher.problems import Problem

ROOT = Path(__file__).resolve().parent.parent
FREE_BYTES_TO_START = 300 * 1024 * 1024

# A socket's path must fit in 107 bytes; the longest name below the folder is PostgreSQL's.
_SOCKET_PATH_LIMIT = 107 - len("/.s.PGSQL.5432")


@dataclass(frozen=True)
class Places:
    """The folder of one running product (`var/`), and what is where in it."""

    var: Path

    @classmethod
    def from_environment(cls) -> "Places":
        return cls(Path(os.environ.get("VERACITY_VAR") or ROOT / "var").resolve())

    @property
    def postgres(self) -> Path:
        return self.var / "postgres"

    @property
    def valkey(self) -> Path:
        return self.var / "valkey"

    @property
    def logs(self) -> Path:
        return self.var / "log"

    @property
    def environment(self) -> Path:
        """Addresses of the running product, for `manage.py` beside it. Absent when nothing runs."""
        return self.var / "environment.json"

    @property
    def sign_ins(self) -> Path:
        """The demo's people, written by `manage.py seed_demo`."""
        return self.var / "sign-ins.json"

    @property
    def sockets(self) -> Path:
        inside = self.var / "run"
        if len(os.fsencode(inside)) <= _SOCKET_PATH_LIMIT:
            return inside
        digest = hashlib.sha256(os.fsencode(self.var)).hexdigest()[:12]
        return Path(tempfile.gettempdir()) / f"veracity-{os.getuid()}-{digest}"

    def create(self) -> None:
        """Make the folders. Raises Problem when the disk has no room for a database."""
        self.var.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(self.var).free
        if free < FREE_BYTES_TO_START:
            raise Problem(
                f"The disk is full: {free >> 20} MiB are free at {self.var},"
                f" {FREE_BYTES_TO_START >> 20} MiB are needed."
            )
        for folder in (self.logs, self.valkey, self.var / "mail", self.var / "media"):
            folder.mkdir(mode=0o700, exist_ok=True)
        self.sockets.mkdir(mode=0o700, exist_ok=True)
        found = self.sockets.lstat()
        if found.st_uid not in (os.getuid(), 65534) or found.st_mode & 0o077:
            raise Problem(f"{self.sockets} must be a folder only you can open: remove it and start again.")

    def secret_key(self) -> str:
        """This installation's own SECRET_KEY, made once."""
        path = self.var / "secret-key"
        if not path.exists():
            staged = path.with_suffix(".new")
            staged.touch(mode=0o600)
            staged.write_text(os.urandom(48).hex())
            staged.replace(path)
        return path.read_text()

    def begin_first_start(self) -> bool:
        """Remember that a database was made but never used, until `end_first_start`.

        What an interrupted first start left is removed: half a demo is in it, and nobody's work. True then.
        """
        cut_off = self._unused.exists()
        if cut_off:
            shutil.rmtree(self.postgres, ignore_errors=True)
            shutil.rmtree(self.valkey, ignore_errors=True)
            self.valkey.mkdir(mode=0o700)
        if not self.postgres.exists():
            self._unused.touch()
        return cut_off

    def in_first_start(self) -> bool:
        return self._unused.exists()

    def end_first_start(self) -> None:
        self._unused.unlink(missing_ok=True)

    @property
    def _unused(self) -> Path:
        return self.var / "first-start"

    def wipe(self) -> None:
        """Remove what the product wrote here, and nothing else that may lie in the folder."""
        ours = ("postgres", "postgres.new", "valkey", "log", "mail", "media", "run", "staticfiles",
                "staticfiles.stamp", "beat", "first-start", "environment.json", "sign-ins.json", "secret-key", "export")  # fmt: skip
        for name in ours:
            path = self.var / name
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        shutil.rmtree(self.sockets, ignore_errors=True)


class Lock:
    """Held by the one launcher that may use a `var/`. The kernel drops it when that process dies."""

    def __init__(self, places: Places) -> None:
        self._path = places.var / "launcher.lock"
        self._file: IO[str] | None = None

    def take(self) -> None:
        """Raises Problem when another launcher has it."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = self._path.open("a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _described(file)
            file.close()
            where = f" at {holder['address']}" if holder.get("address") else ""
            raise Problem(
                f"Veracity is already running{where} (process {holder.get('pid', '?')});"
                " stop it with `make stop`."
            ) from None
        self._file = file
        self.describe(address="")

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def describe(self, *, address: str) -> None:
        """Leave word for the second launcher that comes along."""
        assert self._file is not None
        self._file.seek(0)
        self._file.truncate()
        json.dump({"pid": os.getpid(), "address": address}, self._file)
        self._file.flush()

    def holder(self) -> dict[str, object] | None:
        """What the live holder says about itself; None when nobody holds the lock."""
        try:
            with self._path.open() as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                except BlockingIOError:
                    return _described(file)
        except FileNotFoundError:
            pass
        return None

    def wait_until_free(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while self.holder() is not None:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.1)
        return True


def _described(file: IO[str]) -> dict[str, object]:
    try:
        file.seek(0)
        found = json.load(file)
    except ValueError:  # caught between truncate and write
        return {}
    return found if isinstance(found, dict) else {}
