"""An actor's standing: the strikes that count now."""

import uuid
from collections.abc import Collection
from datetime import datetime

from moderation import policy
from moderation.enums import DecisionKind
from moderation.models import ClusterMember, Decision, Strike
from moderation.selectors import policies


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
