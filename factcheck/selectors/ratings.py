"""Questions about ratings."""

import uuid
from collections.abc import Collection
from datetime import datetime

from django.db.models import QuerySet

from factcheck.models import Claim, Rating


def in_force(claim: Claim) -> list[Rating]:
    """Each partner's rating of the claim that nothing superseded or withdrew, earliest first."""
    return list(
        Rating.objects.filter(claim=claim, superseded_by__isnull=True, withdrawal__isnull=True)
        .select_related("partner", "article")
        .order_by("at", "id")
    )


def in_force_on(claim_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, list[Rating]]:
    """The same for many claims at once."""
    found: dict[uuid.UUID, list[Rating]] = {}
    rows = Rating.objects.filter(
        claim_id__in=claim_ids, superseded_by__isnull=True, withdrawal__isnull=True
    ).select_related("partner", "article")
    for rating in rows.order_by("at", "id"):
        found.setdefault(rating.claim_id, []).append(rating)
    return found


def history_of(claim: Claim) -> list[Rating]:
    """Every rating of the claim by every partner, newest first, with what ended it."""
    return list(
        Rating.objects.filter(claim=claim)
        .select_related("partner", "article", "rated_by", "withdrawal", "superseded_by")
        .order_by("-at", "-id")
    )


def made_by(person_id: uuid.UUID | None, partner_id: uuid.UUID | None) -> QuerySet[Rating]:
    """What a person rated for a partner, newest first; undone ones too."""
    if partner_id is None:
        return Rating.objects.none()
    return (
        Rating.objects.filter(partner_id=partner_id, rated_by_id=person_id)
        .select_related("claim", "withdrawal", "superseded_by", "article")
        .order_by("-at", "-id")
    )


def get(rating_id: uuid.UUID, *, partner_id: uuid.UUID | None) -> Rating | None:
    """One of the partner's own ratings; another partner's does not exist here."""
    if partner_id is None:
        return None
    return (
        Rating.objects.filter(pk=rating_id, partner_id=partner_id)
        .select_related("claim", "partner", "article", "post_version__post", "withdrawal", "superseded_by")
        .first()
    )


def last_outcome(cluster_id: uuid.UUID, *, since: datetime) -> Rating | None:
    """The rating that closed a claim's item at or after `since`."""
    return (
        Rating.objects.filter(claim__cluster_id=cluster_id, at__gte=since)
        .select_related("partner")
        .order_by("at", "id")
        .first()
    )
