"""Programme switches on one page: what is on, what waits, a form for the next. Administrators turn, auditors read."""

import hashlib
import uuid
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from moderation.errors import Conflict, Invalid
from moderation.forms_switches import SwitchForm
from moderation.permissions import may_administer, may_read_everything
from moderation.selectors import organisations, policies, switches
from moderation.services import switches as service
from moderation.views import switch_page
from moderation.views.doors import Visit, signed_in

NO_CONTENT = 204


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def page(request: Visit) -> HttpResponse:
    """All switches; a POST proposes one."""
    may_read_everything(request.caller).require()
    now = timezone.now()
    if request.method != "POST":
        form = _form() if may_administer(request.caller) else None
        return render(request, "moderation/switches.html", switch_page.context(request, form, now=now))
    may_administer(request.caller).require()
    form = _form(request.POST)
    if form.is_valid():
        try:
            service.propose(**form.scope(), caller=request.caller, now=now)
        except Invalid as wrong:
            form.refuse(wrong)
        except Conflict as conflict:
            form.add_error(None, conflict.message)
        else:
            messages.success(request, _("Proposed. Nothing changes until another administrator confirms it."))
            return redirect("switches")
    return render(
        request, "moderation/switches.html", switch_page.context(request, form, now=now), status=422
    )


@require_GET
@signed_in
def waiting(request: Visit, switch_id: uuid.UUID) -> HttpResponse:
    """The dry run of one switch alone, for polling: 204 while nothing changed."""
    may_read_everything(request.caller).require()
    made = switches.listed().filter(pk=switch_id).first()
    if made is None:
        raise Http404
    # (the markup differs each time: a form's token is masked anew)
    version = hashlib.sha256(repr((made.version, made.status, made.dry_run)).encode()).hexdigest()[:16]
    if request.GET.get("version") == version:
        return HttpResponse(status=NO_CONTENT)
    names = organisations.names([made.organisation] if made.organisation else [])
    part = render(request, "moderation/switch_dry_run.html", {"row": switch_page.row(made, names, request)})
    part["X-Version"] = version
    return part


@require_POST
@signed_in
def step(request: Visit, switch_id: uuid.UUID, move: str) -> HttpResponse:
    """Dry run, confirm, refuse, withdraw, return."""
    may_administer(request.caller).require()
    who: dict[str, Any] = {"version": _version(request), "caller": request.caller, "now": timezone.now()}
    try:
        if move == "refuse":
            service.refuse(switch_id, reason=request.POST.get("reason", ""), **who)
        else:
            {
                "dry-run": service.dry_run,
                "confirm": service.confirm,
                "withdraw": service.withdraw,
                "return": service.give_back,
            }[move](switch_id, **who)
    except Invalid as wrong:
        messages.error(request, wrong.message)
        return redirect("switches")
    said = {
        "confirm": _("It is on. What it touches is computed again now."),
        "refuse": _("Refused."),
        "withdraw": _("Withdrawn."),
        "return": _("Returned. What it touched is computed again now."),
    }
    if move in said:
        messages.success(request, said[move])
    return redirect("switches")


def _form(values: Any = None) -> SwitchForm:
    return SwitchForm(
        values,
        partners=organisations.everybody(),
        verdicts=policies.at(timezone.now()).data["verdicts"],
    )


def _version(request: Visit) -> int:
    said = request.POST.get("version", "")
    return int(said) if said.isdecimal() and len(said) < 10 else 0
