"""An actor's standing: the strikes that count now."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db.models import Q

from moderation import policy
from moderation.enums import DecisionKind
from moderation.ids import among
from moderation.models import ClusterMember, Decision, EffectiveState, Strike
from moderation.selectors import policies, switches
from moderation.selectors.switches import Switching

if TYPE_CHECKING:
    from django.db.models import QuerySet


def counting(
    actor_ids: Collection[uuid.UUID],
    *,
    now: datetime,
    rules: Mapping[str, Any] | None = None,
    switching: Switching | None = None,
) -> dict[uuid.UUID, list[Strike]]:
    """The strikes that count now, per actor, oldest first.

    A strike counts while its time lasts, its post is in the cluster, the verdict in force there strikes this
    actor: undisputed, resting on a post of theirs, and never ended since the strike (domain 5); and while no
    switch clears it. `rules` and `switching`: policy data and switches to try, else those of `now`.
    """
    strikes = list(
        Strike.objects.filter(actor_id__in=among(actor_ids), counts_until__gt=now)
        .select_related("actor")
        .order_by("actor_id", "at", "id")
    )
    if not strikes:
        return {}
    cleared = (switching or switches.at(now)).clearances
    clusters = {s.cluster_id for s in strikes}
    verdicts = (rules or policies.at(now).data)["verdicts"]
    struck = {cluster: _struck(rows, verdicts, now=now) for cluster, rows in _verdicts(clusters).items()}
    members = set(
        ClusterMember.objects.filter(
            cluster_id__in=clusters, post_id__in={s.post_id for s in strikes}, left_at__isnull=True
        ).values_list("cluster_id", "post_id")
    )
    found: dict[uuid.UUID, list[Strike]] = {}
    for strike in strikes:
        verdict = struck.get(strike.cluster_id, {}).get((strike.actor_id, strike.decision_id))
        if verdict is None or (strike.cluster_id, strike.post_id) not in members:
            continue
        if not policy.covers(
            cleared,
            country=strike.actor.country,
            outcome=verdict.outcome,
            organisations=verdict.organisations,
        ):
            found.setdefault(strike.actor_id, []).append(strike)
    return found


def out_of_step(actor_id: uuid.UUID, *, now: datetime) -> "QuerySet[EffectiveState, uuid.UUID]":
    """Ids of the actor's posts whose stored states do not carry its level, or hold longer than the level will."""
    rules = policies.at(now).data
    ends = sorted(s.counts_until for s in counting([actor_id], now=now).get(actor_id, ()))
    here = policy.level(len(ends), rules)
    # The level falls to that of fewer strikes as they run out, soonest first.
    falls = next((t for n, t in enumerate(ends, 1) if policy.level(len(ends) - n, rules) != here), None)
    limits = here["multiplier"] != policy.FULL or not (
        here["recommendations"] and here["ads"] and here["monetisation"]
    )
    stale = Q(document__isnull=False) & ~Q(document__actor_level=here["level"])
    if limits:
        stale |= Q(document__isnull=True)
    if falls is not None:
        stale |= Q(document__isnull=False) & (Q(valid_until__isnull=True) | Q(valid_until__gt=falls))
    return EffectiveState.objects.filter(stale, post__actor_id=actor_id).values_list("post_id", flat=True)


def run_of(decision: Decision) -> list[uuid.UUID]:
    """The decisions of a cluster's verdict without an ending between them, newest first, up to this one."""
    rows = _verdicts([decision.cluster_id] if decision.cluster_id else []).get(decision.cluster_id, ())
    return [uuid.UUID(d.id) for d in policy.unbroken_run(recorded(decision), map(recorded, rows))]


def _verdicts(clusters: Collection[uuid.UUID]) -> dict[uuid.UUID | None, list[Decision]]:
    found: dict[uuid.UUID | None, list[Decision]] = {}
    rows = Decision.objects.filter(cluster_id__in=clusters, kind=DecisionKind.STANDING_VERDICT)
    for row in rows.select_related("post_version__post").order_by("id"):
        found.setdefault(row.cluster_id, []).append(row)
    return found


def _struck(
    rows: Sequence[Decision], rules: Mapping[str, Any], *, now: datetime
) -> dict[tuple[uuid.UUID, uuid.UUID], policy.Recorded]:
    """Which strikes hold by which verdict in force: the struck actor and a decision of the verdict's run."""
    chain = [recorded(row) for row in rows]
    publisher = {str(row.pk): row.post_version.post.actor_id for row in rows if row.post_version}
    return {
        (publisher[tip.id], uuid.UUID(d.id)): tip
        for tip in policy.in_force(chain, now)
        if rules[tip.outcome]["strike"] and not tip.contested and tip.id in publisher
        for d in policy.unbroken_run(tip, chain)
    }


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
        organisations=tuple(str(i) for i in row.organisations),
    )
