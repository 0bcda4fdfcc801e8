"""Closed-loop load, bounded in time, and how its figures are printed."""

import json
import os
import statistics
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

ROUNDS = 5


@dataclass(frozen=True)
class Figures:
    """Calls per second, and latencies in milliseconds."""

    per_second: float
    p50: float
    p95: float
    p99: float
    errors: int

    def __str__(self) -> str:
        faults = f"  {self.errors} errors" if self.errors else ""
        return f"{self.per_second:9.1f}/s  p50 {self.p50:7.2f}  p95 {self.p95:7.2f}  p99 {self.p99:7.2f} ms{faults}"


def load(calls: Sequence[Callable[[], bool]], *, seconds: float) -> Figures:
    """One thread per call, each repeating it for `seconds`; a call says whether it went well."""
    latencies: list[list[float]] = [[] for _ in calls]
    errors = [0] * len(calls)
    start = threading.Barrier(len(calls) + 1)

    def loop(index: int) -> None:
        start.wait()
        end = time.perf_counter() + seconds
        while (began := time.perf_counter()) < end:
            if not calls[index]():
                errors[index] += 1
            latencies[index].append(time.perf_counter() - began)

    threads = [threading.Thread(target=loop, args=(i,), daemon=True) for i in range(len(calls))]
    for thread in threads:
        thread.start()
    start.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - began
    return of([x for part in latencies for x in part], elapsed=elapsed, errors=sum(errors))


def compare(
    figure: str,
    ours: Sequence[Callable[[], bool]],
    bound: Sequence[Callable[[], bool]],
    *,
    seconds: float,
    note: Callable[[], str] = lambda: "",
) -> None:
    """Both by turns, ROUNDS times for `seconds` in all each, so that both meet the same noise of the machine;
    printed are the round with the median ratio and the smallest and largest ratio."""
    rounds = [
        (load(ours, seconds=seconds / ROUNDS), load(bound, seconds=seconds / ROUNDS)) for _ in range(ROUNDS)
    ]
    rounds.sort(key=lambda pair: pair[0].per_second / pair[1].per_second)
    ratios = [a.per_second / b.per_second for a, b in rounds]
    mine, theirs = rounds[ROUNDS // 2]
    spread = f"of {ROUNDS} rounds {ratios[0]:.3f} to {ratios[-1]:.3f}"
    emit(figure, ratios[ROUNDS // 2], ours=mine, bound=theirs, note="; ".join(filter(None, (spread, note()))))


def of(latencies: Sequence[float], *, elapsed: float, errors: int = 0) -> Figures:
    """Figures from latencies in seconds."""
    cuts = (
        statistics.quantiles(latencies, n=100, method="inclusive")
        if len(latencies) > 1
        else [latencies[0]] * 99
    )
    p50, p95, p99 = (cuts[i] * 1000 for i in (49, 94, 98))
    return Figures(len(latencies) / elapsed, p50, p95, p99, errors)


def emit(figure: str, ratio: float, *, ours: object, bound: object, note: str = "") -> None:
    if os.environ.get("JSON"):
        row = {"figure": figure, "ratio": round(ratio, 4), "note": note}
        for name, value in (("ours", ours), ("bound", bound)):
            row[name] = vars(value) if isinstance(value, Figures) else str(value)
        sys.stdout.write(json.dumps(row) + "\n")
    else:
        sys.stdout.write(f"{figure}\n   ours  {ours}\n   bound {bound}\n   ratio {ratio:.3f}  {note}\n")
    sys.stdout.flush()
