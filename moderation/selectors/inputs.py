"""What the effective state of posts depends on, and what the pure function makes of it."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import connection
from django.db.models import Q

from moderation import policy
from moderation.ids import among, array
from moderation.models import ClusterMember, Decision, EffectiveState, Post, Strike
from moderation.selectors import policies, standing, switches
from moderation.selectors.policies import Policy
from moderation.selectors.switches import Switching

if TYPE_CHECKING:
    from django.db.models import QuerySet


@dataclass(frozen=True, slots=True)
class Alike:
    """Posts of which all that the rules ask is alike, and what is stored of them too.

    The versions in `inputs` are those of one of the posts: the rules only compare them with each other.
    Ids are text, as PostgreSQL, the cache and the outbox take them: there may be thousands.
    """

    post_ids: list[str]
    inputs: policy.Inputs
    stored: str | None  # the document as PostgreSQL prints it
    stored_until: datetime | None


# In one statement, so that a claim's copies come as one row. Of several versions of a post in a cluster the
# newest counts; which it is matters only if it is not the post's current one.
_ALIKE = """
SELECT string_agg(id::text, ',' ORDER BY id), min(current_version_id::text), own, actor_id, through,
       document::text, valid_until
FROM (
    SELECT p.id, p.current_version_id, s.document, s.valid_until,
           CASE WHEN p.actor_id = ANY(%(struck)s::uuid[]) THEN p.actor_id END AS actor_id,
           CASE WHEN EXISTS (SELECT FROM moderation_decision d WHERE d.post_id = p.id) THEN p.id END AS own,
           (SELECT array_agg(m.cluster_id || CASE WHEN m.post_version_id = p.current_version_id THEN ''
                                             ELSE ' ' || m.post_version_id END ORDER BY m.cluster_id)
            FROM (SELECT DISTINCT ON (cluster_id) cluster_id, post_version_id
                  FROM moderation_clustermember c JOIN moderation_postversion v ON v.id = c.post_version_id
                  WHERE c.post_id = p.id AND c.left_at IS NULL
                  ORDER BY cluster_id, v.number DESC) AS m) AS through
    FROM moderation_post p JOIN moderation_effectivestate s ON s.post_id = p.id
    WHERE p.id = ANY(%(posts)s::uuid[])
) AS post
GROUP BY own, actor_id, through, document, valid_until
"""


def alike(
    post_ids: Collection[object],
    *,
    now: datetime,
    rules: Policy | None = None,
    switching: Switching | None = None,
) -> list[Alike]:
    """The inputs of the pure function for these posts, in a handful of queries, however many they are.

    `rules` and `switching`: a policy and switches to try; else those of `now`. Switches that lift bind every
    post; which strikes others clear is in `counting`, by actor.
    """
    rules = rules or policies.at(now)
    switching = switching or switches.at(now)
    actors = (
        Post.objects.filter(pk__in=among(post_ids)).order_by("actor_id").values_list("actor_id", flat=True)
    )
    counting = standing.counting(list(actors.distinct()), now=now, rules=rules.data, switching=switching)
    with connection.cursor() as cursor:
        cursor.execute(_ALIKE, {"posts": array(post_ids), "struck": array(counting)})
        rows = cursor.fetchall()
    clusters = {entry.split()[0] for row in rows for entry in row[4] or ()}
    own = [row[2] for row in rows if row[2] is not None]
    on_cluster = _by("cluster_id", Decision.objects.filter(cluster_id__in=clusters))
    on_post = _by("post_id", Decision.objects.filter(post_id__in=among(own)))
    found = []
    for ids, current, post_id, actor_id, through, stored, stored_until in rows:
        decisions = [standing.recorded(d) for d in on_post.get(post_id, ())]
        for entry in through or ():
            cluster, _, version = entry.partition(" ")
            decisions += [
                standing.recorded(d, about_version=version or current)
                for d in on_cluster.get(uuid.UUID(cluster), ())
            ]
        known = policy.Inputs(
            current_version=current or "None",
            decisions=decisions,
            strikes=[s.counts_until for s in counting.get(actor_id, ())],
            policy_number=rules.number,
            policy=rules.data,
            lifts=switching.lifts,
        )
        found.append(Alike(ids.split(","), known, stored, stored_until))
    return found


def load_inputs(
    post_ids: Collection[uuid.UUID],
    *,
    now: datetime,
    rules: Policy | None = None,
    switching: Switching | None = None,
) -> dict[uuid.UUID, policy.Inputs]:
    """As `alike`, by post."""
    groups = alike(post_ids, now=now, rules=rules, switching=switching)
    return {uuid.UUID(i): group.inputs for group in groups for i in group.post_ids}


def _by(target: str, rows: "QuerySet[Decision]") -> dict[uuid.UUID, list[Decision]]:
    found: dict[uuid.UUID, list[Decision]] = {}
    for row in rows.order_by("id"):
        found.setdefault(getattr(row, target), []).append(row)
    return found


def compute(
    post_ids: Collection[uuid.UUID],
    *,
    now: datetime,
    rules: Policy | None = None,
    switching: Switching | None = None,
) -> dict[uuid.UUID, policy.State]:
    """The pure function's answer for these posts at `now`; writes nothing. The rest as in `alike`."""
    states: dict[uuid.UUID, policy.State] = {}
    for group in alike(post_ids, now=now, rules=rules, switching=switching):
        state = policy.effective_state(group.inputs, now)
        states.update((uuid.UUID(i), state) for i in group.post_ids)
    return states


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
