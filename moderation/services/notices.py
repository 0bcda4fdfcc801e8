"""Notices: a person is told once, after the effect has been stable for a while; told again when it is lifted."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction

from moderation.enums import DecisionKind, NoticeKind
from moderation.models import Decision, Notice
from moderation.selectors import policies

if TYPE_CHECKING:
    from moderation.services.effects import Change

AT_ONCE = (NoticeKind.REMOVED, NoticeKind.HIDDEN, NoticeKind.RESTORED, NoticeKind.RESTRICTED)
_KIND_OF = {
    DecisionKind.STANDING_VERDICT: NoticeKind.RATED,
    DecisionKind.REMOVAL: NoticeKind.REMOVED,
    DecisionKind.HIDE: NoticeKind.HIDDEN,
    DecisionKind.RESTRICTION: NoticeKind.RESTRICTED,
}
_DESK = (DecisionKind.REMOVAL, DecisionKind.HIDE, DecisionKind.RESTRICTION)


def after(changes: Iterable["Change"], *, now: datetime) -> None:
    """Write, restart and cancel notices for what a recompute changed, in a handful of queries.

    Ratings dwell (domain 4): the author is told after 6 h without change; a changed verdict restarts the
    clock, a reversal cancels it. Whoever was told already is told that it was withdrawn.
    Removals and hides are told at once.
    """
    changes = list(changes)
    began = {c.post_id: _because(c.after) - _because(c.before) for c in changes}
    ended = {c.post_id: _because(c.before) - _because(c.after) for c in changes}
    ids = {i for part in (*began.values(), *ended.values()) for i in part}
    decisions = {str(d.pk): d for d in Decision.objects.filter(pk__in=ids)}
    told = _Told(list(began), decisions)
    dwell = timedelta(hours=policies.at(now).data["notices"]["author_dwell_hours"])
    for change in changes:
        new = [decisions[i] for i in sorted(began[change.post_id])]
        old = [decisions[i] for i in sorted(ended[change.post_id])]
        for decision in old:
            told.end(change, decision, new, now=now)
        for decision in new:
            told.begin(change, decision, old, dwell=dwell, now=now)
    told.write(now=now)


@transaction.atomic
def deliver(*, now: datetime, limit: int = 500) -> int:
    """Mark what is due as sent: it appears on the recipient's page from now on. Returns how many."""
    due = Notice.objects.select_for_update(skip_locked=True).filter(
        due_at__lte=now, sent_at__isnull=True, cancelled_at__isnull=True
    )
    ids = list(due.order_by("due_at", "id").values_list("pk", flat=True)[:limit])
    return Notice.objects.filter(pk__in=ids).update(sent_at=now)


class _Told:
    """The notices about some posts and decisions as they are, locked, and what is to become of them."""

    def __init__(self, posts: Sequence[uuid.UUID], decisions: Mapping[str, Decision]) -> None:
        rows = Notice.objects.select_for_update(no_key=True, of=("self",)).filter(
            post_id__in=posts, decision_id__in=[d.pk for d in decisions.values()], actor__isnull=False
        )
        self._known = {(n.kind, n.post_id, n.decision_id): n for n in rows.order_by("id")}
        self._new: list[Notice] = []
        self._cancelled: set[uuid.UUID] = set()
        self._revived: dict[datetime, list[uuid.UUID]] = {}

    def end(self, change: "Change", decision: Decision, began: Sequence[Decision], *, now: datetime) -> None:
        """Cancel what was not told yet; tell who was told, unless a new decision took its place."""
        kind = _KIND_OF.get(DecisionKind(decision.kind))
        known = self._known.get((kind, change.post_id, decision.pk)) if kind else None
        if known is None:
            return
        if known.sent_at is None:
            self._cancelled.add(known.pk)
        elif kind == NoticeKind.RATED:
            if not any(d.cluster_id == decision.cluster_id for d in began):
                self._add(NoticeKind.WITHDRAWN, change, decision, due=now, now=now)
        elif not any(d.kind in _DESK for d in began) and not (change.after or {}).get("removed"):
            self._add(NoticeKind.RESTORED, change, decision, due=now, now=now)

    def begin(
        self,
        change: "Change",
        decision: Decision,
        ended: Sequence[Decision],
        *,
        dwell: timedelta,
        now: datetime,
    ) -> None:
        """Tell what a decision began to do; the same verdict on better grounds is not news."""
        kind = _KIND_OF.get(DecisionKind(decision.kind))
        if kind is None:
            return
        due = now if kind in AT_ONCE else now + dwell
        same = next((d for d in ended if _says(d) == _says(decision)), None)
        before = self._known.get((kind, change.post_id, same.pk)) if same else None
        if before is not None and before.sent_at is not None:
            return
        if before is not None and before.cancelled_at is None:
            due = before.due_at
        known = self._known.get((kind, change.post_id, decision.pk))
        if known is None:
            self._add(kind, change, decision, due=due, now=now)
        elif known.sent_at is None:  # it ended and began again: the clock restarts
            self._revived.setdefault(due, []).append(known.pk)

    def write(self, *, now: datetime) -> None:
        Notice.objects.filter(pk__in=self._cancelled, cancelled_at__isnull=True).update(cancelled_at=now)
        for due, ids in self._revived.items():
            Notice.objects.filter(pk__in=ids).update(cancelled_at=None, at=now, due_at=due)
        Notice.objects.bulk_create(self._new, ignore_conflicts=True, batch_size=2000)

    def _add(
        self, kind: NoticeKind, change: "Change", decision: Decision, *, due: datetime, now: datetime
    ) -> None:
        self._new.append(
            Notice(
                kind=kind,
                actor_id=change.actor_id,
                post_id=change.post_id,
                decision=decision,
                at=now,
                due_at=due,
            )
        )


def _says(verdict: Decision) -> tuple[object, ...]:
    """What a verdict tells an author; a measure of the desk says something new each time."""
    if verdict.kind != DecisionKind.STANDING_VERDICT:
        return (verdict.pk,)
    return (verdict.cluster_id, verdict.outcome, verdict.contested)


def _because(document: dict[str, Any] | None) -> set[str]:
    return set((document or {}).get("because", ()))
