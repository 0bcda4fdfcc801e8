"""Notices: a person is told once, after the effect has been stable for a while; told again when it is lifted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import connection, transaction

from moderation.enums import DecisionKind, NoticeKind
from moderation.ids import among, array
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
    """Write, restart and cancel notices for what a recompute changed, for all posts alike at once.

    Ratings dwell (domain 4): the author is told after 6 h without change; a changed verdict restarts the
    clock, a reversal cancels it. Whoever was told already is told that it was withdrawn.
    Removals and hides are told at once.

    A switch that lifts an effect withdraws nothing: what was told stays told, what was not is held back until
    the effect is there again.
    """
    alike: dict[tuple[_Turn, bool], list[str]] = {}
    for change in changes:
        turn = _Turn.of(change)
        if turn.everything:
            removed = bool((change.after.document or {}).get("removed"))
            alike.setdefault((turn, removed), []).extend(change.post_ids)
    if not alike:
        return
    ids = {i for turn, _ in alike for i in turn.everything}
    decisions = {str(d.pk): d for d in Decision.objects.filter(pk__in=ids)}
    dwell = timedelta(hours=policies.at(now).data["notices"]["author_dwell_hours"])
    for (turn, removed), posts in alike.items():
        new, old, acting, held_back = (
            [decisions[i] for i in sorted(part)]
            for part in (turn.began, turn.ended, turn.acting, turn.held_back)
        )
        told = _Told(posts, now=now)
        if old:
            told.hold([*old, *acting])
        for decision in acting:  # before the endings: what was told of what ends counts as it was
            told.begin(decision, next((d for d in old if _says(d) == _says(decision)), None), dwell=dwell)
        for decision in held_back:
            told.hold_back(decision)
        for decision in old:
            told.end(decision, new, removed=removed)


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
    """Ids of decisions at one change of posts alike: those in force that `began` and `ended`; those whose effect
    is there now and was not (`acting`), and those whose effect a switch took away (`held_back`)."""

    began: frozenset[str]
    ended: frozenset[str]
    acting: frozenset[str]
    held_back: frozenset[str]

    @classmethod
    def of(cls, change: "Change") -> "_Turn":
        acted, acts = _named(change.before, "because"), _named(change.after.document, "because")
        before, after = (
            acted | _named(change.before, "lifted"),
            acts | _named(change.after.document, "lifted"),
        )
        return cls(after - before, before - after, acts - acted, (acted - acts) & after)

    @property
    def everything(self) -> frozenset[str]:
        return self.began | self.ended | self.acting | self.held_back


_BEGIN = """
INSERT INTO moderation_notice (id, kind, actor_id, post_id, decision_id, data, at, due_at)
SELECT uuidv7(), %(kind)s, p.actor_id, p.id, %(decision)s, '{}', %(now)s,
       CASE WHEN before.id IS NOT NULL AND before.cancelled_at IS NULL THEN before.due_at ELSE %(due)s END
FROM moderation_post p
LEFT JOIN moderation_notice before
    ON before.kind = %(kind)s AND before.actor_id = p.actor_id AND before.post_id = p.id
    AND before.decision_id = %(same)s
WHERE p.id = ANY(%(posts)s::uuid[]) AND before.sent_at IS NULL
ORDER BY p.id
ON CONFLICT (post_id, decision_id, kind, actor_id) WHERE actor_id IS NOT NULL
DO UPDATE SET cancelled_at = NULL, at = excluded.at, due_at = excluded.due_at
WHERE moderation_notice.sent_at IS NULL
"""

_CANCEL = """
UPDATE moderation_notice n SET cancelled_at = %(now)s
FROM moderation_post p
WHERE p.id = ANY(%(posts)s::uuid[]) AND n.actor_id = p.actor_id AND n.post_id = p.id
  AND n.kind = %(kind)s AND n.decision_id = %(decision)s AND n.sent_at IS NULL AND n.cancelled_at IS NULL
"""

_TELL_THE_TOLD = """
INSERT INTO moderation_notice (id, kind, actor_id, post_id, decision_id, data, at, due_at)
SELECT uuidv7(), %(news)s, p.actor_id, p.id, %(decision)s, '{}', %(now)s, %(now)s
FROM moderation_post p JOIN moderation_notice n ON n.actor_id = p.actor_id AND n.post_id = p.id
WHERE p.id = ANY(%(posts)s::uuid[])
  AND n.kind = %(kind)s AND n.decision_id = %(decision)s AND n.sent_at IS NOT NULL
ORDER BY p.id
ON CONFLICT (post_id, decision_id, kind, actor_id) WHERE actor_id IS NOT NULL DO NOTHING
"""


class _Told:
    """What the authors of some posts were told and are to be told; each question is one statement."""

    def __init__(self, posts: Sequence[str], *, now: datetime) -> None:
        self._posts = posts
        self._asked: dict[str, Any] = {"posts": array(posts), "now": now}
        self._now = now

    def hold(self, decisions: Sequence[Decision]) -> None:
        """Lock the notices about these posts and decisions: none is sent while it is judged here."""
        rows = Notice.objects.select_for_update(no_key=True, of=("self",)).filter(
            post_id__in=among(self._posts), decision_id__in=[d.pk for d in decisions], actor__isnull=False
        )
        list(rows.order_by("id").values_list("pk", flat=True))

    def begin(self, decision: Decision, same: Decision | None, *, dwell: timedelta) -> None:
        """Tell what a decision began to do. `same` said it before: then it is no news, and its clock goes on.

        One that ended and begins again starts its clock anew.
        """
        kind = _KIND_OF.get(DecisionKind(decision.kind))
        if kind is not None:
            due = self._now if kind in AT_ONCE else self._now + dwell
            self._do(_BEGIN, kind, decision, same=same.pk if same else None, due=due)

    def hold_back(self, decision: Decision) -> None:
        """Do not tell, for the time being, what was not told yet."""
        kind = _KIND_OF.get(DecisionKind(decision.kind))
        if kind is not None:
            self._do(_CANCEL, kind, decision)

    def end(self, decision: Decision, began: Sequence[Decision], *, removed: bool) -> None:
        """Cancel what was not told yet; tell who was told, unless a new decision took its place."""
        kind = _KIND_OF.get(DecisionKind(decision.kind))
        if kind is None:
            return
        self._do(_CANCEL, kind, decision)
        if kind == NoticeKind.RATED:
            if not any(d.cluster_id == decision.cluster_id for d in began):
                self._do(_TELL_THE_TOLD, kind, decision, news=NoticeKind.WITHDRAWN)
        elif not any(d.kind in _DESK for d in began) and not removed:
            self._do(_TELL_THE_TOLD, kind, decision, news=NoticeKind.RESTORED)

    def _do(self, statement: str, kind: NoticeKind, decision: Decision, **more: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute(statement, {**self._asked, "kind": kind, "decision": decision.pk, **more})


def _says(verdict: Decision) -> tuple[object, ...]:
    """What a verdict tells an author; a measure of the desk says something new each time."""
    if verdict.kind != DecisionKind.STANDING_VERDICT:
        return (verdict.pk,)
    return (verdict.cluster_id, verdict.outcome, verdict.contested)


def _named(document: dict[str, Any] | None, part: str) -> frozenset[str]:
    return frozenset((document or {}).get(part, ()))
