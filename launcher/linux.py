"""What the launcher asks of the kernel directly: dying with the parent, and not being root."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Iterable
from enum import Enum
from pathlib import Path

from launcher.problems import Problem

NOBODY = 65534

_PR_SET_PDEATHSIG = 1
_PR_SET_KEEPCAPS = 8
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_RAISE = 2
_CLONE_NEWUSER = 0x10000000
_CAP_DAC_OVERRIDE = 1
_CAPABILITY_VERSION_3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


class Identity(Enum):
    """As whom a child runs. PostgreSQL refuses user id 0, whoever starts it."""

    SAME = "the user who started the launcher"
    NAMESPACE = "root, seen as nobody in a user namespace of its own"
    NOBODY = "nobody, keeping the right to pass root's folders"

    @property
    def owner(self) -> int:
        """User id, outside any namespace, that must own the child's data."""
        return NOBODY if self is Identity.NOBODY else os.getuid()


class _CapabilityHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


class _CapabilityWord(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable")]


def require_linux() -> None:
    """Raises Problem on a system without the calls that keep children from being orphaned."""
    if not sys.platform.startswith("linux"):
        raise Problem("This launcher needs Linux; elsewhere use deploy/compose.yaml.")


def tether(identity: Identity, orphan_signal: signal.Signals) -> Callable[[], None]:
    """A `preexec_fn`: take on `identity`, and get `orphan_signal` when the launcher dies.

    The signal is armed last because the kernel forgets it whenever credentials change.
    Only the launcher's main thread may start children: the kernel watches the thread, not the process.
    """
    launcher = os.getpid()

    def before_exec() -> None:
        _become(identity)
        _check(_libc.prctl(_PR_SET_PDEATHSIG, int(orphan_signal), 0, 0, 0))
        if os.getppid() != launcher:  # it died before the line above
            os.kill(os.getpid(), signal.SIGKILL)

    return before_exec


def choose_identity(program: Path, folders: Iterable[Path]) -> Identity:
    """As whom PostgreSQL can run `program` here and still reach the folders of its data.

    Raises Problem when root has no way to step down.
    """
    if os.geteuid() != 0:
        return Identity.SAME
    paths = [str(folder) for folder in folders]
    for identity in (Identity.NAMESPACE, Identity.NOBODY):
        if _works(identity, str(program), paths):
            return identity
    raise Problem(
        f"PostgreSQL cannot run as root here, and no other identity reaches {program}:"
        " start Veracity as a normal user, or set DATABASE_URL."
    )


def _works(identity: Identity, program: str, folders: list[str]) -> bool:
    child = os.fork()
    if child == 0:
        status = 1
        try:
            _become(identity)
            # PostgreSQL looks for its own program as the real user, who has no right to pass closed folders.
            if os.access(program, os.R_OK | os.X_OK) and all(
                os.access(folder, os.R_OK | os.X_OK, effective_ids=True) for folder in folders
            ):
                status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _become(identity: Identity) -> None:
    if identity is Identity.NAMESPACE:
        outside_user, outside_group = os.getuid(), os.getgid()
        _check(_libc.unshare(_CLONE_NEWUSER))
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{NOBODY} {outside_user} 1")
        Path("/proc/self/gid_map").write_text(f"{NOBODY} {outside_group} 1")
    elif identity is Identity.NOBODY:
        _check(_libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0))
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        _keep_passing_folders()


def _keep_passing_folders() -> None:
    """Keep DAC_OVERRIDE across exec: the checkout may lie under /root, which nobody cannot enter."""
    header = _CapabilityHeader(_CAPABILITY_VERSION_3, 0)
    words = (_CapabilityWord * 2)()
    _check(_libc.capget(ctypes.byref(header), ctypes.byref(words)))
    bit = words[0].permitted & (1 << _CAP_DAC_OVERRIDE)
    words[0] = _CapabilityWord(bit, bit, bit)
    words[1] = _CapabilityWord(0, 0, 0)
    _check(_libc.capset(ctypes.byref(header), ctypes.byref(words)))
    if bit:
        _check(_libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, _CAP_DAC_OVERRIDE, 0, 0))


def _check(result: int) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
