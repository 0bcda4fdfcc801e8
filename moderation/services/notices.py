"""Notices: a person is told once, after the effect has been stable for a while; told again when it is lifted."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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

    A switch that lifts an effect withdraws nothing: what was told stays told, what was not is held back until
    the effect is there again.
    """
    changes = list(changes)
    turns = {c.post_id: _Turn.of(c) for c in changes}
    ids = {i for turn in turns.values() for i in turn.everything}
    decisions = {str(d.pk): d for d in Decision.objects.filter(pk__in=ids)}
    told = _Told(list(turns), decisions)
    dwell = timedelta(hours=policies.at(now).data["notices"]["author_dwell_hours"])
    for change in changes:
        turn = turns[change.post_id]
        new, old, acting, held_back = (
            [decisions[i] for i in sorted(part)]
            for part in (turn.began, turn.ended, turn.acting, turn.held_back)
        )
        for decision in old:
            told.end(change, decision, new, now=now)
        for decision in held_back:
            told.hold_back(change, decision)
        for decision in acting:
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


@dataclass(frozen=True)
class _Turn:
    """Ids of decisions at one change of a post: those in force that `began` and `ended`; those whose effect
    is there now and was not (`acting`), and those whose effect a switch took away (`held_back`)."""

    began: frozenset[str]
    ended: frozenset[str]
    acting: frozenset[str]
    held_back: frozenset[str]

    @classmethod
    def of(cls, change: "Change") -> "_Turn":
        acted, acts = _named(change.before, "because"), _named(change.after, "because")
        before, after = (
            acted | _named(change.before, "lifted"),
            acts | _named(change.after, "lifted"),
        )
        return cls(after - before, before - after, acts - acted, (acted - acts) & after)

    @property
    def everything(self) -> frozenset[str]:
        return self.began | self.ended | self.acting | self.held_back


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

    def hold_back(self, change: "Change", decision: Decision) -> None:
        """Do not tell, for the time being, what was not told yet."""
        kind = _KIND_OF.get(DecisionKind(decision.kind))
        known = self._known.get((kind, change.post_id, decision.pk)) if kind else None
        if known is not None and known.sent_at is None:
            self._cancelled.add(known.pk)

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


def _named(document: dict[str, Any] | None, part: str) -> frozenset[str]:
    return frozenset((document or {}).get(part, ()))
