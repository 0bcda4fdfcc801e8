"""Policy versions: drafted, tried on the real data, proposed, approved by another administrator.

An approved version begins at its date by itself; its roll-out, owed by the next sweep, recomputes every post
that it touches.
"""

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import connection, transaction

from moderation import iso, locks, policy, workflow
from moderation.caller import Caller
from moderation.enums import AuditEvent, OutboxKind
from moderation.errors import Conflict, Invalid, NotFound, StaleItem
from moderation.models import FanOut, Outbox, PolicyDraft, PolicyVersion
from moderation.permissions import may_administer, may_change_policy_draft, may_judge_policy_draft
from moderation.selectors import inputs, policies
from moderation.services import audit, dry_runs, outbox

APPROVAL_LOCK = 0x901C  # advisory lock number: numbers are given one after the other


@transaction.atomic
def draft(
    *,
    base: int,
    data: Mapping[str, Any] | None = None,
    reason: str = "",
    valid_from: datetime | None = None,
    caller: Caller,
    now: datetime,
) -> PolicyDraft:
    """Begin a draft on the version `base`; without `data` it says what that version says.

    A return to an older version is a draft on the latest with the older one's data.
    Raises Refused; NotFound (no such version); Conflict (`not_latest`); Invalid (a path under `data`).
    """
    may_administer(caller).require()
    version = PolicyVersion.objects.filter(pk=base).first()
    if version is None:
        raise NotFound("There is no such policy version.")
    _require_latest(version)
    made = PolicyDraft(base=version, author_id=caller.person, at=now)
    _fill(made, version.data if data is None else data, reason, valid_from)
    made.save()
    audit.record(AuditEvent.POLICY_DRAFTED, made, caller=caller, now=now, base=base)
    return made


@transaction.atomic
def change(
    draft_id: uuid.UUID,
    *,
    version: int,
    data: Mapping[str, Any],
    reason: str,
    valid_from: datetime | None,
    caller: Caller,
    now: datetime,
) -> PolicyDraft:
    """Write other numbers into a draft; its dry run is forgotten.

    Raises Refused; NotFound; Conflict (`wrong_state`); StaleItem; Invalid (a path under `data`).
    """
    made = _read(draft_id, version)
    may_change_policy_draft(caller, made).require()
    made.status = workflow.POLICY.step(made.status, "change")
    if data != made.data:
        made.dry_run = None
    _fill(made, data, reason, valid_from)
    _save(made)
    audit.record(AuditEvent.POLICY_CHANGED, made, caller=caller, now=now)
    return made


@transaction.atomic
def dry_run(draft_id: uuid.UUID, *, version: int, caller: Caller, now: datetime) -> PolicyDraft:
    """Find out on the real data what the draft would change; the draft tells the progress.

    Raises Refused; NotFound; Conflict (`wrong_state`); StaleItem.
    """
    made = _read(draft_id, version)
    may_change_policy_draft(caller, made).require()
    made.status = workflow.POLICY.step(made.status, "dry run")
    dry_runs.start(made, now=now)
    _save(made)
    return made


@transaction.atomic
def propose(draft_id: uuid.UUID, *, version: int, caller: Caller, now: datetime) -> PolicyDraft:
    """Hand a draft to another administrator. It has changes, words why, and a dry run that ended.

    Raises Refused; NotFound; StaleItem; Conflict (`wrong_state`, `not_latest`, `no_dry_run`, `no_change`);
    Invalid (`reason`).
    """
    made = _read(draft_id, version)
    may_change_policy_draft(caller, made).require()
    made.status = workflow.POLICY.step(made.status, "propose")
    _require_latest(made.base)
    if not policy.difference(made.base.data, made.data):
        raise Conflict("This draft says what its version says already.", code="no_change")
    if not made.reason.strip():
        raise Invalid(
            "Say why, in words that the other administrator can judge.", field="reason", code="required"
        )
    if not dry_runs.ended(made):
        raise Conflict(
            "Try it on the real data first: start the dry run and wait for its end.", code="no_dry_run"
        )
    _save(made)
    audit.record(AuditEvent.POLICY_PROPOSED, made, caller=caller, now=now)
    return made


