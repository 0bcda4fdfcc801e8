"""What the platform asks about organisations: it knows their ids, the programme fills in the rest."""

import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

NameSource = Callable[[Collection[uuid.UUID]], Mapping[uuid.UUID, str]]
ListSource = Callable[[], Mapping[uuid.UUID, str]]
_names: list[NameSource] = []
_lists: list[ListSource] = []


@dataclass(frozen=True)
class Stopping:
    """Whom it reaches that new ratings stop, in numbers.

    `leases` end at once; `uncovered` are open items that no organisation is left for.
    """

    organisations: int = 0
    people: int = 0
    leases: int = 0
    uncovered: int = 0


StopSource = Callable[[uuid.UUID | None, str, str, datetime], Stopping]
_stops: list[StopSource] = []


def add_sources(*, names: NameSource, everybody: ListSource, stopping: StopSource) -> None:
    """`stopping` is asked with organisation, country, outcome and the time, as a switch has them."""
    _names.append(names)
    _lists.append(everybody)
    _stops.append(stopping)


def names(ids: Collection[uuid.UUID]) -> dict[uuid.UUID, str]:
    """The names of those that somebody knows. One query per source, none for no ids."""
    found: dict[uuid.UUID, str] = {}
    for source in _names if ids else ():
        found.update(source(ids))
    return found


def everybody() -> dict[uuid.UUID, str]:
    """Every organisation by its name, in the order of the names."""
    found = {i: name for source in _lists for i, name in source().items()}
    return dict(sorted(found.items(), key=lambda pair: pair[1].casefold()))


def stopping(organisation: uuid.UUID | None, *, country: str, outcome: str, now: datetime) -> Stopping:
    """Whom a switch with this scope would stop from rating."""
    found = [source(organisation, country, outcome, now) for source in _stops]
    return Stopping(
        *(
            sum(getattr(part, name) for part in found)
            for name in ("organisations", "people", "leases", "uncovered")
        )
    )
