"""Strikes: rows, counted when read. A strike counts while its time lasts and its cluster's verdict strikes."""

import uuid
from collections.abc import Collection
from datetime import datetime, timedelta

from moderation import locks, policy
from moderation.caller import Caller
from moderation.enums import AuditEvent, DecisionKind, OutboxKind
from moderation.models import ClusterMember, Decision, PostVersion, Strike
from moderation.services import audit, outbox, policies


def charge(decision: Decision, version: PostVersion, *, caller: Caller, now: datetime) -> Strike | None:
    """Strike the original publisher if the verdict strikes; once per actor and claim in a window (domain 5).

    A post deleted before the rating was in force brings no strike.
    """
    rules = policies.at(now).data
    if decision.contested or not rules["verdicts"][decision.outcome]["strike"]:
        return None
    if version.post.deleted_at is not None:
        return None
    locks.actors([version.post.actor_id])
    if Strike.objects.filter(
        actor_id=version.post.actor_id, cluster_id=decision.cluster_id, counts_until__gt=now
    ).exists():
        return None
    strike = Strike.objects.create(
        actor_id=version.post.actor_id,
        cluster_id=decision.cluster_id,
        decision=decision,
        post_id=version.post_id,
        policy_version_id=decision.policy_version_id,
        at=now,
        counts_until=now + timedelta(days=rules["strikes"]["window_days"]),
    )
    audit.record(
        AuditEvent.STRIKE_ADDED, strike, caller=caller, now=now, actor=str(strike.actor_id), decision=str(decision.pk)
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


def counting(actor_ids: Collection[uuid.UUID], *, now: datetime) -> dict[uuid.UUID, list[Strike]]:
    """The strikes that count now, per actor: time left, the verdict in force strikes, the post still in the cluster."""
    strikes = list(
        Strike.objects.filter(actor_id__in=actor_ids, counts_until__gt=now).order_by("actor_id", "at", "id")
    )
    clusters = {s.cluster_id for s in strikes}
    rows = Decision.objects.filter(cluster_id__in=clusters, kind=DecisionKind.STANDING_VERDICT).order_by("id")
    by_cluster: dict[uuid.UUID, list[policy.Recorded]] = {}
    for row in rows:
        by_cluster.setdefault(row.cluster_id, []).append(recorded(row))  # type: ignore[arg-type]
    rules = policies.at(now).data["verdicts"]
    striking = {
        cluster
        for cluster, decisions in by_cluster.items()
        if any(rules[d.outcome]["strike"] and not d.contested for d in policy.in_force(decisions, now))
    }
    members = set(
        ClusterMember.objects.filter(
            cluster_id__in=striking, post_id__in={s.post_id for s in strikes}, left_at__isnull=True
        ).values_list("cluster_id", "post_id")
    )
    found: dict[uuid.UUID, list[Strike]] = {}
    for strike in strikes:
        if (strike.cluster_id, strike.post_id) in members:
            found.setdefault(strike.actor_id, []).append(strike)
    return found


def recorded(row: Decision, *, about_version: str = "") -> policy.Recorded:
    """A decision row as the pure rules see it."""
    return policy.Recorded(
        id=str(row.pk),
        kind=row.kind,
        in_force_from=row.in_force_from,
        in_force_until=row.in_force_until,
        supersedes=str(row.supersedes_id) if row.supersedes_id else None,
        ends=row.ends,
        outcome=row.outcome,
        contested=row.contested,
        regions=tuple(row.regions),
        ground=row.ground,
        about_version=about_version or str(row.post_version_id or ""),
        presentation=row.presentation,
    )
