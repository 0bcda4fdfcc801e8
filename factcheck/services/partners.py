"""Partner organisations: add, certify, change, suspend, resume."""

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlsplit
from zoneinfo import available_timezones

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from factcheck.enums import LeaseEnding, MembershipStatus, PartnerStatus
from factcheck.models import Certification, Lease, Membership, Partner
from factcheck.permissions import holds_certificate, may_administer, may_see_queue, ratings_go_on
from factcheck.selectors import partners as find
from moderation import iso
from moderation.caller import Caller
from moderation.enums import AuditEvent
from moderation.errors import Conflict, Invalid, NotFound, Refused
from moderation.services import audit, people, queue, switches

RESERVED = frozenset({"new"})  # addresses of pages
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_DOMAIN = re.compile(r"(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])")


class NotCertified(Refused):
    """The partner's certificate does not hold now."""

    code = "not_certified"


class RatingsStopped(Refused):
    """A programme switch stops new ratings of the partner."""

    code = "ratings_stopped"


@dataclass(frozen=True)
class PartnerDraft:
    slug: str
    name: str
    languages: Sequence[str]
    countries: Sequence[str]
    domains: Sequence[str]
    time_zone: str = "UTC"
    country: str = ""  # its home; "": not known


def certified(caller: Caller, *, now: datetime) -> Partner:
    """The caller's partner, if its people may take and rate now. Raises Refused, NotCertified, RatingsStopped.

    Called first in a transaction: until it ends, neither the partner nor one of its people is suspended, and no
    switch stops their ratings.
    """
    return at_work(caller, now=now).partner


def at_work(caller: Caller, *, now: datetime) -> find.Place:
    """As `certified`, with the end of the certificate."""
    switches.hold()
    place = find.held_place_of(caller, now=now)
    if place is None:
        raise Refused("Only reviewers of a partner do this.")
    partner = place.partner
    if partner.status == PartnerStatus.ACTIVE and not place.active:
        raise Refused(f"You no longer work for {partner.name}.")
    may_see_queue(caller).require()
    if partner.status != PartnerStatus.ACTIVE or place.certified_until is None:
        require_certificate(partner, now=now)
    require_ratings(partner, now=now)
    return place


def require_certificate(partner: Partner, *, now: datetime) -> None:
    """Raises NotCertified."""
    answer = holds_certificate(partner, now=now)
    if not answer:
        raise NotCertified(answer.reason)


def require_ratings(partner: Partner, *, now: datetime) -> None:
    """Raises RatingsStopped."""
    answer = ratings_go_on(partner, now=now)
    if not answer:
        raise RatingsStopped(answer.reason)


@transaction.atomic
def add(draft: PartnerDraft, *, caller: Caller, now: datetime) -> Partner:
    """Raises Refused; Invalid naming the field."""
    may_administer(caller).require()
    draft = checked(draft)
    try:
        with transaction.atomic():
            partner = Partner.objects.create(
                slug=draft.slug,
                name=draft.name,
                languages=list(draft.languages),
                countries=list(draft.countries),
                domains=list(draft.domains),
                time_zone=draft.time_zone,
                country=draft.country,
                added_at=now,
            )
    except IntegrityError:
        raise Invalid(_("There is a partner with this short name."), field="slug") from None
    audit.record(AuditEvent.PARTNER_ADDED, partner, caller=caller, now=now)
    return partner


@transaction.atomic
def change(partner_id: uuid.UUID, draft: PartnerDraft, *, caller: Caller, now: datetime) -> Partner:
    """Change what a partner covers; the short name stays. Raises Refused, NotFound, Invalid."""
    may_administer(caller).require()
    draft = checked(draft)
    partner = _locked(partner_id)
    partner.name, partner.time_zone, partner.country = draft.name, draft.time_zone, draft.country
    partner.languages, partner.countries = list(draft.languages), list(draft.countries)
    partner.domains = list(draft.domains)
    partner.save()
    audit.record(AuditEvent.PARTNER_CHANGED, partner, caller=caller, now=now)
    return partner


@transaction.atomic
def certify(
    partner_id: uuid.UUID,
    *,
    body: str,
    valid_from: datetime,
    valid_until: datetime,
    caller: Caller,
    now: datetime,
) -> Certification:
    """Record a certificate. Raises Refused; NotFound; Invalid (`valid_until`, `body`)."""
    may_administer(caller).require()
    if not body.strip():
        raise Invalid(_("Name the certifying body."), field="body", code="required")
    if valid_until <= valid_from:
        raise Invalid(_("A certificate ends after it begins."), field="valid_until")
    partner = _locked(partner_id)
    certificate = Certification.objects.create(
        partner=partner,
        body=body,
        valid_from=valid_from,
        valid_until=valid_until,
        recorded_by_id=caller.person_id,
        recorded_at=now,
    )
    audit.record(AuditEvent.PARTNER_CERTIFIED, certificate, caller=caller, now=now, partner=str(partner.pk))
    return certificate


