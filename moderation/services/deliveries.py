"""Delivering webhooks: events become deliveries in bulk, and each endpoint's deliveries go out in a lane.

One worker at a time works a lane, for a bounded turn, so a slow receiver delays no other. An attempt is
counted and its next one dated before anything is sent: a worker that is killed leaves a delivery that is
tried again, under the same id. Order is not promised; the payload's `version` tells.
"""

import json
import random
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext as _
from standardwebhooks import Webhook

from moderation import locks, outward
from moderation.caller import SYSTEM, Caller
from moderation.enums import AuditEvent, DisabledReason, WebhookEventType
from moderation.errors import Conflict, NotFound
from moderation.ids import new_id
from moderation.models import WebhookDelivery, WebhookEndpoint, WebhookEvent
from moderation.permissions import may_administer
from moderation.services import announcements, audit, outbox, webhooks

SPREAD_BATCH = 5000  # events at a time
TURN_SECONDS = 10.0  # one more attempt after these ends before the message is given to somebody else
LANE_LEASE = timedelta(seconds=60)  # longer than an attempt; renewed with each
# When a failed attempt is followed by the next: the schedule that the Standard Webhooks specification
# proposes ("Deliverability and reliability"), a little over three days in all.
WAITS = [
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    *(timedelta(hours=h) for h in (2, 5, 10, 14, 20, 24)),
]
MAX_ATTEMPTS = len(WAITS) + 1
JITTER = 0.2  # of a wait, either way
GIVE_UP_AFTER = timedelta(hours=84)  # however few attempts the lane's rests have left a delivery
LONGEST_WAIT = timedelta(hours=36)  # beyond the longest wait: dated before somebody set the clock back
LONGEST_RETRY_AFTER = timedelta(hours=24)  # a receiver that asks for more is asked again after a day
FIRST_REST, LONGEST_REST = timedelta(seconds=5), timedelta(minutes=5)  # of a lane after failures in a row
KEPT = timedelta(days=30)  # how long what was told can be looked up
FORGET_BATCH = 5000
AGENT = "Veracity-Webhooks/1"

_LIVE = Q(disabled_at__isnull=True, removed_at__isnull=True)


def turn(*, now: datetime) -> list[uuid.UUID]:
    """Make the deliveries of new events; returns the endpoints to which something is due, whose lane is free."""
    started = time.monotonic()
    while spread(now=now) == SPREAD_BATCH and time.monotonic() - started < TURN_SECONDS:
        pass
    due = WebhookDelivery.objects.filter(_due(now), endpoint=OuterRef("pk"))
    free = WebhookEndpoint.objects.filter(_LIVE, _free(now), Exists(due))
    return list(free.order_by("id").values_list("pk", flat=True))


@transaction.atomic
def spread(*, now: datetime) -> int:
    """Make the deliveries of up to SPREAD_BATCH events; returns of how many. Safe to run many times at once."""
    waiting = WebhookEvent.objects.select_for_update(skip_locked=True, no_key=True).filter(
        spread_at__isnull=True, available_at__lte=now
    )
    events = list(waiting.defer("data").order_by("available_at", "id")[:SPREAD_BATCH])
    endpoints = list(WebhookEndpoint.objects.filter(_LIVE).order_by("id")) if events else []
    WebhookDelivery.objects.bulk_create(
        (
            _delivery(event, endpoint, now=now)
            for event in events
            for endpoint in endpoints
            if _is_told(endpoint, event)
        ),
        batch_size=2000,
        ignore_conflicts=True,
    )
    WebhookEvent.objects.filter(pk__in=[e.pk for e in events]).update(spread_at=now)
    return len(events)


def work(endpoint_id: uuid.UUID, *, clock: Callable[[], datetime] = timezone.now) -> bool:
    """Send what is due to one endpoint; returns whether more is. Does nothing while another worker does it.

    Ends after TURN_SECONDS, and at the first failure: the lane rests then.
    """
    lane = _take(endpoint_id, now=clock())
    if lane is None:
        return False
    started = time.monotonic()
    try:
        with outward.Line(lane.url) as line:
            while time.monotonic() - started < TURN_SECONDS:
                ready = _begin(lane, now=clock())
                if ready is None:
                    return False
                _attempt(line, *ready, clock=clock)
    finally:
        WebhookEndpoint.objects.filter(pk=lane.pk, fence=lane.fence).update(held_until=None)
    return True


@transaction.atomic
def resend(delivery_id: uuid.UUID, *, caller: Caller, now: datetime) -> WebhookDelivery:
    """Send a delivery again, with the same id and anew from the first attempt.

    Raises Refused; NotFound; Conflict (`endpoint_off`).
    """
    may_administer(caller).require()
    found = WebhookDelivery.objects.filter(pk=delivery_id).values_list("endpoint_id", flat=True).first()
    if found is None:
        raise NotFound(_("There is no such delivery."))
    endpoint = locks.webhook(found)
    if endpoint.disabled_at is not None:
        raise Conflict(_("This endpoint is switched off; switch it on first."), code="endpoint_off")
    delivery = (
        WebhookDelivery.objects.select_for_update(no_key=True, of=("self",))
        .select_related("event", "endpoint")
        .get(pk=delivery_id)
    )
    delivery.attempts, delivery.created_at, delivery.next_at = 0, now, now
    delivery.done_at = delivery.dead_at = None
    delivery.save()
    _wake(endpoint)
    audit.record(AuditEvent.DELIVERY_RESENT, delivery, caller=caller, now=now, endpoint=str(endpoint.pk))
    return delivery


