"""Policies as data: what a version may say, and what changes from one to the next.

A path names one number or word of a policy, such as `verdicts.false.multiplier.feed`.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

Leaf = bool | int | float | str | None | list[int]
SCHEMA = Path(__file__).parents[1] / "data" / "policy.schema.json"
LEVELS = ("notice", "repeat_offender", "severe")
_ABSENT = object()


@dataclass(frozen=True)
class Fault:
    """What is wrong with a policy, and at which path."""

    path: str
    message: str


@dataclass(frozen=True)
class Changed:
    """One path whose value differs; `before` or `after` is None where the path is not there."""

    path: str
    before: Leaf
    after: Leaf


def leaves(data: Any, path: str = "") -> dict[str, Leaf]:
    """Every number and word of a policy by its path, in the order of the schema. A list of numbers is one."""
    below: Iterator[tuple[str, Any]]
    if isinstance(data, Mapping):
        # (PostgreSQL keeps the keys of jsonb in an order of its own)
        below = ((key, data[key]) for key in sorted(data, key=_place))
    elif isinstance(data, list) and any(isinstance(value, Mapping) for value in data):
        below = ((str(place), value) for place, value in enumerate(data))
    else:
        return {path: data}
    found: dict[str, Leaf] = {}
    for key, value in below:
        found |= leaves(value, f"{path}.{key}" if path else key)
    return found


def difference(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Changed]:
    """The paths whose values differ, those of `before` first."""
    old, new = leaves(before), leaves(after)
    return [
        Changed(path, old.get(path), new.get(path))
        for path in dict.fromkeys((*old, *new))
        if old.get(path, _ABSENT) != new.get(path, _ABSENT)
    ]


def faults(data: Any, *, after: Mapping[str, Any]) -> list[Fault]:
    """Everything that keeps `data` from following the policy `after`; an empty list when it may.

    Its shape and ranges are those of data/policy.schema.json; what one number asks of another is said here.
    """
    wrong = [Fault(_path(e), _words(e)) for e in _validator().iter_errors(data)]
    return sorted(wrong, key=lambda f: f.path) if wrong else list(_contradictions(data, after))


def _contradictions(data: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Fault]:
    for outcome in after["verdicts"]:
        if outcome not in data["verdicts"]:
            yield Fault(f"verdicts.{outcome}", "Decisions in force name this verdict: it needs its rule.")
    for country, rules in data["countries"].items():
        for outcome in rules:
            if outcome not in data["verdicts"]:
                yield Fault(f"countries.{country}.{outcome}", "There is no such verdict.")
    levels = data["strikes"]["levels"]
    for place, (lower, higher) in enumerate(pairwise(levels), 1):
        here = f"strikes.levels.{place}"
        if higher["at"] <= lower["at"]:
            yield Fault(
                f"{here}.at", f"This level must need more strikes than the one before ({lower['at']})."
            )
        if LEVELS.index(higher["level"]) <= LEVELS.index(lower["level"]):
            yield Fault(f"{here}.level", "Levels go from notice to severe, each once.")
        if higher["multiplier"] > lower["multiplier"]:
            yield Fault(f"{here}.multiplier", "More strikes may not leave more distribution.")
    if data["lease"]["minutes"] > data["lease"]["longest_minutes"]:
        yield Fault("lease.minutes", "A lease cannot be longer than the longest.")
    alerts = data["desk"]["realert_hours"]
    if alerts != sorted(set(alerts)) or any(hour >= data["desk"]["hide_hours"] for hour in alerts):
        yield Fault("desk.realert_hours", "Alerts come in rising order, before the hide ends.")
    reliability = data["priority"]["reliability"]
    if reliability["least"] > reliability["most"]:
        yield Fault("priority.reliability.least", "The least cannot be above the most.")


def _place(key: str) -> tuple[int, str]:
    """Where a name stands: as the schema mentions it first; others by the alphabet."""
    return _places().get(key, 0), key


@cache
def _places() -> dict[str, int]:
    names: list[str] = []

    def gather(schema: Any) -> None:
        if isinstance(schema, Mapping):
            gather(schema.get("$defs", ()))
            names.extend(schema.get("properties", ()))
            for below in schema.values():
                gather(below)
        elif isinstance(schema, list):
            for below in schema:
                gather(below)

    gather(json.loads(SCHEMA.read_text()))
    return {name: place for place, name in reversed(list(enumerate(names, 1)))}


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(SCHEMA.read_text()))


def _path(error: Any) -> str:
    path = [str(part) for part in error.absolute_path]
    if error.validator == "required":
        path.append(next(name for name in error.validator_value if name not in error.instance))
    return ".".join(path)


def _words(error: Any) -> str:
    match error.validator:
        case "required":
            return "This is missing."
        case "minimum" | "exclusiveMinimum":
            return f"This must be {'at least' if error.validator == 'minimum' else 'more than'} {error.validator_value:g}."
        case "maximum" | "exclusiveMaximum":
            return f"This must be {'at most' if error.validator == 'maximum' else 'less than'} {error.validator_value:g}."
        case "enum":
            return "This must be one of: " + ", ".join(v or "none" for v in error.validator_value) + "."
        case "type":
            return f"This must be of type {error.validator_value}."
        case _:
            return str(error.message)
