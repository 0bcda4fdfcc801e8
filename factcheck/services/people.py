"""A partner's people: invite, accept, change role, suspend, resume, remove."""

import hashlib
import secrets
import uuid
from datetime import datetime, timedelta

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from factcheck.enums import MembershipRole, MembershipStatus, PartnerStatus
from factcheck.models import Invitation, Membership, Partner
from factcheck.permissions import may_lead
from factcheck.selectors import partners as find
from factcheck.services import partners
from moderation.caller import Caller
from moderation.enums import AuditEvent
from moderation.errors import Conflict, Invalid, NotFound
from moderation.services import audit
from moderation.services import people as accounts

INVITATION_HOLDS = timedelta(days=7)
# Said beside the closed act and in the refusal.
LAST_LEAD = gettext_lazy("A partner keeps at least one lead: make somebody else a lead first.")


@transaction.atomic
def invite(
    partner: Partner, *, email: str, role: MembershipRole, caller: Caller, now: datetime
) -> tuple[Invitation, str]:
    """Invite an address; returns the invitation and the token of its link, which is not kept.

    A second invitation replaces an open one. Raises Refused; Invalid (`email`).
    """
    may_lead(caller, partner).require()
    email = email.strip().lower()
    try:
        validate_email(email)
    except ValidationError:
        raise Invalid(_("Write an e-mail address, such as ana@example.org."), field="email") from None
    Partner.objects.select_for_update(no_key=True).get(pk=partner.pk)  # two invitations take turns
    if (
        Membership.objects.filter(partner=partner, person__email=email)
        .exclude(status=MembershipStatus.REMOVED)
        .exists()
    ):
        raise Invalid(_("This person belongs to the partner already."), field="email")
    Invitation.objects.filter(
        partner=partner, email=email, accepted_at__isnull=True, revoked_at__isnull=True
    ).update(revoked_at=now)
    token = secrets.token_urlsafe(32)
    invitation = Invitation.objects.create(
        partner=partner,
        email=email,
        role=role,
        token_sha256=_digest(token),
        invited_by_id=caller.person_id,
        invited_at=now,
        expires_at=now + INVITATION_HOLDS,
    )
    audit.record(
        AuditEvent.PERSON_INVITED, invitation, caller=caller, now=now, partner=str(partner.pk), role=role
    )
    return invitation, token


@transaction.atomic
def revoke(invitation_id: uuid.UUID, *, caller: Caller, now: datetime) -> Invitation:
    """Make an open invitation worthless. Raises Refused; NotFound, also for another partner's.

    Conflict (`wrong_state`) if it was accepted or revoked already.
    """
    invitation = (
        Invitation.objects.select_for_update(of=("self",))
        .select_related("partner")
        .filter(pk=invitation_id)
        .first()
    )
    if invitation is None or not may_lead(caller, invitation.partner):
        raise NotFound("There is no such invitation.")
    if invitation.accepted_at is not None or invitation.revoked_at is not None:
        raise Conflict(_("This invitation was accepted or revoked already."), code="wrong_state")
    invitation.revoked_at = now
    invitation.save(update_fields=["revoked_at"])
    audit.record(
        AuditEvent.INVITATION_REVOKED,
        invitation,
        caller=caller,
        now=now,
        partner=str(invitation.partner_id),
    )
    return invitation


def find_invitation(token: str, *, now: datetime) -> Invitation:
    """The open invitation of a link; reading it uses nothing up. Raises NotFound."""
    found = (
        Invitation.objects.select_related("partner")
        .filter(
            token_sha256=_digest(token), accepted_at__isnull=True, revoked_at__isnull=True, expires_at__gt=now
        )
        .first()
    )
    if found is None:
        raise NotFound(_("This invitation has ended or was used."))
    return found


@transaction.atomic
def accept(
    token: str,
    *,
    caller: Caller | None = None,
    display_name: str = "",
    password: str = "",
    now: datetime,
) -> Membership:
    """Join the partner: as the signed-in person, or as a new account with the invited address.

    Raises NotFound; Invalid (`display_name`, `password`); Conflict (`other_address`) if somebody else is
    signed in, (`sign_in_first`) if the address has an account, (`partner_suspended`).
    """
    invitation = find_invitation(token, now=now)
    invitation = (
        Invitation.objects.select_for_update(of=("self",)).select_related("partner").get(pk=invitation.pk)
    )
    if invitation.accepted_at is not None or invitation.revoked_at is not None:
        raise NotFound(_("This invitation has ended or was used."))
    if invitation.partner.status == PartnerStatus.SUSPENDED:
        raise Conflict(
            _("%(partner)s is suspended at the moment; nobody can join it.")
            % {"partner": invitation.partner.name},
            code="partner_suspended",
        )
    person = accounts.by_email(invitation.email)
    if caller is None and person is not None:
        raise Conflict(_("Sign in with the invited address to accept."), code="sign_in_first")
    if caller is not None and (person is None or person.pk != caller.person_id):
        raise Conflict(_("This invitation is for another address."), code="other_address")
    if person is None:
        person = accounts.create_account(
            email=invitation.email,
            display_name=display_name,
            password=password,
            time_zone=invitation.partner.time_zone,
        )
    membership = join(
        invitation.partner, person.pk, role=MembershipRole(invitation.role), caller=caller, now=now
    )
    invitation.accepted_at = now
    invitation.save(update_fields=["accepted_at"])
    return membership


