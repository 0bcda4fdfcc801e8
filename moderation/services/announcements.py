"""What webhooks tell: events, written in the transaction of what happened, while somebody subscribes to them.

A payload names organisations, never a person who works here. `version` rises per object, so that a
receiver that keeps the highest one is right in whatever order events arrive.
"""

import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import connection

from moderation.enums import Ground, ItemStatus, WebhookEventType
from moderation.ids import among, new_id
from moderation.models import Escalation, Post, ReviewItem, WebhookEndpoint, WebhookEvent
from moderation.selectors import organisations
from moderation.services import outbox

if TYPE_CHECKING:
    from moderation.services.effects import Change

QUEUE = "delivery"
DUE_SOON = timedelta(
    hours=1
)  # `item.due_soon` comes so long before; the shortest due time of the policy is 1 h
DUE_LATELY = timedelta(days=1)  # what is late for longer was told, or is no news
INSIDE = ("rating_bp", "actor_bp")  # how multipliers came about; not part of the contract


@dataclass(frozen=True)
class News:
    """One thing to tell. `later`: from when on it may be told, if not at once."""

    type: WebhookEventType
    object_id: uuid.UUID
    version: int
    data: Mapping[str, Any]
    organisation: uuid.UUID | None = None
    later: datetime | None = None


def wanted(*types: WebhookEventType) -> frozenset[str]:
    """Those of the types to which an endpoint that is on subscribes."""
    live = WebhookEndpoint.objects.filter(
        disabled_at__isnull=True, removed_at__isnull=True, event_types__overlap=list(types)
    )
    subscribed = {t for found in live.order_by("id").values_list("event_types", flat=True) for t in found}
    return frozenset(subscribed.intersection(types))


_WRITE = """
INSERT INTO moderation_webhookevent (id, type, object_id, version, data, organisation, at, available_at)
SELECT n.id, n.type, n.object_id, n.version, n.data::jsonb, n.organisation, %s, n.available_at
FROM unnest(%s::uuid[], %s::text[], %s::uuid[], %s::bigint[], %s::text[], %s::uuid[], %s::timestamptz[])
    AS n(id, type, object_id, version, data, organisation, available_at)
ON CONFLICT DO NOTHING
"""


def tell(news: Iterable[News], *, now: datetime) -> None:
    """Owe these events in the caller's transaction, in one statement; what nobody subscribes to is left out."""
    news = list(news)
    types = wanted(*{n.type for n in news}) if news else frozenset()
    _write([n for n in news if n.type in types], now=now)


def _write(rows: Sequence[News], *, now: datetime) -> None:
    if not rows:
        return
    with connection.cursor() as cursor:
        cursor.execute(
            _WRITE,
            [
                now,
                [new_id() for _ in rows],
                [n.type.value for n in rows],
                [n.object_id for n in rows],
                [n.version for n in rows],
                [json.dumps({"id": str(n.object_id), "version": n.version, **n.data}) for n in rows],
                [n.organisation for n in rows],
                [n.later or now for n in rows],
            ],
        )
    outbox.ring_after_commit(QUEUE)


def take_back(kind: WebhookEventType, object_id: uuid.UUID) -> bool:
    """Never tell what waits to be told of an object; returns whether it is too late because it was told."""
    waiting = list(
        WebhookEvent.objects.select_for_update(no_key=True)
        .filter(type=kind, object_id=object_id)
        .order_by("id")
    )
    told = [event for event in waiting if event.spread_at is not None]
    WebhookEvent.objects.filter(pk__in=[e.pk for e in waiting if e.spread_at is None]).delete()
    return bool(told)


def effects_changed(changes: Sequence["Change"], versions: Mapping[str, int], *, now: datetime) -> None:
    """What a recompute changed: one event per post, whatever it changed. `versions`: those stored now, by post."""
    types = wanted(
        WebhookEventType.POST_EFFECT_CHANGED, WebhookEventType.POST_REMOVED, WebhookEventType.POST_RESTORED
    )
    told = [
        (kind, change)
        for change in changes
        if types and change.before != change.after.document and (kind := _kind(change)) in types
    ]
    if not told:
        return
    posts = Post.objects.filter(pk__in=among(i for _, change in told for i in change.post_ids))
    external = {str(pk): external_id for pk, external_id in posts.values_list("pk", "external_id")}
    news = []
    for kind, change in told:
        effect = _effect(change.after.document)
        news += [
            News(kind, uuid.UUID(i), versions[i], {"external_id": external[i], **effect})
            for i in change.post_ids
        ]
    _write(news, now=now)


def escalation_opened(case: Escalation, *, now: datetime) -> None:
    """The desk has a new case. Child safety stays with the named specialists (domain 8)."""
    if case.ground == Ground.CHILD_SAFETY or not wanted(WebhookEventType.ESCALATION_OPENED):
        return
    requester = organisations.names([case.opened_for]).get(case.opened_for) if case.opened_for else None
    data = {
        "ground": case.ground,
        "regions": case.regions,
        "post": {"id": str(case.post_id), "external_id": case.post.external_id},
        "requested_by": {"id": str(case.opened_for), "name": requester} if requester else None,
        "opened_at": moment(case.opened_at),
        "due_at": moment(case.due_at),
    }
    tell([News(WebhookEventType.ESCALATION_OPENED, case.pk, case.version, data)], now=now)


def items_due_soon(*, now: datetime, limit: int = 1000) -> int:
    """Tell of open items whose due time is near, each once; returns how many. Safe to run many times at once."""
    kind = WebhookEventType.ITEM_DUE_SOON
    if not wanted(kind):
        return 0
    near = ReviewItem.objects.filter(
        status=ItemStatus.OPEN, due_at__gt=now - DUE_LATELY, due_at__lte=now + DUE_SOON
    )
    told = WebhookEvent.objects.filter(type=kind, object_id__in=near.values("pk")).values("object_id")
    found = list(near.exclude(pk__in=told).order_by("due_at", "id")[:limit])
    _write([News(kind, item.pk, item.version, _item(item)) for item in found], now=now)
    return len(found)


def moment(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def _kind(change: "Change") -> WebhookEventType:
    before, after = (_removals(document) for document in (change.before, change.after.document))
    if after - before:
        return WebhookEventType.POST_REMOVED
    return WebhookEventType.POST_RESTORED if before - after else WebhookEventType.POST_EFFECT_CHANGED


def _removals(document: Mapping[str, Any] | None) -> set[str]:
    """Where a post is removed: regions, "" for everywhere."""
    if document is None:
        return set()
    regions = {code for code, here in document["regions"].items() if here["removed"]}
    return regions | {""} if document["removed"] else regions


def _effect(document: Mapping[str, Any] | None) -> dict[str, Any]:
    if document is None:
        return {"state": "none"}
    return {"state": "effect", **{name: value for name, value in document.items() if name not in INSIDE}}


def _item(item: ReviewItem) -> dict[str, Any]:
    return {
        "kind": item.kind,
        "language": item.language,
        "countries": item.countries,
        "opened_at": moment(item.opened_at),
        "due_at": moment(item.due_at),
    }
