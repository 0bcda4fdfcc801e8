"""Waiting for what another process does: poll with a deadline, never sleep and hope."""

import time
from collections.abc import Callable


def until(condition: Callable[[], object], seconds: float = 60.0, pause: float = 0.02) -> bool:
    """Whether something came to hold in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
    return True
