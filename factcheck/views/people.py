"""The lead's own people, what is done with one of them, and invitations: accepted by a person, never by a link."""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from factcheck.enums import MembershipRole
from factcheck.forms_partners import AcceptForm, InviteForm
from factcheck.models import Invitation, Membership, Partner
from factcheck.permissions import may_administer, may_lead
from factcheck.selectors import partners as find
from factcheck.services import people
from factcheck.views import partner_words, people_panel
from factcheck.views.ask import ask
from moderation.caller import Caller
from moderation.errors import Conflict, Invalid, NotFound, Refused
from moderation.selectors import access
from moderation.services import people as accounts
from moderation.views.doors import Visit, signed_in


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def people_page(request: Visit) -> HttpResponse:
    """The own organisation's people and open invitations, for its leads."""
    partner = _own(request.caller)
    form = InviteForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and people_panel.invite(request, partner, form):
        return redirect("factcheck:people")
    now = timezone.now()
    context = {
        "partner": partner,
        "certificate": partner_words.certificate(partner, find.certified_until(partner, now=now), now=now),
        "invite_url": reverse("factcheck:people"),
        "invite_form": form,
        **people_panel.context(partner, request.caller, may_change=True, now=now),
    }
    return render(request, "factcheck/people.html", context, status=422 if form.errors else 200)


@dataclass(frozen=True)
class Act:
    """What may be done with somebody: how it is asked, called and told."""

    title: str | Promise
    action: str | Promise
    said: str | Promise
    do: Callable[..., Membership]
    danger: bool = False


ACTS = {
    "promote": Act(
        gettext_lazy("Make %(name)s a lead?"), gettext_lazy("Make lead"), gettext_lazy("%(name)s is a lead now."),
        lambda pk, **who: people.change_role(pk, role=MembershipRole.LEAD, **who),
    ),
    "demote": Act(
        gettext_lazy("Make %(name)s a reviewer?"), gettext_lazy("Make reviewer"),
        gettext_lazy("%(name)s is a reviewer now."),
        lambda pk, **who: people.change_role(pk, role=MembershipRole.REVIEWER, **who),
    ),
    "suspend": Act(
        gettext_lazy("Suspend %(name)s?"), gettext_lazy("Suspend"), gettext_lazy("%(name)s is suspended."),
        people.suspend, danger=True,
    ),
    "resume": Act(
        gettext_lazy("Resume %(name)s?"), gettext_lazy("Resume"), gettext_lazy("%(name)s may work again."),
        people.resume,
    ),
    "remove": Act(
        gettext_lazy("Remove %(name)s?"), gettext_lazy("Remove"), gettext_lazy("%(name)s is removed."),
        people.remove, danger=True,
    ),
}  # fmt: skip


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def act(request: Visit, membership_id: uuid.UUID, verb: str) -> HttpResponse:
    """Do something with one person, after asking once. Another partner's people do not exist here."""
    membership = find.person_of(membership_id, request.caller)
    wanted = ACTS.get(verb)
    if membership is None or wanted is None:
        raise NotFound("There is no such person.")
    now = timezone.now()
    name = {"name": membership.person.display_name}
    if request.method == "POST":
        wanted.do(membership.pk, caller=request.caller, now=now)
        messages.success(request, str(wanted.said) % name)
        return redirect(_home(request.caller, membership.partner))
    return ask(
        request,
        title=str(wanted.title) % name,
        lines=_lines(verb, membership, request.caller, now=now),
        action=str(wanted.action),
        back=_home(request.caller, membership.partner),
        danger=wanted.danger,
    )


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def revoke(request: Visit, invitation_id: uuid.UUID) -> HttpResponse:
    """Take an open invitation back, after asking once."""
    invitation = find.invitation_of(invitation_id, request.caller)
    if invitation is None:
        raise NotFound("There is no such invitation.")
    home = _home(request.caller, invitation.partner)
    if request.method == "POST":
        people.revoke(invitation.pk, caller=request.caller, now=timezone.now())
        messages.success(request, _("The invitation to %(email)s is revoked.") % {"email": invitation.email})
        return redirect(home)
    return ask(
        request,
        title=_("Revoke the invitation to %(email)s?") % {"email": invitation.email},
        lines=[_("Its link stops working at once. You can invite the address again.")],
        action=_("Revoke the invitation"),
        back=home,
        danger=True,
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """The page behind an invitation's link. Opening it changes nothing; only its button joins (APP-06)."""
    now = timezone.now()
    try:
        found = people.find_invitation(token, now=now)
    except NotFound as over:
        return render(request, "factcheck/invitation_over.html", {"reason": over.message}, status=404)
    caller: Caller | None = request.caller  # type: ignore[attr-defined]
    form = AcceptForm(request.POST if request.method == "POST" and caller is None else None)
    if request.method != "POST" or (caller is None and not form.is_valid()):
        return _invitation_page(request, found, form, status=422 if form.errors else 200)
    try:
        membership = people.accept(
            token, caller=caller, now=now, **(form.cleaned_data if caller is None else {})
        )
    except Invalid as wrong:
        form.add_error(wrong.field if wrong.field in form.fields else None, wrong.message)
        return _invitation_page(request, found, form, status=422)
    except Conflict as refusal:
        return _invitation_page(request, found, form, refusal=refusal.message, status=409)
    if caller is None:
        login(request, membership.person, backend=settings.AUTHENTICATION_BACKENDS[0])
    messages.success(request, _("Welcome to %(partner)s.") % {"partner": found.partner.name})
    return redirect("home")


# ── inside ─────────────────────────────────────────────────────────────────────────────────────────


def _own(caller: Caller) -> Partner:
    """The partner that the caller leads. Raises Refused."""
    partner = find.of(caller)
    if partner is None:
        raise Refused(_("Only a lead of a partner sees its people here."))
    may_lead(caller, partner).require()
    return partner


def _home(caller: Caller, partner: Partner) -> str:
    """Where the list of people is for whoever acts: the partner's page, or the lead's own."""
    if may_administer(caller):
        return reverse("factcheck:partners_one", args=[partner.slug])
    return reverse("factcheck:people")


def _lines(verb: str, membership: Membership, caller: Caller, *, now: datetime) -> Iterator[str]:
    if verb in ("promote", "demote"):
        yield from partner_words.changing(
            MembershipRole.LEAD if verb == "promote" else MembershipRole.REVIEWER
        )
    elif verb == "resume":
        yield _("They may sign in and work again at once.")
    else:
        ends = access.of_organisation(membership.partner_id, person_id=membership.person_id, now=now)
        yield from partner_words.ending(
            membership, ends, removing=verb == "remove", self_act=membership.person_id == caller.person_id
        )


def _invitation_page(
    request: HttpRequest, found: Invitation, form: AcceptForm, *, refusal: str = "", status: int = 200
) -> HttpResponse:
    caller: Caller | None = request.caller  # type: ignore[attr-defined]
    account = accounts.by_email(found.email)
    context: dict[str, Any] = {
        "invitation": found,
        "form": form,
        "refusal": refusal,
        "has_account": account is not None,
        "is_theirs": caller is not None and account is not None and account.pk == caller.person_id,
        "signed_in": caller is not None,
        "here": request.path,
        "sign_in_url": reverse("account_login") + f"?next={request.path}",
    }
    return render(request, "factcheck/invitation.html", context, status=status)
