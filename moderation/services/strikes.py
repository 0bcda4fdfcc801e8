"""Strikes: rows, counted when read. A strike counts while its time lasts and its cluster's verdict strikes."""

import uuid
from datetime import datetime, timedelta

from moderation import locks
from moderation.caller import Caller
from moderation.enums import AuditEvent, OutboxKind
from moderation.models import Decision, PostVersion, Strike
from moderation.selectors import policies, standing
from moderation.services import audit, outbox


def charge(
    decision: Decision, cluster_id: uuid.UUID, version: PostVersion, *, caller: Caller, now: datetime
) -> Strike | None:
    """Strike the original publisher if the verdict strikes (domain 5).

    Once per actor and claim for as long as its verdict stands, however often that is confirmed or revised;
    a verdict after an ending strikes anew. A post deleted before the rating was in force brings no strike.
    """
    rules = policies.at(now).data
    if decision.contested or not rules["verdicts"][decision.outcome]["strike"]:
        return None
    if version.post.deleted_at is not None:
        return None
    locks.actors([version.post.actor_id])
    if Strike.objects.filter(
        actor_id=version.post.actor_id,
        cluster_id=cluster_id,
        decision_id__in=standing.run_of(decision),
    ).exists():
        return None
    strike = Strike.objects.create(
        actor_id=version.post.actor_id,
        cluster_id=cluster_id,
        decision=decision,
        post_id=version.post_id,
        policy_version_id=decision.policy_version_id,
        at=now,
        counts_until=now + timedelta(days=rules["strikes"]["window_days"]),
    )
    audit.record(
        AuditEvent.STRIKE_ADDED,
        strike,
        caller=caller,
        now=now,
        actor=str(strike.actor_id),
        decision=str(decision.pk),
    )
    return strike


def recompute_struck(cluster_id: uuid.UUID, *, now: datetime) -> None:
    """A verdict changed: owe a recompute of every actor whom a strike on this cluster may touch."""
    struck = (
        Strike.objects.filter(cluster_id=cluster_id, counts_until__gt=now)
        .order_by("actor_id")
        .values_list("actor_id", flat=True)
        .distinct()
    )
    outbox.put(OutboxKind.RECOMPUTE_ACTOR, struck, now=now)
