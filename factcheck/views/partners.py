"""Partner organisations, for administrators to keep and for auditors to read."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from factcheck.enums import MembershipRole, PartnerStatus
from factcheck.forms_partners import CertificateForm, InviteForm, PartnerForm
from factcheck.models import Partner
from factcheck.permissions import may_administer, may_see_partners
from factcheck.selectors import partners as find
from factcheck.services import partners
from factcheck.views import partner_words, people_panel
from factcheck.views.ask import ask
from moderation.errors import Invalid, NotFound
from moderation.selectors import access
from moderation.views.doors import Visit, signed_in

SHOWN = ("all", "attention", "suspended")


@signed_in
@require_GET
def partners_page(request: Visit) -> HttpResponse:
    """Every partner with its coverage, certification, people and ratings."""
    may_see_partners(request.caller).require()
    now = timezone.now()
    rows = [_row(partner, now=now) for partner in find.listed(now=now)]
    wanted = request.GET.get("show", "all")
    query = request.GET.get("q", "").strip()
    lists = {
        "all": rows,
        "attention": [row for row in rows if row["attention"]],
        "suspended": [row for row in rows if row["partner"].status == PartnerStatus.SUSPENDED],
    }
    shown = lists.get(wanted, rows)
    if query:
        shown = [row for row in shown if _fits(row, query.casefold())]
    return render(
        request,
        "factcheck/partners.html",
        {
            "rows": shown,
            "total": len(rows),
            "query": query,
            "views": _views(wanted, lists),
            "figures": _figures(rows),
            "may_administer": may_administer(request.caller),
        },
    )


@signed_in
def add(request: Visit) -> HttpResponse:
    may_administer(request.caller).require()
    form = PartnerForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            partner = partners.add(form.cleaned_data["draft"], caller=request.caller, now=timezone.now())
        except Invalid as wrong:
            form.refuse(wrong)
        else:
            messages.success(request, _("Added. Record its certificate next, then invite a lead."))
            return redirect("factcheck:partners_one", partner.slug)
    context = {"form": form, "title": _("Add a partner"), "submit": _("Add the partner")}
    return _form(request, context, back=reverse("factcheck:partners"))


@signed_in
@require_GET
def one(request: Visit, slug: str) -> HttpResponse:
    """One partner: what it covers, its certificates, its people."""
    may_see_partners(request.caller).require()
    return one_page(request, _partner(slug, now=timezone.now()))


@signed_in
def edit(request: Visit, slug: str) -> HttpResponse:
    may_administer(request.caller).require()
    partner = _partner(slug, now=timezone.now())
    form = PartnerForm(request.POST or None, partner=partner)
    if request.method == "POST" and form.is_valid():
        partners.change(partner.pk, form.cleaned_data["draft"], caller=request.caller, now=timezone.now())
        messages.success(request, _("Saved."))
        return redirect("factcheck:partners_one", slug)
    context = {"form": form, "title": _("Change what it covers"), "submit": _("Save"), "partner": partner}
    return _form(request, context, back=_url(partner))


@signed_in
def certify(request: Visit, slug: str) -> HttpResponse:
    """Record a certificate with its first and last day."""
    may_administer(request.caller).require()
    now = timezone.now()
    partner = _partner(slug, now=now)
    form = CertificateForm(request.POST or None, partner=partner)
    if request.method == "POST" and form.is_valid():
        certificate = {name: form.cleaned_data[name] for name in ("body", "valid_from", "valid_until")}
        partners.certify(partner.pk, **certificate, caller=request.caller, now=now)
        messages.success(request, _("Recorded."))
        return redirect("factcheck:partners_one", slug)
    context = {"form": form, "title": _("Record a certificate"), "submit": _("Record"), "partner": partner}
    return _form(request, context, back=_url(partner))


@signed_in
def suspend(request: Visit, slug: str) -> HttpResponse:
    may_administer(request.caller).require()
    now = timezone.now()
    partner = _partner(slug, now=now)
    if request.method == "POST":
        freed = partners.suspend(partner.pk, caller=request.caller, now=now)
        words = ngettext(
            "Suspended. %(n)d item went back to the queue.",
            "Suspended. %(n)d items went back to the queue.",
            freed,
        )
        messages.success(request, words % {"n": freed} if freed else _("Suspended."))
        return redirect("factcheck:partners_one", slug)
    ends = access.of_organisation(partner.pk, now=now)
    lines = partner_words.suspending(partner.people, ends, partner.ratings_given)
    title = _("Suspend %(partner)s?") % {"partner": partner.name}
    return ask(
        request, title=title, lines=lines, action=_("Suspend the partner"), back=_url(partner), danger=True
    )


@signed_in
def resume(request: Visit, slug: str) -> HttpResponse:
    may_administer(request.caller).require()
    now = timezone.now()
    partner = _partner(slug, now=now)
    if request.method == "POST":
        partners.resume(partner.pk, caller=request.caller, now=now)
        messages.success(request, _("Resumed."))
        return redirect("factcheck:partners_one", slug)
    state = partner_words.certificate(partner, partner.certified_until, now=now)
    lines = partner_words.resuming(partner, partner.people, state)
    title = _("Resume %(partner)s?") % {"partner": partner.name}
    return ask(request, title=title, lines=lines, action=_("Resume the partner"), back=_url(partner))


@signed_in
def invite(request: Visit, slug: str) -> HttpResponse:
    """Invite somebody to any partner; a new one starts with its first lead."""
    may_administer(request.caller).require()
    partner = _partner(slug, now=timezone.now())
    if request.method != "POST":
        return redirect("factcheck:partners_one", slug)
    form = InviteForm(request.POST)
    if people_panel.invite(request, partner, form):
        return redirect("factcheck:partners_one", slug)
    return one_page(request, partner, form=form, status=422)


# ── inside ─────────────────────────────────────────────────────────────────────────────────────────


def one_page(
    request: Visit, partner: Any, *, form: InviteForm | None = None, status: int = 200
) -> HttpResponse:
    now = timezone.now()
    has_lead = find.people_of(partner).filter(role=MembershipRole.LEAD).exists()
    blank = InviteForm(initial={"role": MembershipRole.REVIEWER if has_lead else MembershipRole.LEAD})
    administers = may_administer(request.caller)
    context = {
        **_row(partner, now=now),
        "coverage": partner_words.coverage(partner),
        "certificates": [
            partner_words.certificate_row(row, partner, now=now)
            for row in partner.certifications.select_related("recorded_by").order_by("-valid_until", "-id")
        ],
        "held": access.of_organisation(partner.pk, now=now).leases,
        "may_administer": administers,
        "invite_url": reverse("factcheck:partners_invite", args=[partner.slug]),
        "invite_form": (form or blank) if administers else None,
        "actions": _actions(partner) if administers else [],
        **people_panel.context(partner, request.caller, may_change=bool(administers), now=now),
    }
    return render(request, "factcheck/partners_one.html", context, status=status)


def _row(partner: Any, *, now: datetime) -> dict[str, Any]:
    state = partner_words.certificate(partner, partner.certified_until, now=now)
    return {
        "partner": partner,
        "certificate": state,
        "status": partner_words.status_chip(partner),
        "attention": state["code"] != "holds" and partner.status == PartnerStatus.ACTIVE,
    }


def _views(wanted: str, lists: dict[str, list[Any]]) -> list[dict[str, Any]]:
    labels = {"all": _("All"), "attention": _("Needs a certificate"), "suspended": _("Suspended")}
    here = reverse("factcheck:partners")
    return [
        {
            "label": labels[name],
            "url": here if name == "all" else f"{here}?show={name}",
            "active": wanted == name or (name == "all" and wanted not in lists),
            "count": len(rows),
        }
        for name, rows in lists.items()
    ]


def _figures(rows: list[dict[str, Any]]) -> dict[str, int]:
    return {
        "certified": sum(row["certificate"]["code"] in ("holds", "soon") for row in rows),
        "soon": sum(row["certificate"]["code"] == "soon" for row in rows),
        "people": sum(row["partner"].people for row in rows),
        "ratings": sum(row["partner"].ratings_given for row in rows),
    }


def _fits(row: dict[str, Any], query: str) -> bool:
    partner = row["partner"]
    words = [partner.name, partner.slug, *partner.languages, *partner.countries, *partner.domains]
    return any(query in word.casefold() for word in words)


def _actions(partner: Partner) -> list[dict[str, Any]]:
    def action(label: str, name: str, icon: str, **more: Any) -> dict[str, Any]:
        return {
            "label": label,
            "url": reverse(f"factcheck:{name}", args=[partner.slug]),
            "icon": icon,
            **more,
        }

    paused = partner.status == PartnerStatus.SUSPENDED
    return [
        action(_("Record a certificate"), "partners_certify", "certificate"),
        action(_("Change"), "partners_edit", "edit"),
        action(_("Resume"), "partners_resume", "player-play", asks=True)
        if paused
        else action(_("Suspend"), "partners_suspend", "player-pause", asks=True),
    ]


def _form(request: Visit, context: dict[str, Any], *, back: str) -> HttpResponse:
    status = 422 if context["form"].errors else 200
    return render(request, "factcheck/partners_form.html", {**context, "back": back}, status=status)


def _partner(slug: str, *, now: datetime) -> Any:
    found = find.listed(now=now).filter(slug=slug).first()
    if found is None:
        raise NotFound("There is no such partner.")
    return found


def _url(partner: Partner) -> str:
    return reverse("factcheck:partners_one", args=[partner.slug])
