"""Questions about webhook endpoints and what was delivered to them."""

import uuid
from collections.abc import Collection
from typing import TYPE_CHECKING

from django.db.models import Count, Q

from moderation.enums import DeliveryState
from moderation.errors import NotFound
from moderation.models import WebhookDelivery, WebhookEndpoint

if TYPE_CHECKING:
    from django.db.models import QuerySet

_IN_STATE = {
    DeliveryState.WAITING: Q(next_at__isnull=False),
    DeliveryState.DELIVERED: Q(done_at__isnull=False),
    DeliveryState.DEAD: Q(dead_at__isnull=False),
}


def endpoints() -> "QuerySet[WebhookEndpoint]":
    """Those that are not removed, newest first."""
    return (
        WebhookEndpoint.objects.filter(removed_at__isnull=True).select_related("created_by").order_by("-id")
    )


def endpoint(endpoint_id: uuid.UUID) -> WebhookEndpoint:
    """Raises NotFound."""
    found = endpoints().filter(pk=endpoint_id).first()
    if found is None:
        raise NotFound("There is no such webhook.")
    return found


def deliveries(endpoint_id: uuid.UUID, state: str = "") -> "QuerySet[WebhookDelivery]":
    """What was and is to be delivered to an endpoint, newest first; all of it, or in one state."""
    found = WebhookDelivery.objects.filter(endpoint_id=endpoint_id)
    if state:
        found = found.filter(_IN_STATE[DeliveryState(state)])
    return found.select_related("event").order_by("-id")


def counts(endpoint_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, dict[str, int]]:
    """How many deliveries wait and how many were given up, per endpoint; endpoints without either are absent."""
    unfinished = WebhookDelivery.objects.filter(endpoint_id__in=endpoint_ids, done_at__isnull=True)
    rows = unfinished.values("endpoint_id").annotate(
        waiting=Count("pk", filter=_IN_STATE[DeliveryState.WAITING]),
        dead=Count("pk", filter=_IN_STATE[DeliveryState.DEAD]),
    )
    return {
        r["endpoint_id"]: {"waiting": r["waiting"], "dead": r["dead"]} for r in rows.order_by("endpoint_id")
    }


def state_of(delivery: WebhookDelivery) -> DeliveryState:
    if delivery.done_at is not None:
        return DeliveryState.DELIVERED
    return DeliveryState.WAITING if delivery.next_at is not None else DeliveryState.DEAD