@transaction.atomic
def ping(endpoint_id: uuid.UUID, *, caller: Caller, now: datetime) -> WebhookDelivery:
    """Send one endpoint an event of its own, `webhook.ping`. Raises Refused; NotFound; Conflict (`endpoint_off`)."""
    may_administer(caller).require()
    endpoint = locks.webhook(endpoint_id)
    if endpoint.disabled_at is not None:
        raise Conflict(_("This endpoint is switched off; switch it on first."), code="endpoint_off")
    event_id = new_id()
    event = WebhookEvent.objects.create(
        id=event_id,
        type=WebhookEventType.PING,
        object_id=event_id,
        version=1,
        data={"id": str(event_id), "version": 1},
        at=now,
        available_at=now,
        spread_at=now,
    )
    delivery = _delivery(event, endpoint, now=now)
    delivery.save(force_insert=True)
    _wake(endpoint)
    return delivery


def give_up(*, now: datetime) -> int:
    """Set aside what could not be delivered for too long, with endpoints that are off or removed too."""
    old = WebhookDelivery.objects.filter(next_at__isnull=False, created_at__lt=now - GIVE_UP_AFTER)
    return old.update(next_at=None, dead_at=now, last_error=_("Not delivered in three days."))


def forget(*, now: datetime) -> int:
    """Forget events and deliveries that are older than KEPT, a bounded number at a time; returns how many events."""
    old = WebhookEvent.objects.filter(at__lt=now - KEPT).exclude(
        Exists(WebhookDelivery.objects.filter(event=OuterRef("pk"), next_at__isnull=False))
    )
    ids = list(old.order_by("at").values_list("pk", flat=True)[:FORGET_BATCH])
    with transaction.atomic():
        WebhookDelivery.objects.filter(event_id__in=ids).delete()
        WebhookEvent.objects.filter(pk__in=ids).delete()
    return len(ids)


def body_of(event: WebhookEvent) -> str:
    """The text that is signed and sent, the same on every attempt."""
    whole = {"type": event.type, "timestamp": announcements.moment(event.at), "data": event.data}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":"))


def signed(endpoint: WebhookEndpoint, event: WebhookEvent, body: str, *, now: datetime) -> dict[str, str]:
    """The headers of an attempt: a signature by each secret that holds at `now`, the newest first."""
    at = now.astimezone(UTC)
    secrets = [endpoint.secret]
    if endpoint.previous_until is not None and now < endpoint.previous_until:
        secrets.append(endpoint.previous_secret)
    return {
        "Content-Type": "application/json",
        "User-Agent": AGENT,
        "webhook-id": str(event.pk),
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(Webhook(s).sign(str(event.pk), at, body) for s in secrets),
    }


# ── one lane ───────────────────────────────────────────────────────────────────────────────────────


def _take(endpoint_id: uuid.UUID, *, now: datetime) -> WebhookEndpoint | None:
    with transaction.atomic():
        rows = WebhookEndpoint.objects.select_for_update(no_key=True, skip_locked=True)
        lane = rows.filter(_LIVE, _free(now), pk=endpoint_id).first()
        if lane is not None:
            lane.held_until, lane.fence = now + LANE_LEASE, lane.fence + 1
            lane.save(update_fields=["held_until", "fence"])
    return lane


def _begin(lane: WebhookEndpoint, *, now: datetime) -> tuple[WebhookEndpoint, WebhookDelivery] | None:
    """The lane as it is now and its next delivery, counted and dated as if the attempt had failed; None when
    nothing is due, the lane rests, is off, or is another worker's."""
    with transaction.atomic():
        rows = WebhookEndpoint.objects.select_for_update(no_key=True)
        here = rows.filter(_LIVE, _rested(now), pk=lane.pk, fence=lane.fence).first()
        if here is None or here.url != lane.url:
            return None
        waiting = WebhookDelivery.objects.select_for_update(no_key=True, of=("self",)).select_related("event")
        found = waiting.filter(_due(now), endpoint=here).order_by("rank", "next_at", "id").first()
        if found is None:
            return None
        found.attempts += 1
        found.last_at, found.next_at = now, now + _wait(found.attempts)
        found.last_status, found.last_error = None, _("The attempt was cut short.")
        if found.attempts > MAX_ATTEMPTS:  # the last one was
            found.next_at, found.dead_at = None, now
        found.save()
        here.held_until = now + LANE_LEASE
        here.save(update_fields=["held_until"])
    return here, found


