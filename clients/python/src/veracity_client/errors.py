"""What can go wrong. Each error says whether repeating helps."""

from collections.abc import Mapping
from typing import Any


class VeracityError(Exception):
    """The base of all errors of this package."""


class Unavailable(VeracityError):
    """The server did not answer, or asked to come back later. Repeat, after `retry_after` seconds if given."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Refused(VeracityError):
    """The server understood and said no. Repeating the same does not help; `code` is stable."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.code: str = str(problem.get("code", ""))
        self.errors: Mapping[str, Any] = problem.get("errors") or {}
        self.request_id: str = str(problem.get("request_id", ""))
        super().__init__(f"{status} {self.code}: {problem.get('detail', '')}")


class CursorLost(Refused):
    """The change feed cannot be followed from this cursor: take a new snapshot."""


class Unintelligible(VeracityError):
    """The answer is not what the contract promises."""


class NotReady(VeracityError):
    """The replica has no complete copy yet. It answers nothing rather than "no effect"."""


class VersionMissing(VeracityError):
    """The feed skipped a version of a post: the copy cannot be trusted and is taken anew."""
