"""What a service says when it says no. HTTP and pages translate; services know neither.

Each error carries a stable `code` (snake_case), a sentence for a person, and data for a program.
"""

from collections.abc import Mapping
from typing import Any


class DomainError(Exception):
    code = "error"

    def __init__(self, message: str, *, code: str | None = None, **data: Any) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code
        self.data: Mapping[str, Any] = data


class Invalid(DomainError):
    """The input cannot be accepted; `field` names what to mend."""

    code = "invalid"

    def __init__(self, message: str, *, field: str = "", code: str | None = None, **data: Any) -> None:
        super().__init__(message, code=code, **data)
        self.field = field


class NotFound(DomainError):
    """It does not exist, or the caller may not know that it does."""

    code = "not_found"


class Refused(DomainError):
    """The caller may not do this."""

    code = "forbidden"


class Conflict(DomainError):
    """Somebody else was first, or the state moved on; `current` says what is now."""

    code = "conflict"


class LeaseLost(Conflict):
    code = "lease_lost"


class StaleItem(Conflict):
    code = "stale_version"


class NothingToTake(DomainError):
    """No item could be handed out. `reason` tells an empty queue from one in which all is taken."""

    code = "nothing_to_take"
