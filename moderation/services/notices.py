"""Notices: a person is told once, after the effect has been stable for a while; told again when it is lifted."""

import uuid
from collections.abc import Iterable
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
    """Write, restart and cancel notices for what a recompute changed.

    Ratings dwell (domain 4): the author is told after 6 h without change; a changed verdict restarts the
    clock, a reversal cancels it. Whoever was told already is told that it was withdrawn.
    Removals and hides are told at once.
    """
    changes = list(changes)
    began = {c.post_id: _because(c.after) - _because(c.before) for c in changes}
    ended = {c.post_id: _because(c.before) - _because(c.after) for c in changes}
    ids = {i for part in (*began.values(), *ended.values()) for i in part}
    decisions = {str(d.pk): d for d in Decision.objects.filter(pk__in=ids)}
    dwell = timedelta(hours=policies.at(now).data["notices"]["author_dwell_hours"])
    new = []
    for change in changes:
        replaced = any(decisions[i].kind in _DESK for i in began[change.post_id])
        for i in sorted(ended[change.post_id]):
            new += _end(change, decisions[i], replaced=replaced, now=now)
        for i in sorted(began[change.post_id]):
            kind = _KIND_OF.get(DecisionKind(decisions[i].kind))
            if kind is not None:
                due = now if kind in AT_ONCE else now + dwell
                new.append(_notice(kind, change, decisions[i].pk, now=now, due=due))
    Notice.objects.bulk_create(new, ignore_conflicts=True, batch_size=2000)


@transaction.atomic
def deliver(*, now: datetime, limit: int = 500) -> int:
    """Mark what is due as sent: it appears on the recipient's page from now on. Returns how many."""
    due = Notice.objects.select_for_update(skip_locked=True).filter(
        due_at__lte=now, sent_at__isnull=True, cancelled_at__isnull=True
    )
    ids = list(due.order_by("due_at", "id").values_list("pk", flat=True)[:limit])
    return Notice.objects.filter(pk__in=ids).update(sent_at=now)


def _end(change: "Change", decision: Decision, *, replaced: bool, now: datetime) -> list[Notice]:
    """Cancel what was not told yet; tell who was told, unless another measure of the desk took its place."""
    kind = _KIND_OF.get(DecisionKind(decision.kind))
    if kind is None:
        return []
    told = Notice.objects.filter(kind=kind, post_id=change.post_id, decision=decision, sent_at__isnull=False)
    Notice.objects.filter(
        kind=kind, post_id=change.post_id, decision=decision, sent_at__isnull=True, cancelled_at__isnull=True
    ).update(cancelled_at=now)
    if not told.exists():
        return []
    lifted = NoticeKind.WITHDRAWN if kind == NoticeKind.RATED else NoticeKind.RESTORED
    still_down = lifted == NoticeKind.RESTORED and (replaced or bool((change.after or {}).get("removed")))
    return [] if still_down else [_notice(lifted, change, decision.pk, now=now, due=now)]


def _notice(
    kind: NoticeKind, change: "Change", decision: uuid.UUID, *, now: datetime, due: datetime
) -> Notice:
    return Notice(
        kind=kind, actor_id=change.actor_id, post_id=change.post_id, decision_id=decision, at=now, due_at=due
    )


def _because(document: dict[str, Any] | None) -> set[str]:
    return set((document or {}).get("because", ()))
