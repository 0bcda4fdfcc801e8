"""How long to wait after a failure: longer each time, and never when everybody else does."""

import random

FIRST = 0.5  # seconds
LONGEST = 30.0


class Backoff:
    """Full jitter: anything between nothing and a bound that doubles with each failure in a row."""

    def __init__(self) -> None:
        self.failures = 0

    def pause(self, *, at_least: float = 0.0) -> float:
        """Seconds to wait after one more failure; `at_least` is what the server asked for."""
        bound = min(LONGEST, FIRST * 2.0 ** min(self.failures, 10))
        self.failures += 1
        return at_least + random.uniform(0.0, bound)  # noqa: S311 (no secret)

    def reset(self) -> None:
        self.failures = 0
