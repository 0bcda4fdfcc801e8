"""The triage: the list, its live part, and the way to the next item. Looking claims nothing."""

import uuid

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from factcheck.selectors import queue
from factcheck.services import leases
from factcheck.views import addresses, answers, holding, rows
from factcheck.views.doors import Reading, Shift, reading, reviewing
from factcheck.views.holding import Seen
from moderation.errors import NotFound


@require_GET
@reading
def triage(request: Reading) -> HttpResponse:
    """The list, with nothing open."""
    return answers.page(request, addresses.filters_of(request), now=timezone.now())


@require_POST
@reviewing
def take_next(request: Shift) -> HttpResponse:
    return answers.next_item(request, addresses.filters_of(request), now=timezone.now())


@require_GET
@reading
def live(request: Reading) -> HttpResponse:
    """204 while the list and the open item look as the page shows them; else both, as they are now.

    Asked every two seconds by every open page: three small queries when nothing changed.
    """
    now = timezone.now()
    filters = addresses.filters_of(request)
    aside = leases.set_aside(request.caller.person_id, now=now)
    found = queue.listed(request.partner, filters, caller=request.caller, aside=aside, now=now)
    seen = _seen(request)
    item, held = None, None
    if seen is not None:
        try:
            item = queue.readable(uuid.UUID(request.GET["item"]), caller=request.caller)
        except (NotFound, ValueError):
            return HttpResponse(status=404)
        held = holding.judge(item, seen, request, now=now)
    version = answers.live_version(found, held)
    if version == request.GET.get("version", ""):
        return HttpResponse(status=204)
    context = {
        **rows.list_context(
            request,
            filters,
            found,
            selected=item,
            live=seen.as_query(item.pk) if item and seen else {},
            now=now,
        ),
        "item": item,
        "holding": held,
        "seen": seen,
        "live_version": version,
        "query": addresses.query_string(filters),
        "acts": request.partner is not None,
        "situation": queue.situation(request.partner, aside=aside, now=now) if not found.ids else None,
        "now": now,
    }
    if context["situation"]:
        context["nothing"] = answers.nothing_in_words(context["situation"])
    return render(request, "factcheck/triage_live.html", context)


def _seen(request: Reading) -> Seen | None:
    """What the asking page was opened on; None when no item is open there."""
    if "item" not in request.GET:
        return None
    version = request.GET.get("seen", "")
    return Seen(
        version=int(version) if version.isdecimal() and len(version) < 10 else 0,
        post_version=request.GET.get("post", ""),
        held=request.GET.get("held") == "1",
    )
