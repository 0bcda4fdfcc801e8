"""Answers kept for whoever sends the same write again within a day (models.IdempotencyKey)."""

from datetime import datetime, timedelta

from django.db import connection

from moderation.models import IdempotencyKey

KEPT = timedelta(hours=24)

_INSERT = """
INSERT INTO moderation_idempotencykey (caller, key, request_sha256, status, at)
VALUES (%s, %s, %s, 0, %s) ON CONFLICT (caller, key) DO NOTHING RETURNING id
"""

_KEEP = "UPDATE moderation_idempotencykey SET status = %s, body = %s::jsonb WHERE id = %s"


def begin(caller: str, key: str, digest: str, *, now: datetime) -> IdempotencyKey:
    """The key's row, locked by its insertion or found; `status` 0 says that the work is the caller's to do.

    Must run in the outermost transaction of the work. Waits for a request that is at work under the key;
    raises OperationalError (lock not available) when that takes longer than the connection's lock time-out.
    """
    with connection.cursor() as cursor:
        cursor.execute(_INSERT, [caller, key, digest, now])
        inserted = cursor.fetchone()
    if inserted:
        return IdempotencyKey(pk=inserted[0], caller=caller, key=key, request_sha256=digest, at=now)
    found = IdempotencyKey.objects.select_for_update().get(caller=caller, key=key)
    if found.at <= now - KEPT:
        found.request_sha256, found.status, found.body, found.at = digest, 0, None, now
        found.save()
    return found


def keep(row: IdempotencyKey, *, status: int, body: bytes | None) -> None:
    """`body` is the answer's JSON, None for an answer without one."""
    with connection.cursor() as cursor:
        cursor.execute(_KEEP, [status, body.decode() if body is not None else None, row.pk])


def clear_old(*, now: datetime) -> int:
    """Forget answers older than a day; returns how many."""
    return IdempotencyKey.objects.filter(at__lte=now - KEPT).delete()[0]
