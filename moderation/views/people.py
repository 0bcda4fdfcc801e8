"""People with an account: who they are here, which platform roles they hold, and turning an account off."""

import uuid

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from moderation.enums import Role
from moderation.errors import Conflict
from moderation.models import User
from moderation.permissions import may_administer, may_read_everything, may_turn_off
from moderation.selectors import people as found
from moderation.services import callers, people
from moderation.views.cards import initials
from moderation.views.doors import Visit, signed_in
from moderation.views.pages import asked, cursor_page

PER_PAGE = 30
PLATFORM_ROLES = (Role.POLICY_SPECIALIST, Role.ADMINISTRATOR, Role.AUDITOR)


def _means(role: Role) -> str:
    return {
        Role.POLICY_SPECIALIST: _("Decides escalations; a removal takes two of them."),
        Role.ADMINISTRATOR: _("Partners, people, keys and the system."),
        Role.AUDITOR: _("Reads everything, changes nothing."),
    }[role]


@require_GET
@signed_in
def directory(request: Visit) -> HttpResponse:
    """Everybody with an account, newest first; `?q=` searches names and addresses."""
    may_read_everything(request.caller).require()
    query = asked(request.GET, "q", 120)
    page = cursor_page(request, found.search(query), PER_PAGE)
    rows = [
        {
            "person": p,
            "initials": initials(str(p)),
            "roles": [Role(g.role).label for g in p.held_roles],  # type: ignore[attr-defined]
        }
        for p in page.rows
    ]
    return render(
        request, "moderation/people.html", {"rows": rows, "next_url": page.next_url, "query": query}
    )


@require_GET
@signed_in
def one(request: Visit, person_id: uuid.UUID) -> HttpResponse:
    """One person: roles, keys, and what turning the account off would end."""
    may_read_everything(request.caller).require()
    person = found.one(person_id)
    if person is None:
        raise Http404
    now = timezone.now()
    held = {g.role: g for g in person.held_roles}  # type: ignore[attr-defined]
    elsewhere = [c for c in callers.capacities(person, now=now) if c.organisation]
    turn_off = may_turn_off(request.caller, person)
    return render(
        request,
        "moderation/person.html",
        {
            "person": person,
            "initials": initials(str(person)),
            "roles": [
                {
                    "value": r.value,
                    "label": r.label,
                    "means": _means(r),
                    "grant": held.get(r.value),
                    "fields": [{"name": "role", "value": r.value}],
                }
                for r in PLATFORM_ROLES
            ],
            "elsewhere": [
                {"role": c.role.label, "organisation": c.organisation.name}
                for c in elsewhere
                if c.organisation
            ],
            "may_administer": may_administer(request.caller),
            "may_turn_off": bool(turn_off),
            "turn_off_refusal": turn_off.reason,
            "turn_off_consequences": _what_ends(person, set(held), len(elsewhere)),
            "end_role_consequences": [
                _("Every session of this person ends at once; they sign in again without the role."),
                _("Review items that they hold go back to the queue."),
                _("What they decided stays in force and in the audit log."),
            ],
        },
    )


@require_POST
@signed_in
def grant(request: Visit, person_id: uuid.UUID) -> HttpResponse:
    """Give a platform role."""
    may_administer(request.caller).require()
    role = _role(request)
    people.grant_role(_person(person_id), role, caller=request.caller, now=timezone.now())
    messages.success(request, _("The role %(role)s is given.") % {"role": role.label})
    return redirect("people-one", person_id)


@require_POST
@signed_in
def end_role(request: Visit, person_id: uuid.UUID) -> HttpResponse:
    """Take a platform role away; the last administrator stays."""
    role = _role(request)
    try:
        people.end_role(person_id, role, caller=request.caller, now=timezone.now())
    except Conflict as conflict:
        messages.error(request, conflict.message)
    else:
        messages.success(request, _("The role %(role)s is ended.") % {"role": role.label})
    # Whoever ended their own role may not see this page any more.
    return redirect("home") if request.caller.person_id == person_id else redirect("people-one", person_id)


@require_POST
@signed_in
def turn_off(request: Visit, person_id: uuid.UUID) -> HttpResponse:
    """Turn an account off: sessions, keys and leases end at once."""
    try:
        people.deactivate(person_id, caller=request.caller, now=timezone.now())
    except Conflict as conflict:
        messages.error(request, conflict.message)
    else:
        messages.success(request, _("The account is turned off."))
    return redirect("people-one", person_id)


@require_POST
@signed_in
def turn_on(request: Visit, person_id: uuid.UUID) -> HttpResponse:
    """Turn an account on again."""
    people.reactivate(person_id, caller=request.caller, now=timezone.now())
    messages.success(request, _("The account is on again. The person can sign in."))
    return redirect("people-one", person_id)


def _person(person_id: uuid.UUID) -> User:
    person = found.one(person_id)
    if person is None:
        raise Http404
    return person


def _role(request: Visit) -> Role:
    wanted = request.POST.get("role", "")
    if wanted not in {r.value for r in PLATFORM_ROLES}:
        raise Http404
    return Role(wanted)


def _what_ends(person: User, roles: set[str], memberships: int) -> list[str]:
    """What turning the account off does, in numbers."""
    resting = len(roles - {Role.ADMINISTRATOR}) + memberships
    ends = found.holdings(person.pk, now=timezone.now())
    told = [_("Every session ends at once, and nobody can sign in with this account.")]
    if ends.items:
        told.append(
            ngettext(
                "%(n)d review item that they hold goes back to the queue.",
                "%(n)d review items that they hold go back to the queue.",
                ends.items,
            )
            % {"n": ends.items}
        )
    if ends.keys:
        told.append(
            ngettext("%(n)d API key is revoked for good.", "%(n)d API keys are revoked for good.", ends.keys)
            % {"n": ends.keys}
        )
    if Role.ADMINISTRATOR in roles:
        told.append(_("The administrator role is ended; somebody has to give it again."))
    if resting:
        told.append(
            ngettext(
                "%(n)d role rests until the account is on again.",
                "%(n)d roles rest until the account is on again.",
                resting,
            )
            % {"n": resting}
        )
    told.append(_("Their flags, ratings and decisions stay as they are."))
    return told
