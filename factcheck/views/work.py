"""My work: what somebody holds, began, put off and rated."""

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from factcheck.permissions import may_undo, may_withdraw, may_work_queue
from factcheck.selectors import work as find
from factcheck.selectors.queue import Filters
from factcheck.views import addresses, rows
from factcheck.views.doors import Shift, reviewing
from moderation.selectors import policies


@require_GET
@reviewing
def work(request: Shift) -> HttpResponse:
    now = timezone.now()
    mine = find.of_person(request.caller, request.partner, now=now)
    seconds = policies.at(now).data["undo_seconds"]
    rated = [
        {
            "rating": rating,
            "state": _state(rating),
            "claim_url": reverse("factcheck:claims_one", args=[rating.claim_id]),
            "in_force": not hasattr(rating, "superseded_by") and not hasattr(rating, "withdrawal"),
            "may_undo": may_undo(request.caller, rating, now=now, seconds=seconds),
            "may_withdraw": may_withdraw(request.caller, rating),
        }
        for rating in mine.rated
    ]
    context = {
        "held": [_line(item, request, filters=Filters()) for item in mine.held],
        "drafts": [{**_line(d.item, request, filters=Filters()), "at": d.saved_at} for d in mine.drafts],
        "snoozed": [{**_line(s.item, request, filters=Filters()), "at": s.wake_at} for s in mine.snoozed],
        "skipped": [
            {**_line(s.item, request, filters=Filters()), "at": s.ended_at, "why": s.get_reason_display()}
            for s in mine.skipped
        ],
        "rated": rated,
        "may_work": may_work_queue(request.caller, request.partner, now=now),
        "search": {"url": reverse("factcheck:claims"), "query": "", "placeholder": _("Search fact-checks")},
    }
    return render(request, "factcheck/work.html", context)


def _line(item: object, request: Shift, *, filters: Filters) -> dict[str, object]:
    shown = rows.row(item, url=addresses.triage(filters, item.pk))  # type: ignore[arg-type, attr-defined]
    return {**shown, "until": item.held_until}  # type: ignore[attr-defined]


def _state(rating: object) -> str:
    if hasattr(rating, "withdrawal"):
        return "undone" if rating.withdrawal.undone else "withdrawn"
    return "revised" if hasattr(rating, "superseded_by") else "in_force"
