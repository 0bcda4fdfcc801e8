"""One case of the policy desk with everything about it: the desk sees all (domain 8)."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Min, Q

from moderation import policy
from moderation.caller import Caller
from moderation.enums import DecisionKind, EscalationStatus, Ground
from moderation.models import (
    ClusterMember,
    Decision,
    EffectiveState,
    Escalation,
    Flag,
    ItemNote,
    PostVersion,
    Proposal,
    Signal,
)
from moderation.permissions import may_see_desk
from moderation.selectors import actors, desk, inputs, organisations
from moderation.selectors.actors import History
from moderation.selectors.desk import Row

NOTES_SHOWN, CASES_SHOWN, DECISIONS_SHOWN, SIMILAR_SHOWN = 10, 10, 50, 4


@dataclass(frozen=True)
class CaseFile:
    """`state` is what the decisions in force demand; `served` is whether the stored state says so already."""

    row: Row
    versions: Sequence[PostVersion]
    flags: Sequence[Mapping[str, Any]]  # {"reason", "count", "first"}
    flag_notes: Sequence[Flag]  # without their reporters
    signals: Sequence[Signal]
    notes: Sequence[ItemNote]
    decisions: Sequence[Decision]  # on the post and on what it claims, newest first
    proposals: Sequence[Proposal]
    state: policy.State
    served: bool
    history: History
    other_cases: Sequence[Escalation]
    similar_removals: Sequence[Escalation]
    copies: int  # live posts of the same claims
    hidden_once: bool
    restricted_once: bool
    organisations: Mapping[uuid.UUID, str]

    @property
    def case(self) -> Escalation:
        return self.row.case

    @property
    def shown(self) -> PostVersion:
        """The version that members see, or saw last."""
        return next(v for v in self.versions if v.pk == self.case.post.current_version_id)

    @property
    def withheld(self) -> bool:
        """Child safety: nothing of the content is shown here (domain 8)."""
        return self.case.ground == Ground.CHILD_SAFETY


def read(case_id: uuid.UUID, *, caller: Caller, now: datetime) -> CaseFile | None:
    """None if there is no such case or the caller may not see the desk. A fixed number of queries."""
    case = (
        Escalation.objects.filter(pk=case_id)
        .select_related("post__actor", "post__reach", "post_version__content", "opened_by")
        .first()
    )
    if case is None or not may_see_desk(caller):
        return None
    post = case.post
    clusters = _clusters_of(post.pk)
    about = Q(post=post) | Q(cluster_id__in=clusters)
    live_flags = Flag.objects.filter(post=post, withdrawn_at__isnull=True)
    notes = list(
        ItemNote.objects.filter(Q(item__post=post) | Q(item__cluster_id__in=clusters)).order_by("id")
    )
    state = inputs.compute([post.pk], now=now)[post.pk]
    stored = EffectiveState.objects.filter(post=post).first()
    once = set(
        Decision.objects.filter(
            kind__in=(DecisionKind.HIDE, DecisionKind.RESTRICTION),
            source_key=f"{case.post_version_id}:{case.ground}",
        ).values_list("kind", flat=True)
    )
    row = desk.dress([case], now=now)[0]
    return CaseFile(
        row=row,
        versions=list(post.versions.select_related("content").order_by("number")),
        flags=[
            dict(group)
            for group in live_flags.values("reason")
            .annotate(count=Count("reporter", distinct=True), first=Min("at"))
            .order_by("-count", "reason")
        ],
        flag_notes=list(live_flags.exclude(note="").order_by("-id")[:NOTES_SHOWN]),
        signals=list(Signal.objects.filter(post=post).order_by("-score", "-id")[:NOTES_SHOWN]),
        notes=notes,
        decisions=list(
            Decision.objects.filter(about)
            .select_related("decided_by", "confirmed_by", "superseded_by")
            .order_by("-id")[:DECISIONS_SHOWN]
        ),
        proposals=list(case.proposals.select_related("proposed_by", "judged_by").order_by("-id")),
        state=state,
        served=stored is not None
        and (stored.document, stored.valid_until) == (state.document, state.valid_until),
        history=actors.history(post.actor_id, now=now),
        other_cases=list(
            Escalation.objects.filter(post__actor_id=post.actor_id)
            .exclude(pk=case.pk)
            .select_related("post", "post_version__content")
            .order_by("-id")[:CASES_SHOWN]
        ),
        similar_removals=list(
            Escalation.objects.filter(ground=case.ground, status=EscalationStatus.REMOVED)
            .exclude(pk=case.pk)
            .exclude(ground=Ground.CHILD_SAFETY)
            .select_related("post__actor", "post_version__content")
            .order_by("-decided_at")[:SIMILAR_SHOWN]
        ),
        copies=ClusterMember.objects.filter(
            cluster_id__in=clusters, left_at__isnull=True, post__deleted_at__isnull=True
        )
        .exclude(post=post)
        .values("post")
        .distinct()
        .count(),
        hidden_once=DecisionKind.HIDE in once,
        restricted_once=DecisionKind.RESTRICTION in once,
        organisations=organisations.names({n.organisation for n in notes if n.organisation}),
    )


def _clusters_of(post_id: uuid.UUID) -> list[uuid.UUID]:
    return list(
        ClusterMember.objects.filter(post_id=post_id, left_at__isnull=True)
        .order_by("cluster_id")
        .values_list("cluster_id", flat=True)
        .distinct()
    )
