"""Recording decisions: the only way in which anything comes to change what is served."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from moderation import locks
from moderation.caller import Caller
from moderation.enums import AuditEvent, DecisionKind, OutboxKind
from moderation.errors import Conflict
from moderation.models import Decision, Post, PostVersion
from moderation.selectors import policies
from moderation.services import audit, fan_outs, outbox, strikes


@transaction.atomic
def stand(
    cluster_id: uuid.UUID,
    *,
    outcome: str,
    contested: bool,
    presentation: Mapping[str, Any],
    organisations: Collection[uuid.UUID] = (),
    rated_version: PostVersion | None,
    source: str,
    source_key: str,
    caller: Caller,
    now: datetime,
) -> Decision | None:
    """Record the one standing verdict on a cluster; `outcome` "" says that none stands any more.

    `organisations`: whose ratings it rests on.

    The newest row supersedes the one before it. Nothing is recorded when nothing changes. A striking
    verdict strikes the original publisher, who is the actor of `rated_version`. Safe to repeat: the same
    (source, source_key) gives the row recorded first.
    """
    repeated = Decision.objects.filter(source=source, source_key=source_key).first()
    if repeated is not None:
        return repeated
    locks.cluster(cluster_id)
    tip = _tip(cluster_id)
    if not outcome and (tip is None or tip.ends):
        return None
    resting_on = sorted(set(organisations))
    says = (outcome, contested, dict(presentation), resting_on)
    if tip is not None and (tip.outcome, tip.contested, tip.presentation, tip.organisations) == says:
        return tip
    decision = _insert(
        kind=DecisionKind.STANDING_VERDICT,
        cluster_id=cluster_id,
        outcome=outcome,
        contested=contested,
        ends=not outcome,
        presentation=dict(presentation),
        organisations=resting_on,
        post_version=rated_version,
        supersedes=tip,
        source=source,
        source_key=source_key,
        caller=caller,
        now=now,
    )
    if outcome and rated_version is not None:
        strikes.charge(decision, cluster_id, rated_version, caller=caller, now=now)
    strikes.recompute_struck(cluster_id, now=now)
    fan_outs.over_cluster(cluster_id, now=now)
    outbox.put(OutboxKind.JUDGE_CLUSTER, [cluster_id], now=now)
    outbox.put_once(OutboxKind.REFRESH_CLUSTER, [cluster_id], now=now)  # a conflict opened or closed
    return decision


@transaction.atomic
def on_post(
    post: Post,
    *,
    kind: DecisionKind,
    source: str,
    source_key: str,
    caller: Caller,
    now: datetime,
    post_version: PostVersion | None = None,
    outcome: str = "",
    ground: str = "",
    regions: Sequence[str] = (),
    presentation: Mapping[str, Any] | None = None,
    in_force_until: datetime | None = None,
    decided_by: uuid.UUID | None = None,
    confirmed_by: uuid.UUID | None = None,
    urgent: bool = False,
) -> Decision:
    """Record a decision on one post. Safe to repeat by (source, source_key)."""
    repeated = Decision.objects.filter(source=source, source_key=source_key).first()
    if repeated is not None:
        return repeated
    decision = _insert(
        kind=kind,
        post_id=post.pk,
        post_version=post_version,
        outcome=outcome,
        ground=ground,
        regions=list(regions),
        presentation=dict(presentation or {}),
        in_force_until=in_force_until,
        decided_by_id=decided_by or caller.person_id,
        confirmed_by_id=confirmed_by,
        source=source,
        source_key=source_key,
        caller=caller,
        now=now,
    )
    outbox.put(OutboxKind.RECOMPUTE_POST, [post.pk], now=now, urgent=urgent)
    outbox.put(OutboxKind.JUDGE_FLAGS, [post.pk], now=now)
    return decision


@transaction.atomic
def end(
    decision: Decision,
    *,
    source: str,
    source_key: str,
    caller: Caller,
    now: datetime,
    presentation: Mapping[str, Any] | None = None,
    decided_by: uuid.UUID | None = None,
    confirmed_by: uuid.UUID | None = None,
    urgent: bool = False,
) -> Decision:
    """End a decision on a post by a row that supersedes it; `presentation` says why, in the desk's words.

    Raises Conflict (`already_superseded`) if a newer row is there.
    """
    repeated = Decision.objects.filter(source=source, source_key=source_key).first()
    if repeated is not None:
        return repeated
    try:
        with transaction.atomic():  # the unique `supersedes` decides between two who end it at once
            ending = _insert(
                kind=decision.kind,
                post_id=decision.post_id,
                cluster_id=decision.cluster_id,
                post_version_id=decision.post_version_id,
                ground=decision.ground,
                regions=decision.regions,
                presentation=dict(presentation or {}),
                ends=True,
                supersedes=decision,
                decided_by_id=decided_by or caller.person_id,
                confirmed_by_id=confirmed_by,
                source=source,
                source_key=source_key,
                caller=caller,
                now=now,
            )
    except IntegrityError:
        raise Conflict("A newer decision stands already.", code="already_superseded") from None
    if decision.post_id is not None:
        outbox.put(OutboxKind.RECOMPUTE_POST, [decision.post_id], now=now, urgent=urgent)
        outbox.put(OutboxKind.JUDGE_FLAGS, [decision.post_id], now=now)
    return ending


def standing_on(cluster_id: uuid.UUID) -> Decision | None:
    """The verdict that stands on a cluster, if any."""
    tip = _tip(cluster_id)
    return None if tip is None or tip.ends else tip


def _tip(cluster_id: uuid.UUID) -> Decision | None:
    """The newest row of the cluster's chain of verdicts, which may be an ending."""
    return (
        Decision.objects.filter(
            cluster_id=cluster_id, kind=DecisionKind.STANDING_VERDICT, superseded_by__isnull=True
        )
        .order_by("-id")
        .first()
    )


def _insert(*, caller: Caller, now: datetime, **fields: Any) -> Decision:
    decision = Decision.objects.create(
        in_force_from=now,
        at=now,
        policy_version_id=policies.at(now).number,
        **{"decided_by_id": caller.person_id, **fields},
    )
    audit.record(
        AuditEvent.DECISION_RECORDED,
        decision,
        caller=caller,
        now=now,
        kind=decision.kind,
        outcome=decision.outcome,
        ends=decision.ends,
    )
    return decision
