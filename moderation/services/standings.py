"""Telling of an actor's level when it changes. What is enforced is counted anew each time (domain 5)."""

import uuid
from collections.abc import Collection
from datetime import datetime

from django.db import transaction

from moderation import locks, policy
from moderation.enums import WebhookEventType
from moderation.models import Actor, ActorStanding
from moderation.selectors import policies, standing
from moderation.services import announcements
from moderation.services.announcements import News

FALL_BATCH = 1000


@transaction.atomic
def judge(actor_ids: Collection[uuid.UUID], *, now: datetime) -> int:
    """Compare the level that the counting strikes imply with the one told last; returns how many differed."""
    ActorStanding.objects.bulk_create(
        [ActorStanding(actor_id=i, judged_at=now) for i in sorted(actor_ids)], ignore_conflicts=True
    )
    told = locks.standings(actor_ids)  # the lock comes first: what was counted before it may be old
    strikes = standing.counting([row.actor_id for row in told], now=now)
    rules = policies.at(now).data
    changed: list[ActorStanding] = []
    for row in told:
        counting = strikes.get(row.actor_id, [])
        level = policy.level(len(counting), rules)["level"]
        row.until = min((s.counts_until for s in counting), default=None)
        row.judged_at = now
        if level != row.level:
            row.level, row.version = level, row.version + 1
            changed.append(row)
    ActorStanding.objects.bulk_update(told, ["level", "version", "until", "judged_at"])
    _tell(changed, {i: len(found) for i, found in strikes.items()}, now=now)
    return len(changed)


def fall(*, now: datetime) -> int:
    """Judge actors whose strikes ended by time; returns how many fell. Safe to run many times at once."""
    ended = ActorStanding.objects.filter(until__lte=now).order_by("until")
    found = list(ended.values_list("pk", flat=True)[:FALL_BATCH])
    return judge(found, now=now) if found else 0


def judge_all_later(*, now: datetime) -> None:
    """The rules changed: let `fall` look at every actor with a strike."""
    ActorStanding.objects.filter(until__gt=now).update(until=now)


def _tell(changed: list[ActorStanding], counts: dict[uuid.UUID, int], *, now: datetime) -> None:
    if not changed:
        return
    actors = Actor.objects.in_bulk([row.actor_id for row in changed])
    announcements.tell(
        (
            News(
                WebhookEventType.ACTOR_STANDING_CHANGED,
                row.actor_id,
                row.version,
                {
                    "kind": actors[row.actor_id].kind,
                    "external_id": actors[row.actor_id].external_id,
                    "level": row.level,
                    "strikes": counts.get(row.actor_id, 0),
                },
            )
            for row in changed
        ),
        now=now,
    )
