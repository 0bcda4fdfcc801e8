"""The audit log as auditors and administrators read it."""

import uuid
from collections.abc import Collection

from django.db.models import QuerySet

from moderation.models import ApiClient, AuditRow, AuditSeal


def rows(*, event: str = "", subject: str = "", person_id: uuid.UUID | None = None) -> QuerySet[AuditRow]:
    """Audit rows, newest first: of one event, about one subject, by one person."""
    found = AuditRow.objects.order_by("-pk")
    if event:
        found = found.filter(event=event)
    if subject:
        found = found.filter(subject=subject)
    if person_id is not None:
        found = found.filter(person=person_id)
    return found


def positions(row_ids: Collection[int]) -> dict[int, int]:
    """Where these rows stand in the sealed chain; rows without a seal are missing."""
    return dict(AuditSeal.objects.filter(row_id__in=row_ids).values_list("row_id", "position"))


def client_names(client_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, str]:
    return dict(ApiClient.objects.filter(pk__in=client_ids).values_list("pk", "name"))


def sealed() -> int:
    """How many rows are in the chain: the newest position."""
    return AuditSeal.objects.order_by("-position").values_list("position", flat=True).first() or 0
