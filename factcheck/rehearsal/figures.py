"""What a rehearsal prints: counts, rates and lags, as measured."""

import statistics
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Figures:
    """Counts and lags by name, gathered from many threads."""

    counts: dict[str, int] = field(default_factory=dict)
    lags: dict[str, list[float]] = field(default_factory=dict)  # seconds
    spans: dict[str, float] = field(default_factory=dict)  # seconds an act took
    faults: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self, name: str, by: int = 1) -> None:
        with self._lock:
            self.counts[name] = self.counts.get(name, 0) + by

    def lag(self, name: str, seconds: float) -> None:
        with self._lock:
            self.lags.setdefault(name, []).append(seconds)

    def fault(self, words: str) -> None:
        with self._lock:
            self.faults.append(words)

    def lines(self) -> list[str]:
        """The report, a figure a line."""
        found = []
        for name, number in self.counts.items():
            span = self.spans.get(name)
            rate = f"  ({number / span:,.1f}/s over {span:.1f} s)" if span else ""
            found.append(f"{name:<44}{number:>8,}{rate}")
        for name, seconds in self.lags.items():
            cuts = (
                statistics.quantiles(seconds, n=20, method="inclusive") if len(seconds) > 1 else seconds * 19
            )
            found.append(
                f"{name:<44}p50 {cuts[9] * 1000:,.0f} ms  p95 {cuts[18] * 1000:,.0f} ms  of {len(seconds)}"
            )
        return found


def at_once(acts: list[Callable[[], None]], figures: Figures) -> float:
    """Run these at the same time, one thread each; seconds until the last is done. A crash is a fault."""

    def guarded(act: Callable[[], None]) -> None:
        try:
            act()
        except Exception as error:
            figures.fault(f"{act}: {type(error).__name__}: {error}")

    threads = [threading.Thread(target=guarded, args=(act,), daemon=True) for act in acts]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - began


def until(condition: Callable[[], bool], *, seconds: float, every: float = 0.05) -> float | None:
    """Seconds until the condition held, polled; None when it did not in time."""
    began = time.perf_counter()
    while (waited := time.perf_counter() - began) < seconds:
        if condition():
            return waited
        time.sleep(every)
    return None
