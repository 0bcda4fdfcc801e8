"""Programme switches: proposed and tried, turned on by another administrator, returned by one.

A switch changes no row but its own. Effects, strikes and permissions are worked out with the switches that are
on; its roll-out recomputes every post that it touches, when it goes on and when it is returned.
"""

import uuid
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from moderation import iso, locks, workflow
from moderation.caller import Caller
from moderation.enums import AuditEvent, OutboxKind, SwitchKind
from moderation.errors import Conflict, Invalid, StaleItem
from moderation.models import FanOut, Switch
from moderation.permissions import may_administer, may_judge_switch, may_withdraw_switch
from moderation.selectors import organisations, policies, switches
from moderation.services import audit, dry_runs, outbox


@transaction.atomic
def propose(
    *,
    kind: SwitchKind,
    country: str = "",
    organisation: uuid.UUID | None = None,
    outcome: str = "",
    reason: str,
    caller: Caller,
    now: datetime,
) -> Switch:
    """Ask for a switch; its dry run begins at once. What is left empty covers everything.

    Raises Refused; Invalid naming the field (`country`, `organisation`, `outcome`, `reason`; `kind` for a stop of
    every rating); Conflict (`switched_already`) if the same switch is on or waits.
    """
    may_administer(caller).require()
    made = Switch(
        kind=kind,
        country=next(iter(iso.countries([country], field="country")), ""),
        organisation=organisation,
        outcome=outcome,
        reason=reason,
        proposed_by_id=caller.person,
        proposed_at=now,
    )
    _check(made, now=now)
    try:
        with transaction.atomic():
            made.save()
    except IntegrityError:
        raise Conflict(
            _("This switch is on, or waits for its second key."), code="switched_already"
        ) from None
    dry_runs.start(made, now=now)
    made.save(update_fields=["dry_run"])
    audit.record(AuditEvent.SWITCH_PROPOSED, made, caller=caller, now=now, kind=made.kind)
    return made


@transaction.atomic
def dry_run(switch_id: uuid.UUID, *, version: int, caller: Caller, now: datetime) -> Switch:
    """Find out anew what it would change. Raises Refused; NotFound; Conflict (`wrong_state`); StaleItem."""
    may_administer(caller).require()
    made = _step(switch_id, version, "dry run")
    dry_runs.start(made, now=now)
    _save(made)
    return made


@transaction.atomic
def confirm(switch_id: uuid.UUID, *, version: int, caller: Caller, now: datetime) -> Switch:
    """The second administrator's key: it is on.

    Whoever relied on its being off is waited for. Raises Refused (who proposed it, or no administrator); NotFound;
    StaleItem; Conflict (`wrong_state`, `no_dry_run`).
    """
    locks.turn_switches()
    made = _step(switch_id, version, "confirm", judge=caller)
    if not dry_runs.ended(made):
        raise Conflict(_("Wait for the end of the dry run."), code="no_dry_run")
    made.confirmed_by_id, made.confirmed_at = caller.person, now
    _save(made)
    _roll_out(made, now=now)
    audit.record(AuditEvent.SWITCH_CONFIRMED, made, caller=caller, now=now, kind=made.kind)
    return made


@transaction.atomic
def refuse(switch_id: uuid.UUID, *, version: int, reason: str, caller: Caller, now: datetime) -> Switch:
    """The second administrator says no. Raises Refused, NotFound, StaleItem, Conflict, Invalid (`reason`)."""
    if not reason.strip():
        raise Invalid(_("Say why, in words for whoever proposed it."), field="reason", code="required")
    made = _step(switch_id, version, "refuse", judge=caller)
    made.ended_by_id, made.ended_at, made.refusal = caller.person, now, reason
    _save(made)
    audit.record(AuditEvent.SWITCH_REFUSED, made, caller=caller, now=now, kind=made.kind)
    return made


@transaction.atomic
def withdraw(switch_id: uuid.UUID, *, version: int, caller: Caller, now: datetime) -> Switch:
    """Whoever proposed it gives it up. Raises Refused, NotFound, StaleItem, Conflict (`wrong_state`)."""
    made = locks.switch(switch_id)
    may_withdraw_switch(caller, made).require()
    made = _step(switch_id, version, "withdraw")
    made.ended_by_id, made.ended_at = caller.person, now
    _save(made)
    audit.record(AuditEvent.SWITCH_WITHDRAWN, made, caller=caller, now=now, kind=made.kind)
    return made


@transaction.atomic
def give_back(switch_id: uuid.UUID, *, version: int, caller: Caller, now: datetime) -> Switch:
    """The return, in one step and by one key: everything is as it would be without the switch.

    Raises Refused, NotFound, StaleItem, Conflict (`wrong_state`).
    """
    may_administer(caller).require()
    made = _step(switch_id, version, "return")
    made.ended_by_id, made.ended_at = caller.person, now
    _save(made)
    _roll_out(made, now=now)
    audit.record(AuditEvent.SWITCH_RETURNED, made, caller=caller, now=now, kind=made.kind)
    return made


def hold() -> None:
    """For whoever begins something that a switch may stop: until the transaction ends, none goes on.

    Called before the switches are read and before any row is locked.
    """
    locks.hold_switches()


def _check(made: Switch, *, now: datetime) -> None:
    if not made.reason.strip():
        raise Invalid(
            _("Say why, in words that the other administrator can judge."), field="reason", code="required"
        )
    if made.organisation is not None and not organisations.names([made.organisation]):
        raise Invalid(_("There is no such organisation."), field="organisation", code="unknown_organisation")
    if made.outcome and made.outcome not in policies.at(now).data["verdicts"]:
        raise Invalid(_("There is no such verdict."), field="outcome", code="invalid_choice")
    everything = not (made.country or made.organisation or made.outcome)
    if made.kind == SwitchKind.STOP_RATINGS and everything:
        raise Invalid(
            _("Say for which country, partner or verdict ratings stop."), field="kind", code="too_wide"
        )


def _step(switch_id: uuid.UUID, version: int, verb: str, *, judge: Caller | None = None) -> Switch:
    made = locks.switch(switch_id)
    if judge is not None:
        may_judge_switch(judge, made).require()
    if made.version != version:
        raise StaleItem(_("This switch has changed since you read it."), current=made.version)
    made.status = workflow.SWITCH.step(made.status, verb)
    return made


def _save(made: Switch) -> None:
    made.version += 1
    made.save()


def _roll_out(made: Switch, *, now: datetime) -> None:
    total = switches.touched(made, now=now).count()
    progress = FanOut.objects.create(switch=made, total=total, started_at=now)
    stops = made.kind == SwitchKind.STOP_RATINGS  # frees leases, and must not wait behind effects
    outbox.put(OutboxKind.ROLL_OUT_SWITCH, [progress.pk], now=now, urgent=stops)
