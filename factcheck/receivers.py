"""What the programme does when the platform tells it something. Safe to be told twice."""

from typing import Any

from django.dispatch import receiver

from factcheck.services import matches
from moderation.events import post_version_added


@receiver(post_version_added, dispatch_uid="factcheck.recognise")
def recognise(version: Any, now: Any, **_: Any) -> None:
    """A new post version is matched with the claims it copies."""
    matches.recognise(version, now=now)
