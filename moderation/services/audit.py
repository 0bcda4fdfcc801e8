"""The audit log: rows inserted in the transaction of what they record; sealed into a hash chain afterwards."""

import hashlib
import json
from datetime import datetime
from typing import Any

from django.db import connection, models, transaction

from moderation.caller import Caller
from moderation.enums import AuditEvent
from moderation.models import AuditRow, AuditSeal
from moderation.services import statements

GENESIS = "0" * 64
SEAL_LOCK = 0x5EA1  # advisory lock number of the sealer


_RECORD = """
INSERT INTO moderation_auditrow (at, event, person, role, organisation, client, subject_kind, subject, data)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s::jsonb)
"""


def record(event: AuditEvent, subject: models.Model, *, caller: Caller, now: datetime, **data: Any) -> None:
    """Insert one row. `data` holds ids and codes only, never names or free text."""
    statements.run(row(event, subject, caller=caller, now=now, **data))


def row(
    event: AuditEvent, subject: models.Model, *, caller: Caller, now: datetime, **data: Any
) -> statements.Statement:
    """As `record`, for who has more to write."""
    return _RECORD, [
        now,
        event,
        caller.person_id,
        caller.role,
        caller.organisation_id,
        caller.client_id,
        subject._meta.model_name or "",
        str(subject.pk),
        json.dumps(data),
    ]


@transaction.atomic
def seal(*, limit: int = 5000) -> int:
    """Chain rows that have no seal yet; returns how many. One sealer at a time, others return 0.

    Rows are taken in id order but commit in any order, so a low id may appear after a higher one is
    sealed: it is then sealed later, at the next position. The chain holds positions, not ids.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [SEAL_LOCK])
        if not cursor.fetchone()[0]:
            return 0
    last = AuditSeal.objects.order_by("-position").first()
    position, previous = (last.position, last.hash) if last else (0, GENESIS)
    rows = AuditRow.objects.extra(
        where=["NOT EXISTS (SELECT 1 FROM moderation_auditseal s WHERE s.row_id = moderation_auditrow.id)"]
    ).order_by("id")[:limit]
    seals = []
    for row in rows:
        position += 1
        digest = digest_of(row, previous)
        seals.append(AuditSeal(position=position, row_id=row.pk, previous=previous, hash=digest))
        previous = digest
    AuditSeal.objects.bulk_create(seals)
    return len(seals)


def digest_of(row: AuditRow, previous: str) -> str:
    """SHA-256 over the previous hash and the row's canonical JSON."""
    body = [
        row.pk,
        row.at.isoformat(),
        row.event,
        str(row.person),
        row.role,
        str(row.organisation),
        str(row.client),
        row.subject_kind,
        row.subject,
        row.data,
    ]
    canonical = json.dumps([previous, body], sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def verify(*, chunk: int = 5000) -> list[str]:
    """Every fault of the chain in words; an empty list means that no row was changed, removed or left out."""
    faults = []
    previous, expected = GENESIS, 1
    while seals := list(AuditSeal.objects.filter(position__gte=expected).order_by("position")[:chunk]):
        rows = AuditRow.objects.in_bulk([s.row_id for s in seals])
        for s in seals:
            if s.position != expected:
                faults.append(f"Positions {expected} to {s.position - 1} are missing.")
            row = rows.get(s.row_id)
            if row is None:
                faults.append(f"Row {s.row_id} (position {s.position}) is missing.")
            elif s.previous != previous or s.hash != digest_of(row, s.previous):
                faults.append(f"Row {s.row_id} (position {s.position}) was changed.")
            previous, expected = s.hash, s.position + 1
    return faults


def unsealed() -> int:
    """How many rows wait for their seal."""
    return AuditRow.objects.count() - AuditSeal.objects.count()