def _attempt(
    line: outward.Line, lane: WebhookEndpoint, delivery: WebhookDelivery, *, clock: Callable[[], datetime]
) -> None:
    if delivery.dead_at is not None:
        return
    body = body_of(delivery.event)
    reply, error = None, ""
    try:
        reply = line.post(body.encode(), signed(lane, delivery.event, body, now=clock()))
    except outward.Unreached as unreached:
        error = str(unreached)
    _settle(lane.pk, delivery, reply, error, now=clock())


@transaction.atomic
def _settle(
    endpoint_id: uuid.UUID,
    delivery: WebhookDelivery,
    reply: outward.Reply | None,
    error: str,
    *,
    now: datetime,
) -> None:
    """Write down how an attempt ended, unless somebody sent for it anew meanwhile and it failed."""
    lane = WebhookEndpoint.objects.select_for_update(no_key=True).get(pk=endpoint_id)
    row = WebhookDelivery.objects.select_for_update(no_key=True, of=("self",)).get(pk=delivery.pk)
    done = reply is not None and 200 <= reply.status < 300
    row.last_status, row.last_error = (reply.status, "") if reply else (None, error)
    if done:
        row.next_at, row.dead_at, row.done_at = None, None, now
        _note_success(lane)
    else:
        asked = _asked_for(reply, now=now)
        if row.attempts == delivery.attempts and row.next_at is not None:
            if row.attempts >= MAX_ATTEMPTS:
                row.next_at, row.dead_at = None, now
            elif asked is not None:
                row.next_at = max(row.next_at, now + asked)
        if reply is not None and reply.status == 410:
            if row.next_at is not None:
                row.next_at, row.dead_at = None, now
            if lane.disabled_at is None:
                webhooks.switch_off(lane, DisabledReason.GONE, caller=SYSTEM, now=now)
        elif reply is not None and 300 <= reply.status < 400:
            row.last_error = _("Redirects are not followed.")
        _note_failure(lane, asked, now=now)
    row.save()


def _note_success(lane: WebhookEndpoint) -> None:
    if lane.failures:
        lane.failures, lane.failing_since, lane.rests_until = 0, None, None
        lane.save(update_fields=["failures", "failing_since", "rests_until"])


def _note_failure(lane: WebhookEndpoint, asked: timedelta | None, *, now: datetime) -> None:
    """The whole lane rests, longer after each failure: who is down is not asked for every delivery."""
    lane.failures += 1
    lane.failing_since = lane.failing_since or now
    rest = min(FIRST_REST * 2 ** min(lane.failures - 1, 10), LONGEST_REST)
    lane.rests_until = now + max(_jittered(rest), asked or timedelta(0))
    lane.save(update_fields=["failures", "failing_since", "rests_until"])


def _asked_for(reply: outward.Reply | None, *, now: datetime) -> timedelta | None:
    """What Retry-After asks for, in seconds or as a date (RFC 9110, 10.2.3); None for none, or nonsense."""
    word = reply.retry_after.strip() if reply else ""
    if word.isascii() and word.isdecimal():
        return min(timedelta(seconds=min(int(word[:12]), 10**9)), LONGEST_RETRY_AFTER)
    try:
        at = parsedate_to_datetime(word)
    except (TypeError, ValueError):
        return None
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
    return min(max(at - now, timedelta(0)), LONGEST_RETRY_AFTER)


def _delivery(event: WebhookEvent, endpoint: WebhookEndpoint, *, now: datetime) -> WebhookDelivery:
    flood = event.type == WebhookEventType.POST_EFFECT_CHANGED
    return WebhookDelivery(endpoint=endpoint, event=event, rank=int(flood), created_at=now, next_at=now)


def _is_told(endpoint: WebhookEndpoint, event: WebhookEvent) -> bool:
    """An endpoint is told of what it subscribes to, from when it was made; an organisation's only of its own."""
    return (
        event.type in endpoint.event_types
        and event.at >= endpoint.created_at
        and (endpoint.organisation is None or endpoint.organisation == event.organisation)
    )


def _wake(endpoint: WebhookEndpoint) -> None:
    """Let a locked lane rest no longer, and ring."""
    endpoint.rests_until = None
    endpoint.save(update_fields=["rests_until"])
    outbox.ring_after_commit(announcements.QUEUE)


def _due(now: datetime) -> Q:
    return Q(next_at__lte=now) | Q(next_at__gt=now + LONGEST_WAIT)


def _rested(now: datetime) -> Q:
    return Q(rests_until__isnull=True) | Q(rests_until__lte=now) | Q(rests_until__gt=now + LONGEST_WAIT)


def _free(now: datetime) -> Q:
    held = Q(held_until__gt=now, held_until__lte=now + LANE_LEASE)
    return _rested(now) & (Q(held_until__isnull=True) | ~held)


def _wait(attempts: int) -> timedelta:
    """From the attempt of this number to the next; after the last, until it is certain that it was cut short."""
    return _jittered(WAITS[attempts - 1]) if attempts <= len(WAITS) else LANE_LEASE


def _jittered(wait: timedelta) -> timedelta:
    return wait * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 (jitter)
