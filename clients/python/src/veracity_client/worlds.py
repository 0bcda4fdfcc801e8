"""A worldwide effect, and what viewers in a region or with a preference get of it."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any
from weakref import WeakValueDictionary

from .answers import NO_EFFECT, Answer, Effect, read_article, read_effect
from .errors import Unintelligible

DEFAULT = "default"
PREFERENCES = (DEFAULT, "reduce_more", "do_not_reduce")
_NOTHING: Mapping[str, Answer] = dict.fromkeys(PREFERENCES, NO_EFFECT)


class _ByPreference(dict[str, Answer]):
    """Answers by viewer preference, made when they are first asked for. Raises KeyError for no preference."""

    def __init__(self, plain: Effect, differing: Mapping[str, Mapping[str, float]]) -> None:
        super().__init__({DEFAULT: plain})
        self._plain = plain
        self._differing = differing

    def __missing__(self, preference: str) -> Answer:
        if preference not in self._differing and preference not in PREFERENCES:
            raise KeyError(preference)
        left = {**self._plain.multipliers, **self._differing.get(preference, {})}
        found = self[preference] = replace(self._plain, multipliers=left)
        return found


class World:
    """One effect, or none, for all viewers.

    Copies of a claim have the same effect: equal documents share one World (`World.of`).
    """

    __slots__ = ("__weakref__", "_regional", "_regions", "everywhere")

    def __init__(self, document: Mapping[str, Any]) -> None:
        """Raises Unintelligible for what is no effect of the contract."""
        self._regions: Mapping[str, Mapping[str, Any]] = {}
        self._regional: dict[tuple[str, str, str], Effect] = {}
        self.everywhere: Mapping[str, Answer] = _NOTHING
        """Answers by viewer preference where no region differs."""
        try:
            if document["state"] != "none":
                self._regions = document["regions"]
                self.everywhere = _ByPreference(read_effect(document), document["by_preference"])
        except KeyError as error:
            raise Unintelligible(f"a state lacks {error}") from error

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "World":
        """The World of these members of a state. Raises Unintelligible."""
        name = json.dumps(document, separators=(",", ":"))
        found = _worlds.get(name)
        if found is None:
            found = _worlds[name] = cls(document)
        return found

    @property
    def regional(self) -> bool:
        """Whether some regions differ."""
        return bool(self._regions)

    def within(self, region: str, preference: str) -> Answer:
        """The answer in a region. What holds in a country holds in its subdivisions, whose own comes on top."""
        base = self.everywhere[preference]
        regions = self._regions
        if not regions:
            return base
        heard = [code for code in _codes(region) if code in regions]
        if not heard or not isinstance(base, Effect):
            return base
        name = (heard[0], heard[-1], preference)
        found = self._regional.get(name)
        if found is None:
            found = base
            for code in heard:
                if "instead" in regions[code]:
                    found = _replaced(found, regions[code]["instead"], preference)
            for code in heard:
                found = _limited(found, regions[code])
            self._regional[name] = found
        return found


_worlds: "WeakValueDictionary[str, World]" = WeakValueDictionary()


@lru_cache(maxsize=8192)  # more than there are regions; a caller may also ask for what is none
def _codes(region: str) -> tuple[str, ...]:
    """The codes whose word holds in a region, the country's first."""
    region = region.upper()
    country = region.partition("-")[0]
    return (country,) if country == region else (country, region)


def _replaced(effect: Effect, instead: Mapping[str, Any], preference: str) -> Effect:
    """The effect with what is other in a country, by the policy's rules for it or because it is lifted there."""
    told = {name: value for name, value in instead.items() if name in Effect.__slots__}
    if "articles" in told:
        told["articles"] = tuple(read_article(article) for article in told["articles"])
    if "because" in told:
        told["because"] = tuple(told["because"])
    left = {**instead["multipliers"], **instead["by_preference"].get(preference, {})}
    return replace(effect, **{**told, "multipliers": left})


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
