"""What the top of each page shows. Other parts of the product add entries with `add`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from moderation.caller import Caller
from moderation.enums import Role
from moderation.selectors import desk, members, policies, switches


@dataclass(frozen=True)
class Entry:
    """A link in the navigation for people acting in one of `roles`. `key`: the letter after `g`.

    `home_for`: the roles whose start page this may be; the entry with the lowest `order` wins.
    """

    label: str | Promise
    url_name: str
    icon: str
    roles: frozenset[Role]
    key: str = ""
    order: int = 50
    badge: Callable[[HttpRequest], int | None] | None = None
    home_for: frozenset[Role] = frozenset()


EVERYBODY = frozenset(Role)
MEMBER = frozenset({Role.MEMBER})
SPECIALIST = frozenset({Role.POLICY_SPECIALIST})
ADMINISTRATOR = frozenset({Role.ADMINISTRATOR})
READS_EVERYTHING = frozenset({Role.ADMINISTRATOR, Role.AUDITOR})


def _keys_waited_for(request: HttpRequest) -> int | None:
    """The second-key inbox of a policy specialist; an auditor has no key."""
    caller: Caller = request.caller  # type: ignore[attr-defined]
    return desk.waiting_for(caller).count() if caller.role in SPECIALIST else None


def _drafts_waited_for(request: HttpRequest) -> int | None:
    """Policy drafts that wait for this administrator's word."""
    caller: Caller = request.caller  # type: ignore[attr-defined]
    return policies.waiting_for(caller).count() if caller.role in ADMINISTRATOR else None


def _switches_waited_for(request: HttpRequest) -> int | None:
    """Programme switches that wait for this administrator's key."""
    caller: Caller = request.caller  # type: ignore[attr-defined]
    return switches.waiting_for(caller).count() if caller.role in ADMINISTRATOR else None


# The platform's own entries, in the order of the page; each area adds its line.
_entries: list[Entry] = [
    Entry(_("Feed"), "feed", "home", MEMBER, key="f", order=10, home_for=MEMBER),
    Entry(_("My flags"), "flags", "flag", MEMBER, key="m", order=20),
    Entry(_("My standing"), "standing", "scale", MEMBER, key="r", order=30),
    Entry(
        _("Desk"),
        "desk",
        "gavel",
        SPECIALIST | {Role.AUDITOR},
        key="d",
        order=20,
        badge=_keys_waited_for,
        home_for=SPECIALIST,
    ),
    Entry(_("People"), "people", "users", READS_EVERYTHING, key="e", order=60),
    Entry(_("Keys"), "keys", "key", READS_EVERYTHING, key="k", order=70),
    Entry(_("Webhooks"), "webhooks", "webhook", READS_EVERYTHING, key="w", order=72),
    Entry(_("Policy"), "policies", "scale", READS_EVERYTHING, key="o", order=75, badge=_drafts_waited_for),
    Entry(
        _("Switches"),
        "switches",
        "switch-horizontal",
        READS_EVERYTHING,
        key="s",
        order=77,
        badge=_switches_waited_for,
    ),
    Entry(_("System"), "system", "heartbeat", READS_EVERYTHING, key="y", order=80, home_for=ADMINISTRATOR),
    Entry(
        _("Audit"), "audit", "shield-check", READS_EVERYTHING, key="a", order=90, home_for=READS_EVERYTHING
    ),
    Entry(_("Feed"), "feed", "home", EVERYBODY - MEMBER, key="f", order=100),
]


def add(entry: Entry) -> None:
    _entries.append(entry)
    _entries.sort(key=lambda e: e.order)


def entries_for(caller: Caller) -> list[Entry]:
    return [e for e in _entries if caller.role in e.roles]


def home(caller: Caller) -> str:
    """The address where somebody acting in this role starts."""
    start = next((e for e in entries_for(caller) if caller.role in e.home_for), None)
    return reverse(start.url_name if start else "feed")


def leads_to(path: str, caller: Caller) -> bool:
    """Whether an entry of this role leads to the page at `path` or above it."""
    return any(path.startswith(reverse(e.url_name)) for e in entries_for(caller))


def context(request: HttpRequest) -> dict[str, Any]:
    """The template context `navigation`, `acting` and `unread`; empty for anything but a person's own request:
    nobody signed in, a program with a key, a request that failed before it was known whose it is."""
    caller: Caller | None = getattr(request, "caller", None)
    person = getattr(request, "user", None)
    if caller is None or person is None or not person.is_authenticated:
        return {"navigation": [], "acting": None, "unread": None}
    name = request.resolver_match.view_name if request.resolver_match else ""
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
            for e in entries_for(caller)
        ],
        "acting": _acting(request),
        "unread": _unread(request),
    }


def _unread(request: HttpRequest) -> dict[str, Any] | None:
    """The bell, for members: the notices that came since they last looked."""
    caller = request.caller  # type: ignore[attr-defined]
    if not caller.acts_as(Role.MEMBER):
        return None
    since = request.user.notices_read_at  # type: ignore[union-attr]
    return {"url": reverse("notices"), "count": members.unread_notices(caller, since=since)}


def _acting(request: HttpRequest) -> dict[str, Any]:
    caller, person = request.caller, request.user  # type: ignore[attr-defined]
    words = str(person).split()
    return {
        "person_name": str(person),
        "role_label": caller.role.label,
        "organisation_name": caller.organisation.name if caller.organisation else "",
        "initials": "".join(w[0] for w in (words[:1] + words[-1:] if len(words) > 1 else words[:1])).upper(),
        "switch_url": reverse("acting"),
        "shortcuts_on": person.shortcuts_on,  # type: ignore[union-attr]
        "media_shown": person.media_shown,  # type: ignore[union-attr]
        "others": [
            {
                "label": c.role.label + (f" · {c.organisation.name}" if c.organisation else ""),
                "value": c.value,
                "active": c.role == caller.role and c.organisation == caller.organisation,
            }
            for c in request.capacities  # type: ignore[attr-defined]
        ],
    }
