"""`python -m tests.set_clock …` is `python -m celery …` on a host whose wall clock somebody sets.

The file that VERACITY_CLOCK names holds the seconds by which it is ahead; it is read again each time.
"""

import datetime
import os
import sys
import time
from pathlib import Path

_AHEAD = Path(os.environ["VERACITY_CLOCK"])
_true_time = time.time
_TrueDatetime = datetime.datetime


def _ahead() -> float:
    return float(_AHEAD.read_text() or 0)


class _Kind(type):
    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, _TrueDatetime)


class _SetDatetime(_TrueDatetime, metaclass=_Kind):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
        return _TrueDatetime.now(tz) + datetime.timedelta(seconds=_ahead())


if __name__ == "__main__":  # before anything else that asks for the time is imported
    time.time = lambda: _true_time() + _ahead()
    datetime.datetime = _SetDatetime  # type: ignore[misc]
    from celery.__main__ import main

    sys.exit(main())
