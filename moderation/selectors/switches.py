"""Programme switches: which are on, what they stop and lift and clear, which posts they touch."""

import uuid
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import Q

from moderation.caller import Caller
from moderation.enums import DecisionKind, SwitchKind, SwitchStatus
from moderation.models import Actor, ClusterMember, Decision, Post, Strike, Switch
from moderation.policy import Switched, covers

if TYPE_CHECKING:
    from django.db.models import QuerySet


@dataclass(frozen=True)
class Switching:
    """What is lifted and cleared at a time."""

    lifts: tuple[Switched, ...] = ()
    clearances: tuple[Switched, ...] = ()

    def with_one_more(self, switch: Switch, *, begins: datetime) -> "Switching":
        """The same with a switch that is not on, as if it were from `begins`."""
        added = replace(_switched(switch), begins=begins)
        if switch.kind == SwitchKind.LIFT_EFFECTS:
            return replace(self, lifts=(*self.lifts, added))
        if switch.kind == SwitchKind.CLEAR_STRIKES:
            return replace(self, clearances=(*self.clearances, added))
        return self


def at(now: datetime) -> Switching:
    """The lifts and clearances that are on at `now`. One small query.

    A switch is confirmed for the present moment, so one that begins after `now` is on by a clock that runs ahead
    of ours: it counts.
    """
    on = _on(now).filter(kind__in=(SwitchKind.LIFT_EFFECTS, SwitchKind.CLEAR_STRIKES)).order_by("id")
    found: dict[str, list[Switched]] = {}
    for switch in on:
        found.setdefault(switch.kind, []).append(_switched(switch))
    return Switching(
        tuple(found.get(SwitchKind.LIFT_EFFECTS, ())), tuple(found.get(SwitchKind.CLEAR_STRIKES, ()))
    )


def stops(*, organisation: uuid.UUID, country: str, outcome: str = "", now: datetime) -> list[Switch]:
    """The switches that stop new ratings of this organisation, whose home is `country` ("": not known).

    With `outcome`: also those that stop only this verdict. To rely on the answer until a transaction ends, hold
    the switches first (moderation.services.switches.hold).
    """
    return list(
        _on(now)
        .filter(
            Q(organisation__isnull=True) | Q(organisation=organisation),
            kind=SwitchKind.STOP_RATINGS,
            country__in={"", country},
            outcome__in={"", outcome},
        )
        .order_by("id")
    )


def lifted_in(*, outcome: str, organisations: Collection[uuid.UUID], now: datetime) -> list[str]:
    """Where a verdict that rests on these organisations has no effect: countries, or [""] for everywhere."""
    lifts = at(now).lifts
    resting_on = [str(i) for i in organisations]
    places = [
        place
        for place in sorted({lift.country for lift in lifts})
        if covers(lifts, country=place, outcome=outcome, organisations=resting_on)
    ]
    return [""] if "" in places else places


def clears(actor_id: uuid.UUID, *, outcome: str, organisations: Collection[uuid.UUID], now: datetime) -> bool:
    """Whether a strike of the actor by a verdict that rests on these organisations would not count."""
    country = Actor.objects.values_list("country", flat=True).get(pk=actor_id)
    resting_on = [str(i) for i in organisations]
    return covers(at(now).clearances, country=country, outcome=outcome, organisations=resting_on)


def touched(switch: Switch, *, now: datetime) -> "QuerySet[Post, uuid.UUID]":
    """Ids of the posts whose effect this switch may change, whether it goes on or off.

    Found by verdicts and strikes, not by effects: what is lifted has none, and a verdict recorded a moment
    before the switch may not have its own yet.
    """
    posts = Post.objects.values_list("id", flat=True)
    if switch.kind == SwitchKind.LIFT_EFFECTS:
        verdicts = Decision.objects.filter(
            kind=DecisionKind.STANDING_VERDICT, ends=False, superseded_by__isnull=True
        )
        if switch.outcome:
            verdicts = verdicts.filter(outcome=switch.outcome)
        if switch.organisation:
            verdicts = verdicts.filter(organisations__contains=[switch.organisation])
        members = ClusterMember.objects.filter(
            cluster_id__in=verdicts.values("cluster_id"), left_at__isnull=True
        )
        return posts.filter(pk__in=members.values("post_id"))
    if switch.kind == SwitchKind.CLEAR_STRIKES:
        struck = Actor.objects.filter(pk__in=Strike.objects.filter(counts_until__gt=now).values("actor_id"))
        if switch.country:
            struck = struck.filter(country=switch.country)
        return posts.filter(actor_id__in=struck.values("id"))
    return posts.none()


def listed() -> "QuerySet[Switch]":
    """All switches, newest first."""
    return Switch.objects.select_related("proposed_by", "confirmed_by", "ended_by").order_by("-id")


def waiting_for(caller: Caller) -> "QuerySet[Switch]":
    """Switches that somebody else proposed and nobody judged yet."""
    return Switch.objects.filter(status=SwitchStatus.PROPOSED).exclude(proposed_by_id=caller.person_id)


def _on(now: datetime) -> "QuerySet[Switch]":
    return Switch.objects.filter(Q(ended_at__isnull=True) | Q(ended_at__gt=now), confirmed_at__isnull=False)


def _switched(switch: Switch) -> Switched:
    return Switched(
        begins=switch.confirmed_at or switch.proposed_at,
        ends=switch.ended_at,
        country=switch.country,
        organisation=str(switch.organisation or ""),
        outcome=switch.outcome,
    )
