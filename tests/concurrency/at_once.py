"""Many people at the same moment: threads with a database connection each."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.db import connection

from moderation.errors import DomainError


def at_once(acts: Sequence[Callable[[], Any]], *, threads: int = 24) -> list[Any]:
    """Do all acts, as many as there are threads starting together; their results, in order.

    What a service refused is a result, too; any other error is raised here.
    """
    width = min(threads, len(acts))
    start = Barrier(width)

    def run(number: int) -> Any:
        try:
            if number < width:
                start.wait(timeout=30)
            return acts[number]()
        except DomainError as refusal:
            return refusal
        finally:
            connection.close()

    with ThreadPoolExecutor(width) as pool:
        return [future.result(timeout=120) for future in [pool.submit(run, n) for n in range(len(acts))]]


def done(results: Sequence[Any]) -> list[Any]:
    return [r for r in results if not isinstance(r, DomainError)]


def refused(results: Sequence[Any]) -> list[str]:
    """The codes of what was refused."""
    return [r.code for r in results if isinstance(r, DomainError)]
