"""Programme switches, turned as two administrators turn them."""

from typing import Any

from moderation.caller import Caller
from moderation.enums import SwitchKind
from moderation.models import Switch
from moderation.services import enforcement
from moderation.services import switches as service
from tests.factories import platform as p
from tests.factories.platform import Clock

WHY = "The law there changes on Monday."


def proposed(kind: SwitchKind, *, by: Caller, clock: Clock, **scope: Any) -> Switch:
    """A switch that was tried to the end and waits for its second key."""
    made = service.propose(kind=kind, reason=WHY, caller=by, now=clock(), **scope)
    while enforcement.drain("maintenance", limit=1000, now=clock):
        pass
    return Switch.objects.get(pk=made.pk)


def switched_on(
    kind: SwitchKind, *, by: tuple[Caller, Caller], clock: Clock, work: bool = True, **scope: Any
) -> Switch:
    """A switch proposed by one and confirmed by another administrator, rolled out."""
    first, second = by
    made = proposed(kind, by=first, clock=clock, **scope)
    made = service.confirm(made.pk, version=made.version, caller=second, now=clock())
    if work:
        p.settle(clock)
    return made


def returned(made: Switch, *, by: Caller, clock: Clock) -> Switch:
    """The switch as it is after its return, rolled out."""
    made = service.give_back(made.pk, version=made.version, caller=by, now=clock())
    p.settle(clock)
    return made
