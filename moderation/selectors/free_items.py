"""Which open items nobody holds, and why there is none for somebody."""

import uuid
from collections.abc import Collection
from datetime import datetime

from django.db import connection
from django.db.models import Q

from moderation.enums import ItemStatus
from moderation.errors import NothingToTake
from moderation.models import ReviewItem
from moderation.selectors.scopes import QueueScope, in_scope

_BEST = """
SELECT picked.id FROM unnest(%(languages)s::text[]) AS wanted(language)
CROSS JOIN LATERAL (
    SELECT i.id, i.rank FROM moderation_reviewitem i
    WHERE i.status = 'open' AND i.language = wanted.language
      AND (i.held_until IS NULL OR i.held_until <= %(now)s)
      AND (%(anywhere)s OR i.countries = '{}' OR i.countries && %(countries)s::varchar[])
      AND NOT i.id = ANY(%(exclude)s::uuid[])
    ORDER BY i.rank DESC, i.id LIMIT %(width)s
) AS picked ORDER BY picked.rank DESC, picked.id LIMIT %(width)s
"""


def best(scope: QueueScope, exclude: Collection[uuid.UUID], *, now: datetime, width: int) -> list[uuid.UUID]:
    """The best free items, read from the per-language rank index without locking any."""
    with connection.cursor() as cursor:
        cursor.execute(
            _BEST,
            {
                "languages": list(dict.fromkeys(scope.languages)),
                "countries": list(scope.countries),
                "anywhere": not scope.countries,
                "exclude": list(exclude),
                "now": now,
                "width": width,
            },
        )
        return [row[0] for row in cursor.fetchall()]


def why_none(scope: QueueScope, exclude: Collection[uuid.UUID], *, now: datetime) -> NothingToTake:
    """Tells an empty queue from one in which all is taken, or in which only skipped items are left."""
    open_items = ReviewItem.objects.filter(in_scope(scope), status=ItemStatus.OPEN)
    free = open_items.filter(Q(held_until__isnull=True) | Q(held_until__lte=now))
    if not open_items.exists():
        return NothingToTake("The queue is empty.", code="queue_empty", open=0)
    if skipped := free.filter(pk__in=exclude).count():
        return NothingToTake(
            f"Nothing else for you: {skipped} skipped.", code="only_skipped_left", skipped=skipped
        )
    return NothingToTake("Every open item is being reviewed by somebody.", code="all_taken")
