"""What the programme does when the platform tells it something. Safe to be told twice."""

from typing import Any

from django.dispatch import receiver

from factcheck.services import matches, partners
from moderation.enums import SwitchKind
from moderation.events import post_version_added, switch_went_on


@receiver(post_version_added, dispatch_uid="factcheck.recognise")
def recognise(version: Any, now: Any, **_: Any) -> None:
    """A new post version is matched with the claims it copies."""
    matches.recognise(version, now=now)


@receiver(switch_went_on, dispatch_uid="factcheck.stop")
def stop(switch: Any, now: Any, **_: Any) -> None:
    """Where new ratings stop, what reviewers hold goes back to the queue; a stopped verdict ends no work."""
    if switch.kind == SwitchKind.STOP_RATINGS and not switch.outcome:
        partners.free_stopped(organisation=switch.organisation, country=switch.country, now=now)
