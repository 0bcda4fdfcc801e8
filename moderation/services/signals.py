"""Machines' hints. A signal opens an item; it demotes nothing here (provisional demotion is a decision)."""

import uuid
from datetime import datetime
from typing import Any

from django.db import transaction

from moderation.caller import Caller
from moderation.enums import AuditEvent, OutboxKind
from moderation.errors import Invalid, NotFound
from moderation.models import PostVersion, Signal
from moderation.permissions import may_send_signals
from moderation.services import audit, flags, outbox, queue


@transaction.atomic
def receive(
    *,
    version_id: uuid.UUID,
    source: str,
    kind: str,
    score: float,
    at: datetime,
    details: dict[str, Any],
    caller: Caller,
    now: datetime,
) -> tuple[Signal, bool]:
    """Store a hint and put the post in the queue; returns it and whether it is new.

    Raises Refused; NotFound; Invalid (`at`) if it lies in the future.
    """
    may_send_signals(caller).require()
    if at > now:
        raise Invalid("The signal's time lies in the future.", field="at")
    version = PostVersion.objects.select_related("post").filter(pk=version_id).first()
    if version is None:
        raise NotFound("There is no such post.")
    row = Signal(
        post=version.post,
        post_version=version,
        source=source,
        kind=kind,
        score=score,
        at=at,
        received_at=now,
        details=details,
    )
    Signal.objects.bulk_create([row], ignore_conflicts=True)
    stored = Signal.objects.get(post_version=version, source=source, kind=kind, at=at)
    if stored.pk != row.pk:
        return stored, False
    if not flags.cooling_off(version, now=now):
        queue.open_for_version(version, now=now, caller=caller)
        outbox.put(OutboxKind.REFRESH_ITEM, [version.post_id], now=now)
    audit.record(AuditEvent.SIGNAL_RECEIVED, stored, caller=caller, now=now, kind=kind)
    return stored, True
