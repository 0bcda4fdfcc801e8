"""The policy desk: its lists, one case with everything about it, the acts, and the second key.

Every act is asked for once more, with what it will do in numbers, before it happens.
"""

import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET
from django_htmx.http import reswap, retarget

from moderation.enums import Ground
from moderation.errors import Conflict, Invalid, NotFound
from moderation.forms_desk import Act, DecisionForm, JudgeForm, SeenForm
from moderation.models import Proposal
from moderation.permissions import may_judge_proposal, may_see_desk, may_work_desk
from moderation.selectors import casefile, policies
from moderation.selectors.casefile import CaseFile
from moderation.services import escalations
from moderation.services.escalations import CaseRef
from moderation.views import desk_page, desk_words
from moderation.views.doors import Visit, signed_in

CONFIRMED, BACK = "confirmed", "back"  # what the second step's buttons send as `step`


@signed_in
@require_GET
def cases(request: Visit, chosen: str = "open") -> HttpResponse:
    """Open cases with the most urgent first, those that wait for a second key, or the decided ones."""
    may_see_desk(request.caller).require()
    now = timezone.now()
    context = desk_page.lists(request, chosen, now=now) | desk_page.overview(now=now)
    return render(request, "moderation/desk.html", context)


@signed_in
@require_GET
def case(request: Visit, case_id: uuid.UUID) -> HttpResponse:
    """One case. That somebody read it is noted in the audit log."""
    may_see_desk(request.caller).require()
    now = timezone.now()
    file = _file(request, case_id, now=now)
    escalations.look(file.case, caller=request.caller, now=now)
    return _page(request, file, now=now)


@signed_in
def decide(request: Visit, case_id: uuid.UUID) -> HttpResponse:
    """An act on a case: first what it would do, then, confirmed, the act. Reading the address shows the case."""
    if request.method != "POST":
        return redirect("desk_case", case_id)
    may_work_desk(request.caller).require()
    now = timezone.now()
    file = _file(request, case_id, now=now)
    form = DecisionForm(request.POST, acts=Act)
    if request.POST.get("step") == BACK:
        return _page(request, file, now=now, form=form)
    valid = form.is_valid()
    if (stale := _stale(form, file)) is not None:
        return _overtaken(request, file, stale, form, now=now)
    if not valid:
        return _again(request, file, now=now, form=form)
    if request.POST.get("step") != CONFIRMED:
        rules = policies.at(now).data["desk"]
        lines = desk_words.outlook(file, form.chosen, form.cleaned_data, rules, now=now)
        return _ask(request, file, form, title=_question(form), lines=lines, action=str(form.chosen.label))
    try:
        said = _do(form, file, request, now=now)
    except Conflict as refusal:
        return _overtaken(request, _file(request, case_id, now=now), refusal, form, now=now)
    except Invalid as wrong:
        form.add_error(wrong.field if wrong.field in form.fields else None, wrong.message)
        return _again(request, file, now=now, form=form)
    messages.success(request, said)
    return redirect(_url(request, file))


@signed_in
def judge(request: Visit, case_id: uuid.UUID, proposal_id: uuid.UUID) -> HttpResponse:
    """The second key, turned or refused: first what it would do, then, confirmed, the act."""
    if request.method != "POST":
        return redirect("desk_case", case_id)
    now = timezone.now()
    may_work_desk(request.caller).require()
    file = _file(request, case_id, now=now)
    proposal = next((p for p in file.proposals if p.pk == proposal_id), None)
    if proposal is None:
        raise NotFound("There is no such proposal.")
    may_judge_proposal(request.caller, proposal).require()
    form = JudgeForm(request.POST)
    if request.POST.get("step") == BACK:
        return _page(request, file, now=now, judge=form)
    valid = form.is_valid()
    if (stale := _stale(form, file)) is not None:
        return _overtaken(request, file, stale, form, now=now)
    if not valid:
        return _again(request, file, now=now, judge=form)
    refuses = form.cleaned_data["verdict"] == "refuse"
    if request.POST.get("step") != CONFIRMED:
        lines = desk_words.refusing(file) if refuses else desk_words.confirming(file, proposal)
        title = _("Refuse the proposal?") if refuses else _("Turn the second key?")
        action = _("Refuse the proposal") if refuses else desk_words.confirm_label(proposal)
        return _ask(request, file, form, title=title, lines=lines, action=action, proposal=proposal)
    try:
        if refuses:
            reason = form.cleaned_data["reason"]
            escalations.refuse(proposal.pk, reason=reason, caller=request.caller, now=now)
        else:
            escalations.confirm(proposal.pk, shown=form.cleaned_data["shown"], caller=request.caller, now=now)
    except Conflict as refusal:
        return _overtaken(request, _file(request, case_id, now=now), refusal, form, now=now)
    said = (
        _("Refused. The case is open again.") if refuses else _("Confirmed. It takes effect within seconds.")
    )
    messages.success(request, said)
    return redirect(_url(request, file))


# ── one act ────────────────────────────────────────────────────────────────────────────────────────


