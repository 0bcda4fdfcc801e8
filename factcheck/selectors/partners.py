"""Questions about partners."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from factcheck.enums import MembershipRole, MembershipStatus, PartnerStatus
from factcheck.models import Invitation, Membership, Partner, Rating
from factcheck.permissions import may_lead
from moderation.caller import Caller
from moderation.selectors import access, items, switches
from moderation.selectors.organisations import Stopping
from moderation.selectors.scopes import QueueScope

ENDS_SOON = timedelta(days=30)


def of(caller: Caller) -> Partner | None:
    """The partner the caller acts for."""
    return Partner.objects.filter(pk=caller.organisation_id).first() if caller.organisation_id else None


@dataclass(frozen=True)
class Place:
    """Where somebody works: whether their place is an active one, and until when the partner is certified."""

    partner: Partner
    active: bool
    certified_until: datetime | None  # None: no certificate holds now


_PLACE = """
SELECT p.*, EXISTS (
        SELECT FROM factcheck_membership m
        WHERE m.partner_id = p.id AND m.person_id = %(person)s AND m.status = 'active'),
    (SELECT max(c.valid_until) FROM factcheck_certification c
     WHERE c.partner_id = p.id AND c.valid_from <= %(now)s AND c.valid_until > %(now)s)
FROM factcheck_partner p WHERE p.id = %(partner)s
"""


_HOLD = "SELECT 1 FROM factcheck_partner WHERE id = %(partner)s FOR SHARE;"


def held_place_of(caller: Caller, *, now: datetime) -> Place | None:
    """The caller's place in the partner they act for; None for who acts for none. In one trip.

    The partner's row is first locked against changes until the transaction ends, by a statement of its own:
    the next one sees what was committed before the lock was had.
    """
    asked = {"person": caller.person_id, "partner": caller.organisation_id, "now": now}
    with connection.cursor() as cursor:
        cursor.execute(_HOLD + _PLACE, asked)
        cursor.nextset()
        row = cursor.fetchone()
        names = [column.name for column in cursor.description]
    if row is None:
        return None
    *values, active, certified = row
    return Place(Partner.from_db(connection.alias, names[:-2], values), active, certified)


def scope_of(partner: Partner) -> QueueScope:
    return QueueScope(languages=tuple(partner.languages), countries=tuple(partner.countries))


def read_scope(partner: Partner | None) -> QueueScope | None:
    """What somebody reads who acts for this partner; None, everything, for an auditor, who acts for none."""
    return scope_of(partner) if partner else None


def names(ids: Collection[uuid.UUID]) -> dict[uuid.UUID, str]:
    return dict(Partner.objects.filter(pk__in=ids).values_list("pk", "name"))


def everybody() -> dict[uuid.UUID, str]:
    return dict(Partner.objects.values_list("pk", "name"))


def within(*, organisation: uuid.UUID | None, country: str) -> QuerySet[Partner]:
    """Active partners that a switch with this scope covers, in a lasting order."""
    found = Partner.objects.filter(status=PartnerStatus.ACTIVE)
    if organisation is not None:
        found = found.filter(pk=organisation)
    return (found.filter(country=country) if country else found).order_by("id")


def stopping(organisation: uuid.UUID | None, country: str, outcome: str, now: datetime) -> Stopping:
    """Whom it reaches that ratings stop within this scope; with `outcome`, nobody loses more than a verdict."""
    covered = list(within(organisation=organisation, country=country))
    people = Membership.objects.filter(partner__in=covered, status=MembershipStatus.ACTIVE)
    figures = Stopping(organisations=len(covered), people=people.values("person").distinct().count())
    if outcome:
        return figures
    others = [
        partner
        for partner in Partner.objects.filter(status=PartnerStatus.ACTIVE).exclude(
            pk__in=[p.pk for p in covered]
        )
        if partner.is_certified(now=now)
        and not switches.stops(organisation=partner.pk, country=partner.country, now=now)
    ]
    return replace(
        figures,
        leases=sum(access.of_organisation(partner.pk, now=now).leases for partner in covered),
        uncovered=items.count_only_in(list(map(scope_of, covered)), others=list(map(scope_of, others))),
    )


def certified_until(partner: Partner, *, now: datetime) -> datetime | None:
    """The end of the certificate that holds now and holds longest; None if none does."""
    holding = partner.certifications.filter(valid_from__lte=now, valid_until__gt=now)
    return holding.order_by("-valid_until").values_list("valid_until", flat=True).first()


def listed(*, now: datetime) -> QuerySet[Partner]:
    """All partners with their certificate's end, people and ratings, for administrators."""
    return Partner.objects.annotate(
        certified_until=Max("certifications__valid_until", filter=Q(certifications__valid_from__lte=now)),
        people=_count(Membership.objects.filter(status=MembershipStatus.ACTIVE)),
        ratings_given=_count(Rating.objects.all()),
    ).order_by("name")


def people_of(partner: Partner) -> QuerySet[Membership]:
    return (
        Membership.objects.filter(partner=partner)
        .exclude(status=MembershipStatus.REMOVED)
        .select_related("person")
        .order_by("person__display_name", "id")
    )


def person_of(membership_id: uuid.UUID, caller: Caller) -> Membership | None:
    """Somebody in a partner that the caller leads; None for anybody else, as for nobody."""
    found = Membership.objects.exclude(status=MembershipStatus.REMOVED).select_related("person", "partner")
    membership = found.filter(pk=membership_id).first()
    return membership if membership is not None and may_lead(caller, membership.partner) else None


def invitation_of(invitation_id: uuid.UUID, caller: Caller) -> Invitation | None:
    """An invitation to a partner that the caller leads; None for any other, as for none."""
    invitation = Invitation.objects.select_related("partner").filter(pk=invitation_id).first()
    return invitation if invitation is not None and may_lead(caller, invitation.partner) else None


def sole_lead(partner: Partner) -> uuid.UUID | None:
    """The membership of the only active lead, who must stay one; None with several, or none."""
    leads = Membership.objects.filter(
        partner=partner, role=MembershipRole.LEAD, status=MembershipStatus.ACTIVE
    ).order_by("id")
    ids = list(leads.values_list("pk", flat=True)[:2])
    return ids[0] if len(ids) == 1 else None


def open_invitations(partner: Partner, *, now: datetime) -> QuerySet[Invitation]:
    return Invitation.objects.filter(
        partner=partner, accepted_at__isnull=True, revoked_at__isnull=True, expires_at__gt=now
    ).order_by("-invited_at")


def memberships_of(person_id: uuid.UUID) -> QuerySet[Membership]:
    """Where a person may act now: active places in partners that are not suspended."""
    return (
        Membership.objects.filter(
            person_id=person_id, status=MembershipStatus.ACTIVE, partner__status=PartnerStatus.ACTIVE
        )
        .select_related("partner")
        .order_by("joined_at", "id")
    )


def _count(rows: QuerySet[Any]) -> Coalesce:
    """How many of these rows each partner has: a count of its own, so that the joins do not multiply."""
    of_partner = rows.filter(partner=OuterRef("pk")).order_by().values("partner")
    return Coalesce(Subquery(of_partner.annotate(n=Count("pk")).values("n")), 0)
