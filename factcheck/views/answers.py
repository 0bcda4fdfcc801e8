"""Answers of the triage: the whole page, or the part of it that htmx asked for, with what happened as a toast."""

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from factcheck.models import Rating
from factcheck.permissions import may_work_queue
from factcheck.selectors import queue
from factcheck.selectors.queue import Filters
from factcheck.services import leases
from factcheck.views import addresses, item_page, rows
from factcheck.views.doors import Reading, Shift
from factcheck.views.holding import Seen
from moderation.errors import NothingToTake
from moderation.selectors import policies

if TYPE_CHECKING:
    from moderation.models import ReviewItem

UNDO = "undo="
HINTS = (("j k", _("move")), ("Enter", _("open")), ("c", _("take")), ("1–7", _("verdict")), ("m", _("same claim")),
         ("n", _("submit and next")), ("s", _("skip")), ("z", _("snooze")), ("e", _("escalate")), ("b v", _("media")))  # fmt: skip

READING_HINTS = tuple(hint for hint in HINTS if hint[0] in ("j k", "Enter", "b v"))


def page(
    request: Reading,
    filters: Filters,
    *,
    item: "ReviewItem | None" = None,
    status: int = 200,
    now: datetime,
    arrive: str = "title",
    **shown: Any,
) -> HttpResponse:
    """The triage with an item open (or none). `arrive` names the element that takes the focus after a swap;
    `shown` goes to item_page.context."""
    aside = leases.set_aside(request.caller.person_id, now=now)
    found = queue.listed(request.partner, filters, caller=request.caller, aside=aside, now=now)
    only_work = bool(request.htmx) and request.htmx.target == "work"
    # Counting everything in scope is left out where nothing shows it: between two items.
    counted = not only_work or item is None or not found.ids
    situation = queue.situation(request.partner, aside=aside, now=now) if counted else None
    work = item_page.context(request, item, now=now, **shown) if item else {}
    seen: Seen | None = work.get("seen")
    live = seen.as_query(item.pk) if item and seen else {}
    context = {
        **work,
        **rows.list_context(request, filters, found, selected=item, live=live, now=now),
        "situation": situation,
        "nothing": nothing_in_words(situation) if situation else None,
        "acts": request.partner is not None,
        "may_take": request.partner and may_work_queue(request.caller, request.partner, now=now),
        "due_url": addresses.triage(filters, item.pk if item else None, sort="due"),
        "live_version": live_version(found, work.get("holding")),
        "arrive": arrive,
        "query": addresses.query_string(filters),
        "step": "item" if item else "list",
        "hints": [{"keys": k, "label": label} for k, label in (HINTS if request.partner else READING_HINTS)],
        "search": {"url": reverse("factcheck:claims"), "query": "", "placeholder": _("Search fact-checks")},
    }
    if only_work:
        return with_toasts(request, render(request, "factcheck/triage_answer.html", context, status=status))
    context["filter"] = rows.filter_context(
        request,
        filters,
        selected_id=item.pk if item else None,
        aside=aside,
        open_items=situation.open if situation else 0,
    )
    if request.htmx and request.htmx.target == "triage-list":
        return render(request, "factcheck/triage_list.html", context)
    context["undo"] = _undoable(request)
    return render(request, "factcheck/triage.html", context, status=status)


def live_version(found: queue.Listed, holding: Any) -> str:
    """What a page shows of the list and of the open item, as one value for the poll."""
    return f"{found.version}.{holding.version if holding else ''}"


def nothing_in_words(situation: queue.Situation) -> dict[str, str]:
    """Why nothing can be taken and what to do, told apart (field lesson QUE-06)."""
    sentences = {
        "": {"title": "", "text": ""},
        "queue_empty": {
            "title": _("The queue is empty"),
            "text": _("Nothing waits in your languages and countries. New items appear here by themselves; until "
                      "then you can pick a post that nobody flagged."),
        },
        "all_taken": {
            "title": _("Every open item is being reviewed"),
            "text": _("Somebody holds each of them. When a lease runs out or is given back, the item appears here "
                      "by itself; nothing needs to be reloaded."),
        },
        "only_skipped_left": {
            "title": _("Nothing else for you"),
            "text": _("What is left you skipped or put off. Look at what you set aside, or leave it to your "
                      "colleagues."),
        },
    }  # fmt: skip
    return {"code": situation.nothing, **sentences[situation.nothing]}


def next_item(request: Shift, filters: Filters, *, now: datetime) -> HttpResponse:
    """To the next item, taken; or to the list, which says why there is none."""
    try:
        item = leases.take_next(language=filters.language, caller=request.caller, now=now)
    except NothingToTake as nothing:
        messages.info(request, nothing.message)
        return HttpResponseRedirect(addresses.triage(filters))
    return HttpResponseRedirect(addresses.triage(filters, item.pk))


def say_rated(request: Shift, rating: Rating) -> None:
    """The outcome, with its undo."""
    words = _("Rated %(verdict)s. The effect is on its way.") % {
        "verdict": rating.get_verdict_display().lower()
    }
    messages.success(request, words, extra_tags=UNDO + reverse("factcheck:ratings_undo", args=[rating.pk]))


def with_toasts(request: Reading, response: HttpResponse) -> HttpResponse:
    """What happened, as a toast of the page that stays; one toast, so that one undo is in reach."""
    said = list(messages.get_messages(request))
    if not said:
        return response
    undo = next((url for message in said if (url := undo_url(message))), "")
    toast: dict[str, Any] = {
        "tone": "bad" if any(m.level >= messages.ERROR for m in said)
        else "warn" if any(m.level >= messages.WARNING for m in said)
        else "good" if any(m.level >= messages.SUCCESS for m in said) else "info",
        "text": " ".join(str(m) for m in said)[:600],
    }  # fmt: skip
    if undo:
        seconds = policies.at(timezone.now()).data["undo_seconds"]
        toast |= {"undo_url": undo, "undo_target": "#work", "undo_swap": "outerHTML", "seconds": seconds}
    response["HX-Trigger"] = json.dumps({"toast": toast})
    return response


def undo_url(message: Any) -> str:
    """The address that takes back what the message tells, or ""."""
    tags = (message.extra_tags or "").split()
    return next((tag.removeprefix(UNDO) for tag in tags if tag.startswith(UNDO)), "")


def _undoable(request: Reading) -> dict[str, str] | None:
    """For a page without scripts: the undo of what was just done, as a form."""
    for message in messages.get_messages(request):
        if url := undo_url(message):
            return {"url": url, "words": str(message)}
    return None