@transaction.atomic
def approve(draft_id: uuid.UUID, *, version: int, caller: Caller, now: datetime) -> PolicyVersion:
    """The second administrator's word: a version that begins at its date, or at once when that is past.

    Raises Refused (the author, or no administrator); NotFound; StaleItem; Conflict (`wrong_state`, `not_latest`).
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [APPROVAL_LOCK])
    made = _read(draft_id, version)
    may_judge_policy_draft(caller, made).require()
    made.status = workflow.POLICY.step(made.status, "approve")
    _require_latest(made.base)
    begins = max(made.valid_from or now, now)
    became = PolicyVersion.objects.create(
        number=made.base.number + 1,
        data=made.data,
        valid_from=begins,
        reason=made.reason,
        author_id=made.author_id,
        approver_id=caller.person,
        at=now,
    )
    made.became, made.judged_by_id, made.judged_at = became, caller.person, now
    _save(made)
    FanOut.objects.create(policy=became, total=inputs.under_policy(now).count(), started_at=begins)
    roll_out_due(now=now)
    audit.record(AuditEvent.POLICY_APPROVED, made, caller=caller, now=now, number=became.number)
    return became


@transaction.atomic
def refuse(draft_id: uuid.UUID, *, version: int, reason: str, caller: Caller, now: datetime) -> PolicyDraft:
    """The second administrator says no. Raises Refused, NotFound, StaleItem, Conflict, Invalid (`reason`)."""
    if not reason.strip():
        raise Invalid("Say why, so that the author can mend it.", field="reason", code="required")
    made = _read(draft_id, version)
    may_judge_policy_draft(caller, made).require()
    made.status = workflow.POLICY.step(made.status, "refuse")
    made.judged_by_id, made.judged_at, made.refusal = caller.person, now, reason
    _save(made)
    audit.record(AuditEvent.POLICY_REFUSED, made, caller=caller, now=now)
    return made


@transaction.atomic
def withdraw(draft_id: uuid.UUID, *, version: int, caller: Caller, now: datetime) -> PolicyDraft:
    """Its author gives it up. Raises Refused, NotFound, StaleItem, Conflict (`wrong_state`)."""
    made = _read(draft_id, version)
    may_change_policy_draft(caller, made).require()
    made.status = workflow.POLICY.step(made.status, "withdraw")
    _save(made)
    audit.record(AuditEvent.POLICY_WITHDRAWN, made, caller=caller, now=now)
    return made


@transaction.atomic
def roll_out_due(*, now: datetime) -> None:
    """Owe the roll-out of every version that has begun and whose roll-out neither ended nor waits."""
    begun = FanOut.objects.select_for_update(skip_locked=True, of=("self",)).filter(
        policy__isnull=False, started_at__lte=now, finished_at__isnull=True
    )
    ids = list(begun.order_by("id").values_list("pk", flat=True))
    owed = Outbox.objects.filter(kind=OutboxKind.ROLL_OUT_POLICY, target__in=ids)
    held = set(owed.values_list("target", flat=True))
    outbox.put(OutboxKind.ROLL_OUT_POLICY, [i for i in ids if i not in held], now=now)


def _read(draft_id: uuid.UUID, version: int) -> PolicyDraft:
    made = locks.policy_draft(draft_id)
    if made.version != version:
        raise StaleItem("This draft has changed since you read it.", current=made.version)
    return made


def _save(made: PolicyDraft) -> None:
    made.version += 1
    made.save()


def _fill(made: PolicyDraft, data: Mapping[str, Any], reason: str, valid_from: datetime | None) -> None:
    wrong = policy.faults(data, after=made.base.data)
    if wrong:
        raise Invalid(
            wrong[0].message,
            field=f"data.{wrong[0].path}".rstrip("."),
            faults=[{"path": f.path, "message": f.message} for f in wrong],
        )
    iso.countries(data["countries"], field="data.countries")
    made.data, made.reason, made.valid_from = dict(data), reason, valid_from


def _require_latest(version: PolicyVersion) -> None:
    latest = policies.latest()
    if version.number != latest.number:
        raise Conflict(
            f"Version {latest.number} was approved meanwhile: draft the change on that one.",
            code="not_latest",
            current=latest.number,
        )
