"""A reviewer's hold on an item, with its history. The lease itself is on the item row (moderation.queue)."""

import uuid
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import connection, transaction

from factcheck.enums import LeaseEnding, SkipReason
from factcheck.models import Draft, Lease, Partner
from factcheck.permissions import may_see_queue
from factcheck.selectors import partners as find
from factcheck.services import partners
from moderation.caller import Caller
from moderation.errors import Invalid, NotFound, Refused
from moderation.ids import new_id
from moderation.selectors import items
from moderation.services import queue

if TYPE_CHECKING:
    from moderation.models import ReviewItem


@transaction.atomic
def take_next(*, language: str = "", caller: Caller, now: datetime) -> "ReviewItem":
    """Hand the caller the best free item of their partner's languages and countries, or of one language.

    Items they skipped, or snoozed until later, are left out. Raises Refused, NotCertified, NothingToTake.
    """
    place = partners.at_work(caller, now=now)
    scope = find.scope_of(place.partner)
    if language in scope.languages:
        scope = replace(scope, languages=(language,))
    item = queue.take_next(
        scope=scope,
        exclude=set_aside(caller.person_id, now=now),
        until=place.certified_until,
        caller=caller,
        now=now,
    )
    _begin(item, place.partner, caller=caller, now=now)
    return item


@transaction.atomic
def take(item_id: uuid.UUID, *, caller: Caller, now: datetime) -> "ReviewItem":
    """Hand the caller this item. Raises Refused, NotCertified, NotFound, Conflict."""
    place = partners.at_work(caller, now=now)
    visible(item_id, caller=caller)
    item = queue.take(item_id, until=place.certified_until, caller=caller, now=now)
    _begin(item, place.partner, caller=caller, now=now)
    return item


@transaction.atomic
def renew(item_id: uuid.UUID, *, caller: Caller, now: datetime) -> "ReviewItem":
    """Prolong the hold because the reviewer is active; no hold outlives the partner's certificate.

    Raises Refused, NotCertified, NotFound, LeaseLost, Conflict.
    """
    place = partners.at_work(caller, now=now)
    visible(item_id, caller=caller)
    return queue.renew(item_id, until=place.certified_until, caller=caller, now=now)


@transaction.atomic
def release(item_id: uuid.UUID, *, caller: Caller, now: datetime) -> "ReviewItem":
    """Put the item back. Raises NotFound, LeaseLost, Conflict."""
    visible(item_id, caller=caller)
    return _put_back(item_id, LeaseEnding.RELEASED, caller=caller, now=now)


@transaction.atomic
def skip(item_id: uuid.UUID, *, reason: SkipReason, caller: Caller, now: datetime) -> "ReviewItem":
    """Put it back and do not offer it to this reviewer again until it changes. Raises as `release`."""
    visible(item_id, caller=caller)
    return _put_back(item_id, LeaseEnding.SKIPPED, reason=reason, caller=caller, now=now)


@transaction.atomic
def snooze(item_id: uuid.UUID, *, wake_at: datetime, caller: Caller, now: datetime) -> "ReviewItem":
    """Put it back and offer it to this reviewer again at `wake_at`. Raises as `release`; Invalid (`wake_at`)."""
    if wake_at <= now:
        raise Invalid("The time to wake up lies in the past.", field="wake_at")
    visible(item_id, caller=caller)
    return _put_back(item_id, LeaseEnding.SNOOZED, wake_at=wake_at, caller=caller, now=now)


@transaction.atomic
def look_again(item_id: uuid.UUID, *, caller: Caller, now: datetime) -> "ReviewItem":
    """The item as it is now, showing its post's newest version. Raises Refused, NotFound."""
    visible(item_id, caller=caller)
    queue.show_newest(item_id)
    return visible(item_id, caller=caller)


def end(item: "ReviewItem", ending: LeaseEnding, *, now: datetime) -> None:
    """Close the history row of whoever held the item last."""
    Lease.objects.filter(item_id=item.pk, ended_at__isnull=True).update(ended_at=now, ending=ending)


_SET_ASIDE = """
SELECT DISTINCT l.item_id FROM factcheck_lease l JOIN moderation_reviewitem i ON i.id = l.item_id
WHERE l.person_id = %(person)s AND l.ending IN ('skipped', 'snoozed') AND i.status = 'open'
  AND (l.ending = 'skipped' AND l.item_version = i.version OR l.ending = 'snoozed' AND l.wake_at > %(now)s)
ORDER BY l.item_id
"""


def set_aside(person_id: uuid.UUID | None, *, now: datetime) -> list[uuid.UUID]:
    """Open items not to offer to this person: skipped at their present version, or snoozed until later."""
    with connection.cursor() as cursor:
        cursor.execute(_SET_ASIDE, {"person": person_id, "now": now})
        return [item_id for (item_id,) in cursor.fetchall()]


def visible(item_id: uuid.UUID, *, caller: Caller) -> "ReviewItem":
    """The item if it is in the caller's scope. Raises Refused; NotFound, also for a foreign item."""
    may_see_queue(caller).require()
    partner = find.of(caller)
    if partner is None:
        raise Refused("Only reviewers of a partner see the queue.")
    item = items.get(item_id, find.scope_of(partner))
    if item is None:
        raise NotFound("There is no such item.")
    return item


@transaction.atomic
def save_draft(item_id: uuid.UUID, fields: dict[str, object], *, caller: Caller, now: datetime) -> Draft:
    """Keep what the reviewer typed, with or without the lease. Raises Refused, NotFound."""
    visible(item_id, caller=caller)
    draft, _ = Draft.objects.update_or_create(
        item_id=item_id, person_id=caller.person_id, defaults={"fields": fields, "saved_at": now}
    )
    return draft


def draft_of(item_id: uuid.UUID, *, caller: Caller) -> Draft | None:
    return Draft.objects.filter(item_id=item_id, person_id=caller.person_id).first()


_BEGIN = """
INSERT INTO factcheck_lease
    (id, item_id, person_id, partner_id, fence, item_version, taken_at, ending, reason)
VALUES (%s, %s, %s, %s, %s, %s, %s, '', '') ON CONFLICT DO NOTHING
"""


def _begin(item: "ReviewItem", partner: Partner, *, caller: Caller, now: datetime) -> None:
    if item.fence > 1:  # somebody held it before
        Lease.objects.filter(item_id=item.pk, ended_at__isnull=True).exclude(fence=item.fence).update(
            ended_at=now, ending=LeaseEnding.TAKEN_OVER
        )
    with connection.cursor() as cursor:
        cursor.execute(_BEGIN, [new_id(), item.pk, caller.person, partner.pk, item.fence, item.version, now])


def _put_back(
    item_id: uuid.UUID,
    ending: LeaseEnding,
    *,
    caller: Caller,
    now: datetime,
    reason: str = "",
    wake_at: datetime | None = None,
) -> "ReviewItem":
    item = queue.put_back(item_id, caller=caller, now=now, reason=reason or ending)
    Lease.objects.filter(item_id=item_id, ended_at__isnull=True).update(
        ended_at=now, ending=ending, reason=reason, wake_at=wake_at, item_version=item.version
    )
    return item
