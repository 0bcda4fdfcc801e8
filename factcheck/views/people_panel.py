"""The list of a partner's people with its open invitations: on the partner's page and on the lead's own."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from factcheck import mail
from factcheck.enums import MembershipRole, MembershipStatus
from factcheck.forms_partners import InviteForm
from factcheck.models import Invitation, Membership, Partner
from factcheck.selectors import partners as find
from factcheck.services import people
from factcheck.services.people import LAST_LEAD
from moderation.caller import Caller
from moderation.errors import Invalid
from moderation.views.cards import initials
from moderation.views.doors import Visit


def context(partner: Partner, caller: Caller, *, may_change: bool, now: datetime) -> dict[str, Any]:
    """`people` and `invitations`; what may be done with each only for whoever may do it."""
    sole = find.sole_lead(partner)
    return {
        "people": [
            {
                "membership": member,
                "initials": initials(member.person.display_name),
                "is_lead": member.role == MembershipRole.LEAD,
                "is_suspended": member.status == MembershipStatus.SUSPENDED,
                "is_you": member.person_id == caller.person_id,
                "acts": _acts(member) if may_change and member.pk != sole else [],
                "why_not": LAST_LEAD if may_change and member.pk == sole else "",
            }
            for member in find.people_of(partner).select_related("person")
        ],
        "invitations": list(find.open_invitations(partner, now=now).select_related("invited_by")),
        "may_change": may_change,
    }


def invite(request: Visit, partner: Partner, form: InviteForm) -> bool:
    """Invite by the form and write the mail; False, with the form's errors, if it cannot be."""
    if not form.is_valid():
        return False
    email, role = form.cleaned_data["email"], MembershipRole(form.cleaned_data["role"])
    try:
        invitation, token = people.invite(
            partner, email=email, role=role, caller=request.caller, now=timezone.now()
        )
    except Invalid as wrong:
        form.add_error(wrong.field if wrong.field in form.fields else None, wrong.message)
        return False
    link = request.build_absolute_uri(reverse("factcheck:invitation", args=[token]))
    transaction.on_commit(lambda: _write_to(request, invitation, link))
    return True


def _write_to(request: Visit, invitation: Invitation, link: str) -> None:
    """Send the link, once the invitation is stored, and tell the inviter whether the mail went out."""
    if mail.send_invitation(invitation, link=link, inviter=str(request.user)):
        messages.success(request, _("Invitation sent to %(email)s.") % {"email": invitation.email})
    else:
        messages.warning(
            request,
            _("The mail to %(email)s could not be sent. Try again later.") % {"email": invitation.email},
        )


def _acts(member: Membership) -> list[dict[str, Any]]:
    def act(verb: str, label: str, icon: str, *, danger: bool = False) -> dict[str, Any]:
        url = reverse("factcheck:people_act", args=[member.pk, verb])
        return {"label": label, "url": url, "icon": icon, "danger": danger}

    lead = member.role == MembershipRole.LEAD
    acts = [
        act("demote", _("Make reviewer"), "user") if lead else act("promote", _("Make lead"), "user-shield")
    ]
    if member.status == MembershipStatus.SUSPENDED:
        acts.append(act("resume", _("Resume"), "player-play"))
    else:
        acts.append(act("suspend", _("Suspend"), "player-pause"))
    return [*acts, act("remove", _("Remove"), "user-off", danger=True)]
