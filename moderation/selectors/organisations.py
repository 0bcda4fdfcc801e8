"""What organisations are called: the platform knows their ids, the programme fills in the names."""

import uuid
from collections.abc import Callable, Collection, Mapping

NameSource = Callable[[Collection[uuid.UUID]], Mapping[uuid.UUID, str]]
_sources: list[NameSource] = []


def add_name_source(source: NameSource) -> None:
    _sources.append(source)


def names(ids: Collection[uuid.UUID]) -> dict[uuid.UUID, str]:
    """The names of those that somebody knows. One query per source, none for no ids."""
    found: dict[uuid.UUID, str] = {}
    for source in _sources if ids else ():
        found.update(source(ids))
    return found