@transaction.atomic
def suspend(partner_id: uuid.UUID, *, caller: Caller, now: datetime) -> int:
    """Take a partner's access away: sessions end and leases are freed at once; its ratings stay.

    Returns how many leases were freed. Raises Refused, NotFound, Conflict (`wrong_state`).
    """
    may_administer(caller).require()
    partner = _locked(partner_id)
    if partner.status == PartnerStatus.SUSPENDED:
        raise Conflict(_("This partner is suspended already."), code="wrong_state", current=partner.status)
    partner.status, partner.suspended_at = PartnerStatus.SUSPENDED, now
    partner.save(update_fields=["status", "suspended_at"])
    members = list(
        Membership.objects.filter(partner=partner, status=MembershipStatus.ACTIVE)
        .order_by("id")
        .values_list("person_id", flat=True)
    )
    freed = free_leases(members, partner=partner, now=now)
    people.end_access(members, caller=caller, now=now)
    audit.record(AuditEvent.PARTNER_SUSPENDED, partner, caller=caller, now=now, freed=freed)
    return freed


@transaction.atomic
def resume(partner_id: uuid.UUID, *, caller: Caller, now: datetime) -> Partner:
    """Raises Refused, NotFound, Conflict (`wrong_state`)."""
    may_administer(caller).require()
    partner = _locked(partner_id)
    if partner.status == PartnerStatus.ACTIVE:
        raise Conflict(_("This partner is not suspended."), code="wrong_state", current=partner.status)
    partner.status, partner.suspended_at = PartnerStatus.ACTIVE, None
    partner.save(update_fields=["status", "suspended_at"])
    audit.record(AuditEvent.PARTNER_RESUMED, partner, caller=caller, now=now)
    return partner


def free_leases(person_ids: Sequence[uuid.UUID], *, partner: Partner, now: datetime) -> int:
    """End what these people hold for the partner, on the items and in the history."""
    freed = queue.free_all_of(person_ids, organisations=[partner.pk])
    Lease.objects.filter(partner=partner, person_id__in=person_ids, ended_at__isnull=True).update(
        ended_at=now, ending=LeaseEnding.FREED
    )
    return len(freed)


def free_stopped(*, organisation: uuid.UUID | None, country: str, now: datetime) -> int:
    """End every live lease of the partners that a switch with this scope stops; returns how many.

    Items stay in the queue, for others. Safe to repeat.
    """
    stopped = list(find.within(organisation=organisation, country=country).values_list("pk", flat=True))
    freed = queue.free_all_of(None, organisations=stopped)
    Lease.objects.filter(partner_id__in=stopped, ended_at__isnull=True).update(
        ended_at=now, ending=LeaseEnding.FREED
    )
    return len(freed)


def _locked(partner_id: uuid.UUID) -> Partner:
    partner = Partner.objects.select_for_update(no_key=True).filter(pk=partner_id).first()
    if partner is None:
        raise NotFound("There is no such partner.")
    return partner


def checked(draft: PartnerDraft) -> PartnerDraft:
    """The draft with its codes and domains in their one spelling. Raises Invalid naming the field."""
    if not _SLUG.fullmatch(draft.slug) or draft.slug in RESERVED:
        raise Invalid(_("Small letters, digits and single hyphens, such as lanka-checks."), field="slug")
    if draft.time_zone not in available_timezones():
        raise Invalid(_("Choose a time zone, such as Asia/Colombo."), field="time_zone")
    clean = replace(
        draft,
        name=draft.name.strip(),
        languages=iso.languages(draft.languages),
        countries=iso.countries(draft.countries),
        domains=list(dict.fromkeys(_domain(typed) for typed in draft.domains)),
        country=next(iter(iso.countries([draft.country], field="country")), ""),
    )
    for name in ("name", "languages", "domains"):
        if not getattr(clean, name):
            raise Invalid(_("This must be filled in."), field=name, code="required")
    return clean


def _domain(typed: str) -> str:
    """A domain in small ASCII letters, an international one in its xn-- form. Raises Invalid (`domains`)."""
    name = typed.strip().lower().rstrip(".")
    if "/" in name or ":" in name:
        host = urlsplit(name if "//" in name else f"//{name}").hostname or ""
        raise Invalid(
            _("Write only the domain: %(host)s") % {"host": host or "checks.example"},
            field="domains",
            value=typed,
        )
    try:
        ascii_name = name.encode("idna").decode()
    except UnicodeError:
        ascii_name = ""
    if not _DOMAIN.fullmatch(ascii_name):
        raise Invalid(
            _("“%(typed)s” is no domain, such as checks.example.") % {"typed": typed},
            field="domains",
            code="not_a_domain",
            value=typed,
        )
    return ascii_name
