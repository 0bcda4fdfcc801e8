"""Row locks, all of them, in the one order: item, cluster, actor, effective state (by post id), flag.

A service that needs a lock further up the list hands the work to the outbox instead.
All locks are FOR NO KEY UPDATE, so that inserts with foreign keys to the row go on.
"""

import uuid
from collections.abc import Collection
from datetime import datetime

from django.db import connection
from django.db.models import Q

from moderation.errors import NotFound
from moderation.ids import array
from moderation.models import (
    Actor,
    ActorStanding,
    Cluster,
    Escalation,
    Flag,
    PolicyDraft,
    Proposal,
    ReviewItem,
    Switch,
    WebhookEndpoint,
)

SWITCHES = 0x51C4  # advisory lock number: before every row


def item(item_id: uuid.UUID) -> ReviewItem:
    """Raises NotFound if there is no such item."""
    found = ReviewItem.objects.select_for_update(no_key=True, of=("self",)).filter(pk=item_id).first()
    if found is None:
        raise NotFound("There is no such item.")
    return found


def open_items(
    *,
    item_ids: Collection[uuid.UUID] = (),
    post_ids: Collection[uuid.UUID] = (),
    cluster_ids: Collection[uuid.UUID] = (),
) -> list[ReviewItem]:
    """The open items of these ids, or about these posts and clusters, locked in id order: ask once for all
    you need."""
    about = Q(pk__in=item_ids) | Q(post_id__in=post_ids) | Q(cluster_id__in=cluster_ids)
    return list(
        ReviewItem.objects.select_for_update(no_key=True, of=("self",))
        .filter(about, status="open")
        .order_by("id")
    )


def cluster(cluster_id: uuid.UUID) -> Cluster:
    return Cluster.objects.select_for_update(no_key=True).get(pk=cluster_id)


def actors(actor_ids: Collection[uuid.UUID]) -> list[Actor]:
    return list(
        Actor.objects.select_for_update(no_key=True, of=("self",)).filter(pk__in=actor_ids).order_by("id")
    )


def standings(actor_ids: Collection[uuid.UUID]) -> list[ActorStanding]:
    """Where the actors would be locked: a standing stands for its actor, before any effective state."""
    rows = ActorStanding.objects.select_for_update(no_key=True, of=("self",)).filter(actor_id__in=actor_ids)
    return list(rows.order_by("actor_id"))


_HOLD_STATES = """
SELECT max(computed_at) FROM (
    SELECT computed_at FROM moderation_effectivestate WHERE post_id = ANY(%s::uuid[])
    ORDER BY post_id FOR NO KEY UPDATE
) AS held
"""


def hold_states(post_ids: Collection[uuid.UUID]) -> datetime | None:
    """Lock the states: whoever writes one of them now is waited for. Returns when the newest was computed."""
    with connection.cursor() as cursor:
        cursor.execute(_HOLD_STATES, [array(post_ids)])
        newest: datetime | None = cursor.fetchone()[0]
    return newest


def escalation(escalation_id: uuid.UUID) -> Escalation:
    """Raises NotFound if there is no such escalation."""
    found = Escalation.objects.select_for_update(no_key=True, of=("self",)).filter(pk=escalation_id).first()
    if found is None:
        raise NotFound("There is no such escalation.")
    return found


def proposal(proposal_id: uuid.UUID) -> Proposal:
    """Raises NotFound if there is no such proposal."""
    found = Proposal.objects.select_for_update(no_key=True, of=("self",)).filter(pk=proposal_id).first()
    if found is None:
        raise NotFound("There is no such proposal.")
    return found


def policy_draft(draft_id: uuid.UUID) -> PolicyDraft:
    """Raises NotFound if there is no such draft."""
    found = PolicyDraft.objects.select_for_update(no_key=True, of=("self",)).filter(pk=draft_id).first()
    if found is None:
        raise NotFound("There is no such draft.")
    return found


def switch(switch_id: uuid.UUID) -> Switch:
    """Raises NotFound if there is no such switch."""
    found = Switch.objects.select_for_update(no_key=True, of=("self",)).filter(pk=switch_id).first()
    if found is None:
        raise NotFound("There is no such switch.")
    return found


def hold_switches() -> None:
    """Until this transaction ends, no switch goes on: what it may do now, it still may when it commits."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", [SWITCHES])


def turn_switches() -> None:
    """Wait for everybody who relies on the switches as they are. Before any row is locked."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [SWITCHES])


def webhook(endpoint_id: uuid.UUID) -> WebhookEndpoint:
    """Raises NotFound if there is no such endpoint, or no more."""
    rows = WebhookEndpoint.objects.select_for_update(no_key=True, of=("self",))
    found = rows.filter(pk=endpoint_id, removed_at__isnull=True).first()
    if found is None:
        raise NotFound("There is no such webhook.")
    return found


def flagged_posts(post_ids: Collection[uuid.UUID]) -> list[uuid.UUID]:
    """Those of the posts that have live flags, sorted; the flags are locked, in id order and after all else."""
    live = (
        Flag.objects.select_for_update(no_key=True, of=("self",))
        .filter(post_id__in=post_ids, withdrawn_at__isnull=True)
        .order_by("id")
    )
    return sorted(set(live.values_list("post_id", flat=True)))
