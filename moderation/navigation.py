"""What the top of each page shows. Other parts of the product add entries with `add`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise

from moderation.enums import Role


@dataclass(frozen=True)
class Entry:
    """A link in the navigation for people acting in one of `roles`. `key`: the letter after `g`."""

    label: str | Promise
    url_name: str
    icon: str
    roles: frozenset[Role]
    key: str = ""
    order: int = 50
    badge: Callable[[HttpRequest], int | None] | None = None


EVERYBODY = frozenset(Role)

# The platform's own entries, in the order of the page; each area adds its line.
_entries: list[Entry] = []


def add(entry: Entry) -> None:
    _entries.append(entry)
    _entries.sort(key=lambda e: e.order)


def context(request: HttpRequest) -> dict[str, Any]:
    """The template context `navigation` and `acting`; empty for somebody not signed in."""
    caller = getattr(request, "caller", None)
    if caller is None:
        return {"navigation": [], "acting": None}
    name = request.resolver_match.view_name if request.resolver_match else ""
    entries = [e for e in _entries if caller.role in e.roles]
    return {
        "navigation": [
            {
                "label": e.label,
                "url": reverse(e.url_name),
                "icon": e.icon,
                "key": e.key,
                "badge": e.badge(request) if e.badge else None,
                "active": name.split(":")[-1].startswith(e.url_name.split(":")[-1]),
            }
            for e in entries
        ],
        "acting": _acting(request),
    }


def _acting(request: HttpRequest) -> dict[str, Any]:
    caller, person = request.caller, request.user  # type: ignore[attr-defined]
    words = str(person).split()
    return {
        "person_name": str(person),
        "role_label": caller.role.label,
        "organisation_name": caller.organisation.name if caller.organisation else "",
        "initials": "".join(w[0] for w in (words[:1] + words[-1:] if len(words) > 1 else words[:1])).upper(),
        "shortcuts_on": person.shortcuts_on,  # type: ignore[union-attr]
        "others": [
            {
                "label": c.role.label + (f" · {c.organisation.name}" if c.organisation else ""),
                "value": c.value,
                "active": c.role == caller.role and c.organisation == caller.organisation,
            }
            for c in request.capacities  # type: ignore[attr-defined]
        ],
    }
