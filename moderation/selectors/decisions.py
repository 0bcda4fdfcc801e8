"""Decisions by what they are about."""

import uuid
from collections.abc import Collection

from moderation.enums import DecisionKind
from moderation.models import Decision


def newest_on(cluster_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, Decision]:
    """The newest verdict row of each cluster, which may be an ending."""
    rows = Decision.objects.filter(cluster_id__in=cluster_ids, kind=DecisionKind.STANDING_VERDICT)
    newest = rows.order_by("cluster_id", "-id").distinct("cluster_id")
    return {row.cluster_id: row for row in newest if row.cluster_id is not None}
