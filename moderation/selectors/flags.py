"""Members' reports on posts, counted by people: reason by reason and hour by hour."""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Max, Min, QuerySet
from django.db.models.functions import TruncHour

from moderation.models import ClusterMember, Flag

HOURS = 24


@dataclass(frozen=True)
class ReasonCurve:
    """Live flags of one reason: distinct people, first and last time, and how many per hour of late."""

    reason: str
    count: int
    first: datetime
    last: datetime
    hours: Sequence[int]  # the newest HOURS hours, oldest first

    @property
    def lately(self) -> int:
        """People in these hours; somebody who flagged copies in several of them counts in each."""
        return sum(self.hours)


def by_reason(
    posts: "Collection[uuid.UUID] | QuerySet[ClusterMember, uuid.UUID]", *, now: datetime
) -> list[ReasonCurve]:
    """One curve per reason given, the most frequent first."""
    live = Flag.objects.filter(post_id__in=posts, withdrawn_at__isnull=True)
    this_hour = now.replace(minute=0, second=0, microsecond=0)
    buckets = [this_hour - timedelta(hours=back) for back in reversed(range(HOURS))]
    recent = (
        live.filter(at__gte=buckets[0])
        .annotate(hour=TruncHour("at", tzinfo=now.tzinfo))
        .values_list("reason", "hour")
        .annotate(people=Count("reporter", distinct=True))
        .order_by()
    )
    counted = {(reason, hour): people for reason, hour, people in recent}
    totals = live.values_list("reason").annotate(
        people=Count("reporter", distinct=True), first=Min("at"), last=Max("at")
    )
    return [
        ReasonCurve(reason, people, first, last, [counted.get((reason, hour), 0) for hour in buckets])
        for reason, people, first, last in totals.order_by("-people", "reason")
    ]
