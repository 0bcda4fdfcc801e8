"""What the effective state of posts depends on, and what the pure function makes of it."""

import uuid
from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import Q

from moderation import policy
from moderation.models import ClusterMember, Decision, EffectiveState, Post, Strike
from moderation.selectors import policies, standing, switches
from moderation.selectors.policies import Policy
from moderation.selectors.switches import Switching

if TYPE_CHECKING:
    from django.db.models import QuerySet


def load_inputs(
    post_ids: Collection[uuid.UUID],
    *,
    now: datetime,
    rules: Policy | None = None,
    switching: Switching | None = None,
) -> dict[uuid.UUID, policy.Inputs]:
    """The inputs of the pure function for these posts, in a handful of queries.

    `rules` and `switching`: a policy and switches to try; else those of `now`.
    """
    posts = {
        p.pk: p for p in Post.objects.filter(pk__in=post_ids).only("id", "actor_id", "current_version_id")
    }
    through: dict[uuid.UUID, dict[uuid.UUID, uuid.UUID]] = {}
    members = ClusterMember.objects.filter(post_id__in=posts, left_at__isnull=True).order_by(
        "post_version__number"
    )
    for post_id, cluster_id, version_id in members.values_list("post_id", "cluster_id", "post_version_id"):
        through.setdefault(post_id, {})[cluster_id] = version_id  # the newest version in the cluster counts
    clusters = {c for by_cluster in through.values() for c in by_cluster}
    on_cluster: dict[uuid.UUID, list[Decision]] = {}
    on_post: dict[uuid.UUID, list[Decision]] = {}
    for row in Decision.objects.filter(Q(cluster_id__in=clusters) | Q(post_id__in=posts)).order_by("id"):
        if row.cluster_id is not None:
            on_cluster.setdefault(row.cluster_id, []).append(row)
        elif row.post_id is not None:
            on_post.setdefault(row.post_id, []).append(row)
    rules = rules or policies.at(now)
    switching = switching or switches.at(now)
    counting = standing.counting(
        {p.actor_id for p in posts.values()}, now=now, rules=rules.data, switching=switching
    )
    inputs = {}
    for post in posts.values():
        decisions = [standing.recorded(d) for d in on_post.get(post.pk, ())]
        for cluster_id, version_id in sorted(through.get(post.pk, {}).items()):
            decisions += [
                standing.recorded(d, about_version=str(version_id)) for d in on_cluster.get(cluster_id, ())
            ]
        inputs[post.pk] = policy.Inputs(
            current_version=str(post.current_version_id),
            decisions=decisions,
            strikes=[s.counts_until for s in counting.get(post.actor_id, ())],
            policy_number=rules.number,
            policy=rules.data,
            lifts=switching.lifts,
        )
    return inputs


def compute(
    post_ids: Collection[uuid.UUID],
    *,
    now: datetime,
    rules: Policy | None = None,
    switching: Switching | None = None,
) -> dict[uuid.UUID, policy.State]:
    """The pure function's answer for these posts at `now`; writes nothing. The rest as in `load_inputs`."""
    loaded = load_inputs(post_ids, now=now, rules=rules, switching=switching)
    return {i: policy.effective_state(x, now) for i, x in loaded.items()}


def under_policy(now: datetime) -> "QuerySet[EffectiveState, uuid.UUID]":
    """Ids of the posts that another policy could treat otherwise: with an effect, a decision, or an actor with
    strikes.

    An effect alone is not enough: that of a decision recorded a moment ago may not be stored yet.
    """
    struck = Strike.objects.filter(counts_until__gt=now).values("actor_id")
    standing_rows = Decision.objects.filter(ends=False, superseded_by__isnull=True)
    members = ClusterMember.objects.filter(
        cluster_id__in=standing_rows.filter(cluster__isnull=False).values("cluster_id"), left_at__isnull=True
    )
    return EffectiveState.objects.filter(
        Q(document__isnull=False)
        | Q(post_id__in=members.values("post_id"))
        | Q(post_id__in=standing_rows.filter(post__isnull=False).values("post_id"))
        | Q(post__actor_id__in=struck)
    ).values_list("post_id", flat=True)
