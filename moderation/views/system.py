"""Does work get through? Queues, workers, what waits and what was set aside; live while it is looked at."""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from moderation import switch_words
from moderation.enums import OutboxKind
from moderation.errors import Conflict
from moderation.models import FanOut, Switch
from moderation.permissions import may_administer, may_read_everything
from moderation.presentation import rated_by, span_words
from moderation.selectors import decisions, organisations
from moderation.services import enforcement, fan_outs, health
from moderation.services.health import QueueHealth
from moderation.views.doors import Visit, signed_in

SILENT_SECONDS = 120  # a worker that has not answered for so long counts as down
LATE_SECONDS = 30  # so does nothing else: a row that waits so long is late
NO_CONTENT = 204


@require_GET
@signed_in
def system(request: Visit) -> HttpResponse:
    """The system page; `?version=` from the page's own polling is answered with 204 while nothing changed."""
    may_read_everything(request.caller).require()
    context = _live(request)
    html = render_to_string("moderation/system.html#live", context, request=request)
    version = hashlib.sha256(html.encode()).hexdigest()[:16]
    if not request.htmx:
        return render(request, "moderation/system.html", context | {"version": version})
    if request.GET.get("version") == version:
        return HttpResponse(status=NO_CONTENT)
    return HttpResponse(html, headers={"X-Version": version})


@require_POST
@signed_in
def retry(request: Visit, row_id: uuid.UUID) -> HttpResponse:
    """Put work that was set aside back into its queue."""
    may_administer(request.caller).require()
    enforcement.retry_failed(row_id, now=timezone.now())
    messages.success(request, _("It is back in its queue. If it fails again, it is set aside again."))
    return redirect("system")


@require_POST
@signed_in
def pause(request: Visit, fan_out_id: uuid.UUID) -> HttpResponse:
    """Let a fan-out wait."""
    may_administer(request.caller).require()
    try:
        fan_outs.pause(fan_out_id, caller=request.caller, now=timezone.now())
    except Conflict as refusal:
        messages.warning(request, refusal.message)
    else:
        messages.success(request, _("It waits. Posts that it did not reach stay as they were, and late."))
    return redirect("system")


@require_POST
@signed_in
def resume(request: Visit, fan_out_id: uuid.UUID) -> HttpResponse:
    """Let a paused fan-out go on."""
    may_administer(request.caller).require()
    try:
        fan_outs.resume(fan_out_id, caller=request.caller, now=timezone.now())
    except Conflict as refusal:
        messages.warning(request, refusal.message)
    else:
        messages.success(request, _("It goes on where it stopped."))
    return redirect("system")


def _live(request: Visit) -> dict[str, Any]:
    now = timezone.now()
    figures = health.summary(now=now)
    queues: Sequence[QueueHealth] = figures["queues"]  # type: ignore[assignment]
    may_retry = may_administer(request.caller)
    return {
        "queues": [_queue(q) for q in queues],
        "waiting": sum(q.waiting for q in queues),
        "oldest_hint": _oldest(max((q.age for q in queues), default=0.0)),
        "set_aside": (set_aside := sum(q.failed for q in queues)),
        "set_aside_hint": _("each with its reason below") if set_aside else _("nothing failed for good"),
        "changes": figures["changes"],
        "changes_hint": _oldest(figures["changes"]["age"]),  # type: ignore[index]
        "unsealed": figures["unsealed"],
        "database": figures["database"],
        "redis": figures["redis"],
        "failed": [
            {"row": row, "what": OutboxKind(row.kind).label if row.kind in OutboxKind.values else row.kind}
            for row in figures["failed"]  # type: ignore[attr-defined]
        ],
        "not_understood": figures["not_understood"],
        "fan_outs": _fan_outs(figures["fan_outs"]),  # type: ignore[arg-type]
        "may_retry": bool(may_retry),
        "retry_refusal": may_retry.reason,
    }


def _queue(q: QueueHealth) -> dict[str, Any]:
    silent = q.last_echo is None or q.last_echo > SILENT_SECONDS
    state = "down" if silent else "late" if q.age > LATE_SECONDS or q.failed else "ok"
    if q.last_echo is None:
        words = _("No worker has answered yet")
    elif silent:
        words = _("No worker has answered for %(span)s") % {"span": _age(q.last_echo)}
    else:
        words = _("A worker answers")
    if q.waiting:
        words += " · " + _("the oldest row has waited %(span)s") % {"span": _age(q.age)}
    if q.failed:
        words += " · " + ngettext("%(n)d set aside", "%(n)d set aside", q.failed) % {"n": q.failed}
    return {"name": q.queue, "state": state, "words": words, "figure": q.waiting}


def _fan_outs(running: Sequence[FanOut]) -> list[dict[str, Any]]:
    verdicts = decisions.newest_on([f.cluster_id for f in running if f.cluster_id])
    names = organisations.names(
        {f.switch.organisation for f in running if f.switch and f.switch.organisation}
    )
    found = []
    for f in running:
        newest = verdicts.get(f.cluster_id) if f.cluster_id else None
        if f.policy is not None:
            label = _("Policy version %(number)d began") % {"number": f.policy.number}
        elif f.switch is not None:
            label = _switch(f.switch, names)
        elif newest is None:
            label = _("An author's standing changed")
        elif newest.ends:
            label = _("A rating was withdrawn")
        else:
            articles = newest.presentation.get("articles", ())
            by = articles[0]["publisher"] if articles else _("fact-checkers")
            label = rated_by("disagree" if newest.contested else newest.outcome, by)
        found.append({"label": label, "row": f, "done": f.done, "total": f.total, "started_at": f.started_at})
    return found


def _switch(made: Switch, names: Mapping[uuid.UUID, str]) -> str:
    words = switch_words.title(
        made.kind,
        country=made.country,
        partner=names.get(made.organisation, "") if made.organisation else "",
        outcome=made.outcome,
    )
    return _("Returned: %(switch)s") % {"switch": words} if made.ended_at else words


def _oldest(seconds: float) -> str:
    return _("the oldest for %(span)s") % {"span": _age(seconds)} if seconds else _("nothing waits")


def _age(seconds: float) -> str:
    if seconds < 1:
        return _("under 1 s")
    if seconds < 60:
        return _("%(n)d s") % {"n": seconds}
    return span_words(timedelta(seconds=seconds))
