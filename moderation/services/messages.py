"""Messages to workers that this release cannot act on: of another release, or of a stranger (CEL-07).

Each is kept as a row of the outbox, named on the system page, and sent again, later each time, until a
release whose workers know it takes it. One that nobody can read is set aside for a person.
"""

import json
import logging
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from moderation.enums import OutboxKind
from moderation.models import Outbox

logger = logging.getLogger(__name__)

QUEUE = "maintenance"
FIRST_WAIT = timedelta(seconds=5)
_NAMES = uuid.UUID("5b0f6f0e-54a7-4c0c-9a53-6b8a1c1f2a77")
# Sends a task to a queue; "" when it is sent, else why not.
Send = Callable[[str, Sequence[Any], Mapping[str, Any], str], str]
_send: Send | None = None


def hang_sender(send: Send) -> None:
    """Set what sends a kept message again: moderation.messages does, at start-up."""
    global _send
    _send = send


def keep(*, task: str, arguments: str, queue: str, reason: str, now: datetime) -> None:
    """Keep a message that no worker understood; the same message is kept once.

    `arguments` is a JSON list of its positional and its named arguments; `task` is "" for a message that
    cannot be read, whose body as text is `arguments` then.
    """
    name = uuid.uuid5(_NAMES, json.dumps([queue, task, arguments]))
    row = Outbox(
        id=name,
        queue=QUEUE,
        kind=OutboxKind.MESSAGE,
        target=name,
        payload={"task": task, "arguments": arguments, "queue": queue, "reason": reason},
        at=now,
        available_at=now + FIRST_WAIT,
        attempts=1,
        failed_at=None if task else now,
        error=reason,
    )
    Outbox.objects.bulk_create([row], ignore_conflicts=True)
    logger.error("message_not_understood", extra={"task": task, "queue": queue, "reason": reason})


class Unreadable(Exception):
    """No release will ever know what to do with this message."""


def send_again(row: Outbox) -> str:
    """Send a kept message to its queue; "" when it is sent, else why not. Raises Unreadable."""
    if not row.payload["task"]:
        raise Unreadable(row.payload["reason"])
    if _send is None:
        return "Nothing sends messages here."
    positional, named = json.loads(row.payload["arguments"])
    return _send(row.payload["task"], positional, named, row.payload["queue"])
