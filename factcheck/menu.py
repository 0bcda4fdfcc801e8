"""The programme's entries at the top of each page."""

from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from factcheck.selectors import partners, queue
from moderation import navigation
from moderation.enums import Role
from moderation.navigation import Entry

REVIEWING = frozenset({Role.REVIEWER, Role.LEAD})
READING = REVIEWING | {Role.AUDITOR}
LEADING = frozenset({Role.LEAD})


def add_entries() -> None:
    navigation.add(
        Entry(_("Queue"), "factcheck:triage", "layout-list", READING, key="q", order=10,
              badge=open_items, home_for=REVIEWING)
    )  # fmt: skip
    navigation.add(Entry(_("My work"), "factcheck:work", "clipboard-check", REVIEWING, key="w", order=20))
    navigation.add(Entry(_("Claims"), "factcheck:claims", "news", READING, key="c", order=30))
    navigation.add(Entry(_("Pick a post"), "factcheck:posts_pick", "target", REVIEWING, key="p", order=40))
    navigation.add(Entry(_("People"), "factcheck:people", "users", LEADING, key="e", order=50))
    navigation.add(
        Entry(_("Partners"), "factcheck:partners", "building-community", navigation.READS_EVERYTHING,
              key="p", order=30)
    )  # fmt: skip


def open_items(request: HttpRequest) -> int | None:
    """How many items are open in the scope of the partner somebody acts for; all of them for an auditor."""
    partner = getattr(request, "partner", None) or partners.of(request.caller)  # type: ignore[attr-defined]
    return queue.open_count(partner)
