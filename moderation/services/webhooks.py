"""Webhook endpoints: added with a secret that is shown once, rotated with an overlap, switched off and on.

The secret is kept as it is, because it signs (ADR 0005); nothing but `add` and `rotate` hands it out.
"""

import base64
import secrets
import uuid
from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from moderation import locks, outward
from moderation.caller import Caller
from moderation.enums import AuditEvent, DisabledReason, WebhookEventType
from moderation.errors import Conflict, Invalid
from moderation.models import WebhookEndpoint
from moderation.permissions import may_administer
from moderation.selectors import organisations
from moderation.services import audit

SECRET_MARK = "whsec_"  # noqa: S105 (Standard Webhooks' prefix of a symmetric secret)
SECRET_BYTES = 32  # Standard Webhooks: 24 to 64
OVERLAP = timedelta(hours=24)  # what a receiver has to take the new secret in, unless it is said otherwise
LONGEST_OVERLAP = timedelta(days=7)
SUBSCRIBABLE = [t for t in WebhookEventType if t is not WebhookEventType.PING]
OF_ORGANISATIONS = frozenset(
    {
        WebhookEventType.RATING_PUBLISHED,
        WebhookEventType.RATING_SUPERSEDED,
        WebhookEventType.RATING_WITHDRAWN,
    }
)


@transaction.atomic
def add(
    *,
    name: str,
    url: str,
    event_types: Collection[str],
    organisation: uuid.UUID | None = None,
    caller: Caller,
    now: datetime,
) -> tuple[WebhookEndpoint, str]:
    """Register an address; returns the endpoint and its secret, which nobody can read again.

    With an `organisation` it is told of that organisation's ratings only. Raises Refused; Invalid (`name`,
    `url`, `event_types`, `organisation`).
    """
    may_administer(caller).require()
    if not name.strip():
        raise Invalid(_("Give it a name."), field="name", code="required")
    chosen = [t for t in SUBSCRIBABLE if t in event_types]
    if not chosen or len(chosen) < len(set(event_types)):
        raise Invalid(_("Choose at least one event, from the list."), field="event_types")
    if organisation is not None:
        if organisation not in organisations.names([organisation]):
            raise Invalid(_("There is no such organisation."), field="organisation")
        if not OF_ORGANISATIONS.issuperset(chosen):
            raise Invalid(_("An organisation is told of its own ratings only."), field="event_types")
    try:
        outward.check(url)
    except outward.AddressRefused as refused:
        raise Invalid(str(refused), field="url", code="address_refused") from None
    secret = _new_secret()
    endpoint = WebhookEndpoint.objects.create(
        name=name.strip(),
        url=url,
        event_types=[t.value for t in chosen],
        organisation=organisation,
        secret=secret,
        created_at=now,
        created_by_id=caller.person_id,
    )
    audit.record(AuditEvent.WEBHOOK_ADDED, endpoint, caller=caller, now=now, events=endpoint.event_types)
    return endpoint, secret


@transaction.atomic
def rotate(
    endpoint_id: uuid.UUID, *, overlap: timedelta = OVERLAP, caller: Caller, now: datetime
) -> tuple[WebhookEndpoint, str]:
    """Give an endpoint a new secret; the old one signs beside it for `overlap` (0: not at all).

    Raises Refused; NotFound; Invalid (`overlap_hours`).
    """
    may_administer(caller).require()
    if not timedelta(0) <= overlap <= LONGEST_OVERLAP:
        raise Invalid(_("The old secret signs for at most seven days."), field="overlap_hours")
    endpoint = locks.webhook(endpoint_id)
    endpoint.previous_secret = endpoint.secret if overlap else ""
    endpoint.previous_until = now + overlap if overlap else None
    endpoint.secret = _new_secret()
    endpoint.save(update_fields=["secret", "previous_secret", "previous_until"])
    audit.record(AuditEvent.WEBHOOK_ROTATED, endpoint, caller=caller, now=now)
    return endpoint, endpoint.secret


@transaction.atomic
def disable(endpoint_id: uuid.UUID, *, caller: Caller, now: datetime) -> WebhookEndpoint:
    """Stop telling an endpoint anything; what happens meanwhile is not told later. Raises Refused, NotFound."""
    may_administer(caller).require()
    endpoint = locks.webhook(endpoint_id)
    if endpoint.disabled_at is None:
        switch_off(endpoint, DisabledReason.BY_PERSON, caller=caller, now=now)
    return endpoint


@transaction.atomic
def enable(endpoint_id: uuid.UUID, *, caller: Caller, now: datetime) -> WebhookEndpoint:
    """Tell an endpoint again, from now on; what waited when it was disabled goes out at once.

    Raises Refused; NotFound; Conflict (`not_disabled`).
    """
    may_administer(caller).require()
    endpoint = locks.webhook(endpoint_id)
    if endpoint.disabled_at is None:
        raise Conflict(_("This endpoint is not switched off."), code="not_disabled")
    endpoint.disabled_at, endpoint.disabled_reason = None, ""
    endpoint.failures, endpoint.failing_since, endpoint.rests_until = 0, None, None
    endpoint.save(
        update_fields=["disabled_at", "disabled_reason", "failures", "failing_since", "rests_until"]
    )
    audit.record(AuditEvent.WEBHOOK_ENABLED, endpoint, caller=caller, now=now)
    return endpoint


@transaction.atomic
def remove(endpoint_id: uuid.UUID, *, caller: Caller, now: datetime) -> WebhookEndpoint:
    """Forget an endpoint and its secrets; what waits for it is never sent. Raises Refused, NotFound."""
    may_administer(caller).require()
    endpoint = locks.webhook(endpoint_id)
    endpoint.removed_at, endpoint.secret = now, ""
    endpoint.previous_secret, endpoint.previous_until = "", None
    endpoint.save(update_fields=["removed_at", "secret", "previous_secret", "previous_until"])
    audit.record(AuditEvent.WEBHOOK_REMOVED, endpoint, caller=caller, now=now)
    return endpoint


def forget_secrets(*, now: datetime) -> int:
    """Forget previous secrets whose time is over; returns how many. They sign nothing from then on anyway."""
    over = WebhookEndpoint.objects.filter(previous_until__lte=now)
    return over.update(previous_secret="", previous_until=None)


def switch_off(endpoint: WebhookEndpoint, why: DisabledReason, *, caller: Caller, now: datetime) -> None:
    """Disable a locked endpoint."""
    endpoint.disabled_at, endpoint.disabled_reason = now, why
    endpoint.save(update_fields=["disabled_at", "disabled_reason"])
    audit.record(AuditEvent.WEBHOOK_DISABLED, endpoint, caller=caller, now=now, reason=why)


def _new_secret() -> str:
    return SECRET_MARK + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()
