"""Accounts and platform roles; ending somebody's access at once."""

import uuid
from collections.abc import Collection
from datetime import datetime

from django.contrib.auth.password_validation import validate_password
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import F

from moderation.caller import Caller
from moderation.enums import AuditEvent, Role
from moderation.errors import Conflict, Invalid, NotFound
from moderation.models import ApiClient, RoleGrant, User
from moderation.permissions import may_administer, may_turn_off
from moderation.services import audit, queue, words

LONGEST_NAME = 120


@transaction.atomic
def grant_role(person: User, role: Role, *, caller: Caller, now: datetime) -> RoleGrant:
    """Give a platform role; giving it twice changes nothing. Raises Refused."""
    if caller.role is not Role.SYSTEM:
        may_administer(caller).require()
    grant = RoleGrant(person=person, role=role, granted_at=now, granted_by_id=caller.person_id)
    held = None
    while held is None:  # the grant that was in the way may end before it is read
        RoleGrant.objects.bulk_create([grant], ignore_conflicts=True)
        held = RoleGrant.objects.filter(person=person, role=role, ended_at__isnull=True).first()
    if held.pk != grant.pk:
        return held
    audit.record(AuditEvent.ROLE_GRANTED, grant, caller=caller, now=now, role=role, person=str(person.pk))
    return grant


@transaction.atomic
def end_role(person_id: uuid.UUID, role: Role, *, caller: Caller, now: datetime) -> None:
    """Take a platform role away; the last administrator stays. Raises Refused, NotFound, Conflict."""
    may_administer(caller).require()
    grants = list(
        RoleGrant.objects.select_for_update(of=("self",))
        .filter(role=role, ended_at__isnull=True)
        .order_by("id")
    )
    grant = next((g for g in grants if g.person_id == person_id), None)
    if grant is None:
        raise NotFound("This person does not hold that role.")
    if role == Role.ADMINISTRATOR and len(grants) == 1:
        raise Conflict("The last administrator cannot be removed.", code="last_administrator")
    grant.ended_at = now
    grant.save(update_fields=["ended_at"])
    audit.record(AuditEvent.ROLE_ENDED, grant, caller=caller, now=now, role=role, person=str(person_id))
    end_access([person_id], caller=caller, now=now)


@transaction.atomic
def end_access(person_ids: Collection[uuid.UUID], *, caller: Caller, now: datetime) -> None:
    """End every session of these people. Their keys are judged by what is left to them, and what they hold is
    freed by whoever took that away: a person may go on for another organisation."""
    User.objects.filter(pk__in=person_ids).update(access_epoch=F("access_epoch") + 1)
    for person in User.objects.filter(pk__in=person_ids).order_by("id"):
        audit.record(AuditEvent.ACCESS_ENDED, person, caller=caller, now=now)


@transaction.atomic
def deactivate(person_id: uuid.UUID, *, caller: Caller, now: datetime) -> None:
    """Turn an account off: sessions, keys and leases end at once. Raises Refused, NotFound, Conflict."""
    may_administer(caller).require()
    person = _locked(person_id)
    if person is None:
        raise NotFound("There is no such person.")
    may_turn_off(caller, person).require()
    if RoleGrant.objects.filter(person=person, role=Role.ADMINISTRATOR, ended_at__isnull=True).exists():
        end_role(person_id, Role.ADMINISTRATOR, caller=caller, now=now)
    person.is_active = False
    person.save(update_fields=["is_active"])
    ApiClient.objects.filter(person=person, revoked_at__isnull=True).update(revoked_at=now)
    queue.free_all_of([person_id])
    end_access([person_id], caller=caller, now=now)


@transaction.atomic
def reactivate(person_id: uuid.UUID, *, caller: Caller, now: datetime) -> None:
    """Turn an account on again: it signs in anew, with the roles that nobody ended. Revoked keys stay so.

    Raises Refused, NotFound.
    """
    may_administer(caller).require()
    person = _locked(person_id)
    if person is None:
        raise NotFound("There is no such person.")
    if not person.is_active:
        person.is_active = True
        person.save(update_fields=["is_active"])
        audit.record(AuditEvent.ACCESS_RESTORED, person, caller=caller, now=now)


def _locked(person_id: uuid.UUID) -> User | None:
    """Not the key: whoever holds an item and writes that this person does something must not wait for it."""
    return User.objects.select_for_update(no_key=True, of=("self",)).filter(pk=person_id).first()


def clear_old_sessions(*, now: datetime) -> int:
    return Session.objects.filter(expire_date__lt=now).delete()[0]


def by_email(email: str) -> User | None:
    return User.objects.filter(email=email.strip().lower()).first()


def create_account(
    *, email: str, display_name: str, password: str, language: str = "en", time_zone: str = "UTC"
) -> User:
    """Make an account. Raises Invalid (`password`, `display_name`); Conflict (`address_in_use`)."""
    name = display_name.strip()
    words.require("Say how you want to be called.", display_name=name)
    if len(name) > LONGEST_NAME:
        raise Invalid(f"A name has at most {LONGEST_NAME} characters.", field="display_name", code="too_long")
    try:
        validate_password(password)
    except ValidationError as error:
        raise Invalid(" ".join(error.messages), field="password") from None
    try:
        with transaction.atomic():
            return User.objects.create_user(
                email, password, display_name=name, language=language, time_zone=time_zone
            )
    except IntegrityError:
        raise Conflict("This address has an account already.", code="address_in_use") from None


def import_account(
    *, email: str, display_name: str, password_hash: str, language: str, time_zone: str
) -> User:
    """An account that brings its password hash along; one that is here already stays as it is."""
    found = by_email(email)
    if found is not None:
        return found
    return User.objects.create(
        email=email, display_name=display_name, password=password_hash, language=language, time_zone=time_zone
    )


def as_self(person_id: uuid.UUID) -> Caller:
    """The caller of what a person does for themselves before they are signed in."""
    return Caller(role=Role.MEMBER, person_id=person_id)


def mark_notices_read(person_id: uuid.UUID, *, now: datetime) -> None:
    """The person looked at their notices."""
    User.objects.filter(pk=person_id).update(notices_read_at=now)


def change_settings(
    person_id: uuid.UUID,
    *,
    display_name: str,
    language: str,
    time_zone: str,
    region: str,
    viewer_preference: str,
    shortcuts_on: bool,
    media_shown: str,
) -> None:
    """Store what a person chose for themselves; the values are those of the settings form."""
    User.objects.filter(pk=person_id).update(
        display_name=display_name,
        language=language,
        time_zone=time_zone,
        region=region,
        viewer_preference=viewer_preference,
        shortcuts_on=shortcuts_on,
        media_shown=media_shown,
    )
