"""What a person is told when something cannot be done."""

import errno
import re


class Problem(Exception):
    """One sentence for a person. `python -m launcher` prints it and exits with status 1."""


class Interrupted(Exception):
    """Somebody asked the launcher to end (Ctrl-C, `make stop`, a closed terminal)."""


_DISK_FULL = re.compile(r"No space left on device|Disk quota exceeded", re.IGNORECASE)
_NOISE = re.compile(r"^(\s|Traceback|HINT|DETAIL|WARNING|\[notice\]|During handling|The above exception|$)")


def from_os_error(error: OSError) -> Problem:
    """The sentence for an operating system error that nobody handled closer to its cause."""
    where = f" at {error.filename}" if error.filename else ""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Problem(f"The disk is full{where}: free some space and start again.")
    if error.errno in (errno.EACCES, errno.EPERM):
        return Problem(f"Permission denied{where}: run as the user who owns this folder.")
    if error.errno == errno.EROFS:
        return Problem(f"The file system is read-only{where}: choose another folder with VERACITY_VAR.")
    return Problem(f"The operating system refused{where}: {error.strerror or error}.")


def from_output(doing: str, output: str, log: object) -> Problem:
    """The sentence for a command that failed: its last telling line, and where the rest is.

    `doing` completes "Could not …"; `output` is what the command printed.
    """
    if _DISK_FULL.search(output):
        return Problem(f"Could not {doing}: the disk is full. Free some space and start again.")
    telling = [line.strip() for line in output.splitlines() if not _NOISE.match(line)]
    reason = telling[-1][:300].rstrip(".") if telling else "it printed nothing"
    return Problem(f"Could not {doing}: {reason}. All of its output: {log}")
