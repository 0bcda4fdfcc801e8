"""Policies: the versions with what each changed, and the drafts of the next one. Administrators write, auditors read."""

import uuid
from typing import Any

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from moderation import policy, policy_words
from moderation.errors import Invalid
from moderation.forms import country_choices
from moderation.forms_policy import PolicyForm
from moderation.models import PolicyDraft
from moderation.permissions import (
    may_administer,
    may_change_policy_draft,
    may_read_everything,
)
from moderation.presentation import VERDICT_LOOKS
from moderation.selectors import policies
from moderation.services import policies as service
from moderation.views import policy_page
from moderation.views.doors import Visit, signed_in
from moderation.views.pages import cursor_page

PER_PAGE = 20


class CountryForm(forms.Form):
    """Where a verdict shall be treated otherwise."""

    country = forms.ChoiceField(label=gettext_lazy("Country"), choices=country_choices)
    verdict = forms.ChoiceField(label=gettext_lazy("Verdict"))

    def __init__(self, values: Any = None, *, draft: PolicyDraft) -> None:
        super().__init__(values)
        self.fields["verdict"].choices = [  # type: ignore[attr-defined]
            (code, VERDICT_LOOKS[code].word if code in VERDICT_LOOKS else code)
            for code in policy_words.verdicts(draft.data["verdicts"])
        ]


@require_GET
@signed_in
def versions(request: Visit) -> HttpResponse:
    """Every version and when it holds; the drafts."""
    may_read_everything(request.caller).require()
    now = timezone.now()
    page = cursor_page(request, policies.drafts(), PER_PAGE)
    return render(
        request,
        "moderation/policies.html",
        {
            "versions": policy_page.versions(policies.history(), now=now),
            "drafts": [policy_page.draft_row(made, request.caller) for made in page.rows],
            "next_url": page.next_url,
            "may_draft": may_administer(request.caller),
            "latest": policies.latest().number,
        },
    )


@require_GET
@signed_in
def version(request: Visit, number: int) -> HttpResponse:
    """One version: what it says, and what differs from the one before."""
    may_read_everything(request.caller).require()
    rows = policy_page.versions(policies.history(), now=timezone.now())
    shown = next((row for row in rows if row["version"].number == number), None)
    if shown is None:
        raise Http404
    latest = rows[0]["version"].number
    return render(
        request,
        "moderation/policy_version.html",
        {
            **shown,
            "matrix": policy_page.matrix(shown["version"].data),
            "rest": policy_page.rest(shown["version"].data),
            "latest": latest,
            "may_return": may_administer(request.caller) and number != latest,
        },
    )


@require_POST
@signed_in
def draft(request: Visit) -> HttpResponse:
    """Begin a draft on the latest version, with the numbers of the version asked for."""
    latest = policies.latest()
    wanted = request.POST.get("number", "")
    like = next((h.version for h in policies.history() if str(h.version.number) == wanted), latest)
    reason = "" if like == latest else _("Back to version %(number)d.") % {"number": like.number}
    made = service.draft(
        base=latest.number, data=like.data, reason=reason, caller=request.caller, now=timezone.now()
    )
    return redirect("policies-draft", made.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def one(request: Visit, draft_id: uuid.UUID) -> HttpResponse:
    """A draft: its numbers to its author, to everybody else what it changes and would do."""
    (may_administer if request.method == "POST" else may_read_everything)(request.caller).require()
    made = _draft(draft_id)
    if request.GET.get("part") == "dry-run":
        return policy_page.dry_run_part(request, made)
    form = _form(request, made)
    if request.method == "POST" and form is not None and form.is_valid():
        wanted = form.policy()
        faults = policy.faults(wanted, after=made.base.data)
        form.refuse(faults)
        if not faults:
            service.change(
                draft_id,
                version=_version(request),
                data=wanted,
                reason=form.cleaned_data["reason"],
                valid_from=form.cleaned_data["valid_from"],
                caller=request.caller,
                now=timezone.now(),
            )
            messages.success(request, _("Saved. The dry run shows what it would do."))
            return redirect("policies-draft", draft_id)
    refused = form is not None and form.is_bound
    context = policy_page.draft(request, made, form) | {"country_form": CountryForm(draft=made)}
    return render(request, "moderation/policy_draft.html", context, status=422 if refused else 200)


@require_POST
@signed_in
def country(request: Visit, draft_id: uuid.UUID) -> HttpResponse:
    """Give a country its own rule for a verdict: at first the same as the world's."""
    may_administer(request.caller).require()
    made = _draft(draft_id)
    form = CountryForm(request.POST, draft=made)
    if form.is_valid():
        code, verdict = form.cleaned_data["country"], form.cleaned_data["verdict"]
        world = made.data["verdicts"][verdict]
        rules = made.data["countries"].get(code, {})
        effect = {k: v for k, v in world.items() if k not in ("strike", "article", "flag")}
        service.change(
            draft_id,
            version=_version(request),
            data={**made.data, "countries": {**made.data["countries"], code: {verdict: effect, **rules}}},
            reason=made.reason,
            valid_from=made.valid_from,
            caller=request.caller,
            now=timezone.now(),
        )
        messages.success(request, _("Added. Change what shall differ there, then save."))
        return redirect("policies-draft", draft_id)
    raise Http404


@require_POST
@signed_in
def step(request: Visit, draft_id: uuid.UUID, move: str) -> HttpResponse:
    """Dry run, propose, approve, refuse, withdraw."""
    may_administer(request.caller).require()
    who: dict[str, Any] = {"version": _version(request), "caller": request.caller, "now": timezone.now()}
    try:
        if move == "approve":
            version = service.approve(draft_id, **who)
            messages.success(request, _("Approved: it is version %(number)d.") % {"number": version.number})
            return redirect("policies-version", version.number)
        if move == "refuse":
            service.refuse(draft_id, reason=request.POST.get("reason", ""), **who)
        else:
            {"dry-run": service.dry_run, "propose": service.propose, "withdraw": service.withdraw}[move](
                draft_id, **who
            )
    except Invalid as wrong:
        messages.error(request, wrong.message)
    return redirect("policies-draft", draft_id)


def _draft(draft_id: uuid.UUID) -> PolicyDraft:
    found = policies.drafts().filter(pk=draft_id).first()
    if found is None:
        raise Http404
    return found


def _form(request: Visit, made: PolicyDraft) -> PolicyForm | None:
    """The form for who may change the draft now; a POST by anybody else is refused with its sentence."""
    allowed = may_change_policy_draft(request.caller, made)
    if request.method == "POST":
        allowed.require()
    if not allowed or not policy_page.changes_now(made):
        return None
    values = request.POST if request.method == "POST" else None
    return PolicyForm(
        values, data=made.data, base=made.base.data, reason=made.reason, valid_from=made.valid_from
    )


def _version(request: Visit) -> int:
    said = request.POST.get("version", "")
    return int(said) if said.isdecimal() and len(said) < 10 else 0
