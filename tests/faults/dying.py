"""A worker that is killed at one named point of a fan-out: the Celery application of such a worker.

`VERACITY_DIES` names the point, `VERACITY_DIED` a file that says that it happened: once, in the second batch.
"""

import itertools
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django

from config.celery import app

django.setup()

from moderation.services import effects, enforcement  # noqa: E402

__all__ = ["POINTS", "app"]

POINTS: dict[str, tuple[Any, str, bool]] = {  # where, what, after it
    "before store": (effects, "_store", False),
    "after store": (effects, "_store", True),
    "before publish": (effects, "_publish_now", False),
    "after publish": (effects, "_publish_now", True),
    "before next batch": (enforcement, "_next_batch", False),
}
IN_BATCH = 2
_calls = itertools.count(1)


def _die() -> None:
    """kill -9 of the worker and its processes, the first time that a second batch comes by."""
    if next(_calls) >= IN_BATCH:
        Path(os.environ["VERACITY_DIED"]).touch(exist_ok=False)
        os.killpg(os.getpgrp(), signal.SIGKILL)


def _fatal(act: Callable[..., Any], *, after: bool) -> Callable[..., Any]:
    def acted(*args: Any, **kwargs: Any) -> Any:
        if not after:
            _die()
        answer = act(*args, **kwargs)
        if after:
            _die()
        return answer

    return acted


if "VERACITY_DIES" in os.environ:
    enforcement.FAN_OUT_BATCH = 3
    _room, _name, _after = POINTS[os.environ["VERACITY_DIES"]]
    setattr(_room, _name, _fatal(getattr(_room, _name), after=_after))
