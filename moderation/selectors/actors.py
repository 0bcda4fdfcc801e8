"""An actor's history, as reviewers and the desk read it."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef

from moderation import policy
from moderation.enums import DecisionKind
from moderation.models import ClusterMember, Decision, Post, Strike
from moderation.selectors import policies, standing

SHOWN = 5


@dataclass(frozen=True)
class History:
    """`level` is the policy's row for the strikes that count now; `next_level` the one above it, if any."""

    posts: int
    strikes: Sequence[Strike]
    level: Mapping[str, Any]
    next_level: Mapping[str, Any] | None
    verdicts: Sequence[Decision]  # verdicts standing on their posts, newest first
    removals: int


def history(actor_id: uuid.UUID, *, now: datetime) -> History:
    rules = policies.at(now).data
    strikes = standing.counting([actor_id], now=now).get(actor_id, [])
    memberships = ClusterMember.objects.filter(
        cluster=OuterRef("cluster"), post__actor_id=actor_id, left_at__isnull=True
    )
    standing_now = Decision.objects.filter(ends=False, superseded_by__isnull=True, in_force_from__lte=now)
    return History(
        posts=Post.objects.filter(actor_id=actor_id, deleted_at__isnull=True).count(),
        strikes=strikes,
        level=policy.level(len(strikes), rules),
        next_level=min(
            (row for row in rules["strikes"]["levels"] if row["at"] > len(strikes)),
            key=lambda row: row["at"],
            default=None,
        ),
        verdicts=list(
            standing_now.filter(Exists(memberships), kind=DecisionKind.STANDING_VERDICT).order_by("-id")[
                :SHOWN
            ]
        ),
        removals=standing_now.filter(kind=DecisionKind.REMOVAL, post__actor_id=actor_id).count(),
    )
