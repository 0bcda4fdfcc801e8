"""Addresses of the triage, which carry the filters along from page to page."""

import uuid
from dataclasses import asdict, fields
from typing import Any

from django.http import HttpRequest, QueryDict
from django.urls import reverse

from factcheck.selectors.queue import MOST_ROWS, ORDERS, ROWS, Filters
from moderation.enums import FlagReason, ItemKind

_DEFAULTS = asdict(Filters())
_ALLOWED: dict[str, Any] = {
    "sort": ORDERS,
    "view": ("", "mine", "aside"),
    "reason": FlagReason.values,
    "kind": ItemKind.values,
}


def filters_of(request: HttpRequest) -> Filters:
    """The filters in the address the person looks at; what is not known there counts as not given."""
    query = _query_of(request)
    given = {f.name: query.get(f.name, "") for f in fields(Filters)}
    for name, allowed in _ALLOWED.items():
        if given[name] not in allowed:
            given[name] = _DEFAULTS[name]
    rows = given.pop("rows")
    for name in ("language", "country"):
        given[name] = given[name].replace("\0", "")[:8]
    return Filters(
        **given, rows=min(int(rows), MOST_ROWS) if rows.isdecimal() and int(rows[:4]) >= ROWS else ROWS
    )


def query_string(filters: Filters, **changes: Any) -> str:
    """The filters as a query, "?…" or "" when they are all at their defaults."""
    wanted = QueryDict(mutable=True)
    for name, value in {**asdict(filters), **changes}.items():
        if value != _DEFAULTS.get(name, ""):
            wanted[name] = str(value)
    return f"?{wanted.urlencode()}" if wanted else ""


def triage(filters: Filters, item_id: uuid.UUID | None = None, **changes: Any) -> str:
    """The triage page, with an item open if one is named."""
    path = reverse("factcheck:triage_item", args=[item_id]) if item_id else reverse("factcheck:triage")
    return path + query_string(filters, **changes)


def _query_of(request: HttpRequest) -> QueryDict:
    """A form of a page that htmx filled may be older than the filters: the browser's own address counts."""
    current: str | None = request.htmx.current_url if request.htmx else None  # type: ignore[attr-defined]
    if request.method == "POST" and current and "/triage/" in current:
        return QueryDict(current.partition("?")[2].partition("#")[0])
    return request.GET
