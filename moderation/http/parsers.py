"""JSON, strictly: what would be read differently elsewhere, or cannot be stored, is refused with its path."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import IO, Any

from rest_framework.parsers import BaseParser

from moderation.http.problems import Problem

DEEPEST = 16
MOST_DIGITS = 18  # beyond it a number does not fit a 64-bit integer
# Characters that only an escape can bring into valid JSON: NUL, and halves of surrogate pairs.
_SUSPECT_ESCAPE = re.compile(r"\\u(0000|[dD][89a-fA-F])")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class StrictJSONParser(BaseParser):
    """UTF-8, one JSON object. The view has checked the body's length before."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Raises Problem with each offending path in `errors`."""
        return loads(stream.read())


class _Fault:
    """Stands where a value could not be taken, until the walk finds it with its path."""

    def __init__(self, code: str, detail: str) -> None:
        self.code, self.detail = code, detail


def loads(body: bytes) -> dict[str, Any]:
    """Raises Problem."""
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise Problem(400, "not_utf8", f"The body is not UTF-8 (byte {error.start}).") from None
    try:
        data = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_whole,
            parse_float=_fraction,
            parse_constant=lambda word: _Fault("not_a_number", f"{word} is not JSON."),
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise Problem(400, "not_json", f"The body is not JSON: {error.msg} ({where}).") from None
    except RecursionError:
        raise _too_deep("") from None
    if not isinstance(data, dict):
        raise Problem(400, "not_an_object", "The body must be a JSON object.")
    _refuse_faults(data, suspect=bool(_SUSPECT_ESCAPE.search(text)))
    return data


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen = set()
        for name, _ in pairs:
            if name in seen:
                found[name] = _Fault("duplicate_key", "This key is there twice.")
            seen.add(name)
    return found


def _whole(digits: str) -> int | _Fault:
    if len(digits) > MOST_DIGITS:
        return _Fault("number_too_large", "This number is too large.")
    return int(digits)


def _fraction(digits: str) -> float | _Fault:
    value = float(digits)
    return value if math.isfinite(value) else _Fault("number_too_large", "This number is too large.")


def _refuse_faults(data: dict[str, Any], *, suspect: bool) -> None:
    errors: dict[str, list[dict[str, str]]] = {}
    for path, fault in _faults(data, suspect=suspect):
        errors.setdefault(path, []).append({"code": fault.code, "detail": fault.detail})
    if errors:
        path, first = next(iter(errors.items()))
        raise Problem(400, first[0]["code"], f"{path}: {first[0]['detail']}", errors=errors)


def _faults(data: dict[str, Any], *, suspect: bool) -> Iterator[tuple[str, _Fault]]:
    """Walks the containers; strings are looked at only where an escape could have spoilt one."""
    waiting: list[tuple[str, Any, int]] = [("", data, 1)]
    while waiting:
        path, container, depth = waiting.pop()
        if depth > DEEPEST:
            raise _too_deep(path)
        named = container.items() if isinstance(container, dict) else enumerate(container)
        for name, value in named:
            kind = type(value)
            if kind is dict or kind is list:
                waiting.append((_path(path, name), value, depth + 1))
            elif kind is _Fault:
                yield _path(path, name), value
            elif suspect and kind is str and _UNSTORABLE.search(value):
                yield _path(path, name), _Fault("unstorable_text", _SAY_UNSTORABLE)
            if suspect and type(name) is str and _UNSTORABLE.search(name):
                yield _path(path, name), _Fault("unstorable_text", _SAY_UNSTORABLE)


_SAY_UNSTORABLE = "NUL and lone surrogates are not text."


def _path(path: str, name: Any) -> str:
    own = str(name).encode("ascii", "backslashreplace").decode() if _UNSTORABLE.search(str(name)) else name
    return f"{path}.{own}" if path else str(own)


def _too_deep(path: str) -> Problem:
    detail = f"The body is nested deeper than {DEEPEST} levels."
    named = ".".join(path.split(".")[:4])
    errors = {named: [{"code": "too_deep", "detail": detail}]} if named else None
    return Problem(400, "too_deep", detail, errors=errors)
