"""A worldwide effect, and what viewers in a region or with a preference get of it."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from weakref import WeakValueDictionary

from .answers import NO_EFFECT, Answer, Effect, read_effect
from .errors import Unintelligible

DEFAULT = "default"
PREFERENCES = (DEFAULT, "reduce_more", "do_not_reduce")


class World:
    """One effect, or none, for all viewers.

    Copies of a claim have the same effect: equal documents share one World (`World.of`).
    """

    __slots__ = ("__weakref__", "_regional", "_regions", "everywhere")

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._regions: Mapping[str, Mapping[str, Any]] = {}
        self._regional: dict[tuple[str, str, str], Effect] = {}
        self.everywhere: dict[str, Answer] = dict.fromkeys(PREFERENCES, NO_EFFECT)
        """Answers by viewer preference where no region differs."""
        if document["state"] == "none":
            return
        plain = read_effect(document)
        self._regions = document["regions"]
        self.everywhere = dict.fromkeys(PREFERENCES, plain)
        for preference, differing in document["by_preference"].items():
            self.everywhere[preference] = replace(plain, multipliers={**plain.multipliers, **differing})

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "World":
        """The World of these members of a state. Raises Unintelligible."""
        name = json.dumps(document, sort_keys=True, separators=(",", ":"))
        found = _worlds.get(name)
        if found is None:
            try:
                found = _worlds[name] = cls(document)
            except (KeyError, TypeError, AttributeError) as error:
                raise Unintelligible(f"a state lacks {error}") from error
        return found

    @property
    def regional(self) -> bool:
        """Whether some regions differ."""
        return bool(self._regions)

    def within(self, region: str, preference: str) -> Answer:
        """The answer in a region. What holds in a country holds in its subdivisions, whose own comes on top."""
        region = region.upper()
        country = region.partition("-")[0]
        heard = [code for code in dict.fromkeys((country, region)) if code in self._regions]
        base = self.everywhere[preference]
        if not heard or not isinstance(base, Effect):
            return base
        name = (heard[0], heard[-1], preference)
        found = self._regional.get(name)
        if found is None:
            found = base
            for code in heard:
                found = _limited(found, self._regions[code])
            self._regional[name] = found
        return found


_worlds: "WeakValueDictionary[str, World]" = WeakValueDictionary()


def _limited(effect: Effect, here: Mapping[str, Any]) -> Effect:
    if here["removed"]:
        effect = replace(
            effect,
            multipliers=dict.fromkeys(effect.multipliers, 0.0),
            removed=True,
            ads=False,
            recommendations=False,
            monetisation=False,
            ground=here["ground"],
        )
    return replace(effect, interstitial=True) if here["interstitial"] else effect
