"""The list of the triage: its rows, its filters, and what makes it refresh itself."""

from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _

from factcheck.selectors import queue
from factcheck.selectors.queue import MOST_ROWS, ROWS, Filters
from factcheck.views import addresses
from factcheck.views.doors import Reading
from moderation import iso
from moderation.enums import DANGEROUS_REASONS, FlagReason, ItemKind
from moderation.forms import country_choices
from moderation.selectors import items

if TYPE_CHECKING:
    from moderation.models import ReviewItem


def list_context(
    request: Reading,
    filters: Filters,
    found: queue.Listed,
    *,
    selected: "ReviewItem | None" = None,
    live: dict[str, Any],
    now: datetime,
) -> dict[str, Any]:
    """What templates/factcheck/queue.html takes. `live`: what the poll tells about the open item."""
    shown = queue.rows_of(found, request.partner)
    return {
        "rows": rows(request, filters, shown, now=now),
        "selected_id": selected.pk if selected else None,
        "more_url": addresses.triage(
            filters, selected.pk if selected else None, rows=min(filters.rows + ROWS, MOST_ROWS)
        )
        if found.more and filters.rows < MOST_ROWS
        else "",
        "list_version": found.version,
        "filters": filters,
        "live_url": reverse("factcheck:triage_live") + _with(addresses.query_string(filters), live),
    }


def rows(
    request: Reading, filters: Filters, shown: "Sequence[ReviewItem]", *, now: datetime
) -> list[dict[str, Any]]:
    """The items as templates/components/triage_row.html takes them."""
    sparks = items.sparklines([i.displayed_version.post_id for i in shown]) if shown else {}
    holders = queue.holders(shown, request.partner, caller=request.caller, now=now)
    return [
        row(
            item,
            url=addresses.triage(filters, item.pk),
            views=sparks.get(item.displayed_version.post_id, []),
            holder=holders.get(item.pk),
            mine=item.pk in holders and item.holder_id == request.caller.person_id
            and request.partner is not None and item.held_for == request.partner.pk,
        )
        for item in shown
    ]  # fmt: skip


def row(
    item: "ReviewItem", *, url: str, views: Sequence[int] = (), holder: str | None = None, mine: bool = False
) -> dict[str, Any]:
    """One item. `holder`: None for nobody, "" for somebody without a name to show. `views`: over time."""
    post = item.displayed_version.post
    reach = getattr(post, "reach", None)
    return {
        "id": item.pk,
        "url": url,
        "text": item.displayed_version.content.text or _("(no text)"),
        "lang": item.language,
        "actor_name": post.actor.name,
        "actor_kind": post.actor.kind,
        "views": reach.views if reach else 0,
        "values": [max(after - before, 0) for before, after in pairwise(views)],
        "reasons": reasons(item.reasons),
        "opened_at": item.opened_at,
        "due_at": item.due_at,
        "holder": (holder or _("somebody else")) if holder is not None and not mine else "",
        "mine": mine,
        "urgent": any(reason in DANGEROUS_REASONS for reason in item.reasons),
        "kind_label": ItemKind(item.kind).label if item.kind != ItemKind.REVIEW else "",
        "language": item.language,
        "countries": item.countries,
    }


def reasons(counts: dict[str, int]) -> list[dict[str, Any]]:
    """Reasons with their counts, most frequent first, for the chips."""
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [
        {"code": code, "label": FlagReason(code).label if code in FlagReason.values else code, "count": count}
        for code, count in ordered
    ]


def filter_context(
    request: Reading, filters: Filters, *, selected_id: UUID | None, aside: Collection[UUID], open_items: int
) -> dict[str, Any]:
    """Views with their counts and the select boxes, every choice a link or a query of the same page."""
    sorts = {
        "priority": _("By priority"),
        "newest": _("Newest first"),
        "flagged": _("Most flagged"),
        "due": _("Due first"),
    }
    views: list[tuple[str, str, object]] = [("", _("Open"), max(open_items - len(aside), 0))]
    if partner := request.partner:
        views += [("mine", _("Mine"), ""), ("aside", _("Set aside"), len(aside) or "")]
    languages = _languages(partner.languages if partner else queue.open_languages())
    countries = _countries(partner.countries) if partner else country_choices()
    more = [
        _select("country", _("Country"), filters.country, _("All countries"), countries),
        _select("reason", _("Reason"), filters.reason, _("All reasons"), FlagReason.choices),
        _select("kind", _("Kind"), filters.kind, _("All kinds"), ItemKind.choices),
    ]
    return {
        "views": [
            {
                "label": label,
                "url": addresses.triage(filters, selected_id, view=value, rows=ROWS),
                "active": filters.view == value,
                "count": count,
            }
            for value, label, count in views
        ],
        "first_selects": [
            _select("sort", _("Order"), filters.sort, "", list(sorts.items())),
            _select("language", _("Language"), filters.language, _("All languages"), languages),
        ],
        "more_selects": more,
        "more_set": sum(1 for select in more if any(o["selected"] and o["value"] for o in select["options"])),
        "here": addresses.triage(Filters(), selected_id),
        "is_filtered": addresses.query_string(filters, sort="priority", view="", rows=ROWS) != "",
        "reset_url": addresses.triage(Filters(sort=filters.sort, view=filters.view), selected_id),
    }


def _select(name: str, label: str, chosen: str, everything: str, choices: Any) -> dict[str, Any]:
    first = [("", everything)] if everything else []
    return {
        "name": name,
        "label": label,
        "options": [
            {"value": value, "label": words, "selected": value == chosen}
            for value, words in [*first, *choices]
        ],
    }


def _languages(codes: Sequence[str]) -> list[tuple[str, str]]:
    return [(code, iso.language_name(code) or code) for code in codes]


def _countries(codes: Sequence[str]) -> list[tuple[str, str]]:
    return [(code, iso.region_name(code) or code) for code in codes]


def _with(query: str, more: dict[str, Any]) -> str:
    if not more:
        return query
    return f"{query}&{urlencode(more)}" if query else f"?{urlencode(more)}"