def join(
    partner: Partner, person_id: uuid.UUID, *, role: MembershipRole, caller: Caller | None, now: datetime
) -> Membership:
    """Write the membership; joining twice changes nothing."""
    membership = Membership(partner=partner, person_id=person_id, role=role, joined_at=now)
    Membership.objects.bulk_create([membership], ignore_conflicts=True)
    stored = Membership.objects.exclude(status=MembershipStatus.REMOVED).get(
        partner=partner, person_id=person_id
    )
    if stored.pk == membership.pk:
        audit.record(
            AuditEvent.PERSON_JOINED,
            stored,
            caller=caller or accounts.as_self(person_id),
            now=now,
            partner=str(partner.pk),
        )
    return stored


@transaction.atomic
def change_role(
    membership_id: uuid.UUID, *, role: MembershipRole, caller: Caller, now: datetime
) -> Membership:
    """Make a reviewer a lead or a lead a reviewer, from their next request on.

    Raises Refused; NotFound; Conflict (`last_lead`, or `wrong_state` if they hold the role already).
    """
    membership = _led(membership_id, caller)
    if membership.role == role:
        raise Conflict(_("This person holds the role already."), code="wrong_state", current=role)
    _keep_a_lead(membership)
    membership.role = role
    membership.save(update_fields=["role"])
    audit.record(
        AuditEvent.PERSON_ROLE_CHANGED,
        membership,
        caller=caller,
        now=now,
        partner=str(membership.partner_id),
        role=role,
    )
    return membership


@transaction.atomic
def suspend(membership_id: uuid.UUID, *, caller: Caller, now: datetime) -> Membership:
    """Take a person's access away for now: sessions end and leases are freed at once.

    Raises Refused; NotFound; Conflict (`last_lead`, or `wrong_state` if suspended already).
    """
    membership = _led(membership_id, caller)
    _require(membership, MembershipStatus.ACTIVE, _("This person is suspended already."))
    _keep_a_lead(membership)
    membership.status = MembershipStatus.SUSPENDED
    membership.save(update_fields=["status"])
    _end_access(membership, AuditEvent.PERSON_SUSPENDED, caller=caller, now=now)
    return membership


@transaction.atomic
def resume(membership_id: uuid.UUID, *, caller: Caller, now: datetime) -> Membership:
    """Raises Refused; NotFound; Conflict (`wrong_state`) if not suspended."""
    membership = _led(membership_id, caller)
    _require(membership, MembershipStatus.SUSPENDED, _("This person is not suspended."))
    membership.status = MembershipStatus.ACTIVE
    membership.save(update_fields=["status"])
    audit.record(
        AuditEvent.PERSON_JOINED, membership, caller=caller, now=now, partner=str(membership.partner_id)
    )
    return membership


@transaction.atomic
def remove(membership_id: uuid.UUID, *, caller: Caller, now: datetime) -> Membership:
    """End a membership; the person's ratings stay the partner's. Raises Refused, NotFound, Conflict."""
    membership = _led(membership_id, caller)
    _keep_a_lead(membership)
    membership.status, membership.ended_at = MembershipStatus.REMOVED, now
    membership.save(update_fields=["status", "ended_at"])
    _end_access(membership, AuditEvent.PERSON_REMOVED, caller=caller, now=now)
    return membership


def _led(membership_id: uuid.UUID, caller: Caller) -> Membership:
    """The membership, its partner locked, if the caller leads it; a foreign one does not exist for them."""
    found = Membership.objects.exclude(status=MembershipStatus.REMOVED).select_related("partner")
    membership = found.filter(pk=membership_id).first()
    if membership is None or not may_lead(caller, membership.partner):
        raise NotFound("There is no such person.")
    Partner.objects.select_for_update(no_key=True).get(pk=membership.partner_id)
    membership = found.filter(pk=membership_id).first()  # as it is under the lock
    if membership is None:
        raise NotFound("There is no such person.")
    return membership


def _require(membership: Membership, status: MembershipStatus, otherwise: str) -> None:
    if membership.status != status:
        raise Conflict(otherwise, code="wrong_state", current=membership.status)


def _keep_a_lead(membership: Membership) -> None:
    if find.sole_lead(membership.partner) == membership.pk:
        raise Conflict(str(LAST_LEAD), code="last_lead")


def _end_access(membership: Membership, event: AuditEvent, *, caller: Caller, now: datetime) -> None:
    partners.free_leases([membership.person_id], partner=membership.partner, now=now)
    accounts.end_access([membership.person_id], caller=caller, now=now)
    audit.record(event, membership, caller=caller, now=now, partner=str(membership.partner_id))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
