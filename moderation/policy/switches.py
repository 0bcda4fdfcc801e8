"""Programme switches as the rules see them: what one covers, and when (domain 4)."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Switched:
    """A switch that goes on at `begins` and is off from `ends` on. What is empty covers everything."""

    begins: datetime
    ends: datetime | None = None
    country: str = ""  # ISO 3166-1
    organisation: str = ""
    outcome: str = ""

    def holds_at(self, at: datetime) -> bool:
        return self.begins <= at and (self.ends is None or at < self.ends)


def covers(
    switched: Iterable[Switched], *, country: str, outcome: str, organisations: Collection[str]
) -> bool:
    """Whether these switches together cover a verdict, for viewers or an actor of `country` ("": unknown).

    A switch for one organisation takes away that one's word: the verdict is covered when no organisation
    that it rests on is left.
    """
    fitting = [s for s in switched if s.country in ("", country) and s.outcome in ("", outcome)]
    named = {s.organisation for s in fitting}
    return "" in named or (bool(organisations) and named.issuperset(organisations))