def _do(form: DecisionForm, file: CaseFile, request: Visit, *, now: datetime) -> str:
    """Do the chosen act; returns what to tell. Raises what the services raise."""
    asked = form.cleaned_data
    ref = CaseRef(file.case.pk, asked["version"], shown=asked["shown"])
    words = {"explanation": asked["explanation"]}
    placed = words | {"policy_section": asked["policy_section"]}
    who: dict[str, Any] = {"caller": request.caller, "now": now}
    match act := form.chosen:
        case Act.HIDE:
            escalations.hide(ref, **words, **who)
            return _("Hidden within seconds. Without a second key it comes back by itself.")
        case Act.REMOVE | Act.RESTRICT_LONGER:
            ground = Ground(asked["ground"])
            escalations.propose(
                ref, action=act.action, ground=ground, regions=asked["regions"], **placed, **who
            )
            return _("Proposed. Another specialist must confirm it.")
        case Act.RESTRICT:
            escalations.restrict(ref, regions=asked["regions"], **placed, **who)
            return _("Restricted within seconds.")
        case Act.KEEP:
            escalations.keep(ref, **words, **who)
            return _("Kept. The case is closed.")
        case Act.RESTORE:
            escalations.restore(ref, **words, **who)
            return _("Restored. The post is back within seconds.")


def _question(form: DecisionForm) -> str:
    where = desk_words.in_places(form.cleaned_data["regions"])
    questions: dict[Act, Callable[[], str]] = {
        Act.HIDE: lambda: _("Hide the post everywhere now?"),
        Act.REMOVE: lambda: _("Propose to remove it %(where)s?") % {"where": where},
        Act.RESTRICT: lambda: _("Restrict it %(where)s for 7 days?") % {"where": where},
        Act.RESTRICT_LONGER: lambda: _("Propose to restrict it %(where)s?") % {"where": where},
        Act.KEEP: lambda: _("Keep the post as it is?"),
        Act.RESTORE: lambda: _("Restore the post?"),
    }
    return questions[form.chosen]()


# ── answers ────────────────────────────────────────────────────────────────────────────────────────


def _file(request: Visit, case_id: uuid.UUID, *, now: datetime) -> CaseFile:
    file = casefile.read(case_id, caller=request.caller, now=now)
    if file is None:
        raise NotFound("There is no such case.")
    return file


def _url(request: Visit, file: CaseFile) -> str:
    query = request.META.get("QUERY_STRING", "")
    return reverse("desk_case", args=[file.case.pk]) + (f"?{query}" if query else "")


def _page(
    request: Visit,
    file: CaseFile,
    *,
    now: datetime,
    form: DecisionForm | None = None,
    judge: JudgeForm | None = None,
    stale: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    chosen = desk_page.list_of(file, request)
    context = (
        desk_page.lists(request, chosen, selected=file.case.pk, now=now)
        | desk_page.case(file, now=now)
        | desk_page.decision(file, request.caller, form=form, judge=judge)
        | {"stale": stale, "step": "decision" if form or judge or stale else "case"}
    )
    return render(request, "moderation/desk.html", context, status=status)


def _again(request: Visit, file: CaseFile, *, now: datetime, **forms: Any) -> HttpResponse:
    """The form with its errors: on its place in the page, or as the whole page."""
    if not request.htmx:
        return _page(request, file, now=now, status=422, **forms)
    context = desk_page.case(file, now=now) | desk_page.decision(file, request.caller, **forms)
    context["query"] = "?" + request.META.get("QUERY_STRING", "")
    answer = render(request, "moderation/desk_decision.html", context, status=422)
    return reswap(retarget(answer, "#desk-decision"), "outerHTML")


def _ask(
    request: Visit,
    file: CaseFile,
    form: SeenForm,
    *,
    title: str,
    lines: list[str],
    action: str,
    proposal: Proposal | None = None,
) -> HttpResponse:
    """Ask once: a dialog in the page, or a page of its own."""
    context = {
        "title": title,
        "lines": lines,
        "form": form,
        "action": action,
        "danger": _is_dangerous(form),
        "case": file.case,
        "here": request.get_full_path(),
        "back_url": _url(request, file),
        "proposal": proposal,
    }
    name = "moderation/desk_ask.html" + ("#dialog" if request.htmx else "")
    return render(request, name, context)


def _is_dangerous(form: SeenForm) -> bool:
    """Whether the act takes something away from readers, so that its button says so."""
    chosen = form.cleaned_data.get("act") or form.cleaned_data.get("verdict")
    return chosen in (Act.HIDE, Act.REMOVE, Act.RESTRICT, Act.RESTRICT_LONGER, "confirm")


def _stale(form: SeenForm, file: CaseFile) -> Conflict | None:
    """Whether the page was read before the case or its post changed; the service judges again under its lock."""
    version, shown = form.cleaned_data.get("version"), form.cleaned_data.get("shown")
    if version is not None and version != file.case.version:
        return Conflict(_("The case changed since you read it."))
    if shown is not None and shown != file.case.post.current_version_id:
        return Conflict(_("The author edited the post since you read it."))
    return None


def _overtaken(
    request: Visit, file: CaseFile, refusal: Conflict, form: SeenForm, *, now: datetime
) -> HttpResponse:
    """409: what changed, the case as it is now, and everything that was typed."""
    stale = desk_page.what_changed(file, refusal, form, now=now)
    if request.htmx:
        # Nothing was done yet: the dialog says what changed, and its button shows the case with the words kept.
        context = {"stale": stale, "form": form, "here": request.get_full_path()}
        return render(request, "moderation/desk_ask.html#overtaken", context, status=422)
    forms: dict[str, Any] = {"form": form} if isinstance(form, DecisionForm) else {"judge": form}
    return _page(request, file, now=now, stale=stale, status=409, **forms)
