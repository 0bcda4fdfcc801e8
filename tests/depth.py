"""How long the suite looks: DEPTH=1 is CI, more is a longer run of the same tests with fresh random input."""

import os
from typing import Any

from hypothesis import HealthCheck, settings

DEPTH = int(os.environ.get("DEPTH", "1"))


def budget(examples: int, **more: Any) -> settings:
    """Hypothesis settings for `examples` examples at depth 1, the same ones each time; new ones when deeper."""
    return settings(
        max_examples=examples * DEPTH,
        deadline=None,
        derandomize=DEPTH == 1,
        database=None,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
        **more,
    )
