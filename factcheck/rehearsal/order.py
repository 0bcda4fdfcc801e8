"""Where posts stand in the member's feed, before and after."""

import statistics
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from moderation.selectors import feed
from moderation.services import callers

if TYPE_CHECKING:
    from moderation.models import User

PAGE = 500


def of(viewer: "User", *, now: datetime) -> dict[str, int]:
    """Every post of the viewer's feed by id, with its place from 1."""
    caller = callers.for_person(viewer, now=now)
    places: dict[str, int] = {}
    after = None
    while True:
        part = feed.ranked(caller=caller, viewer=viewer, limit=PAGE, after=after, now=now)
        for shown in part.posts:
            places[str(shown.post.pk)] = len(places) + 1
        after = part.end
        if after is None:
            return places


def moved(
    before: Mapping[str, int], after: Mapping[str, int], *, sunk: Collection[str], removed: Collection[str]
) -> list[str]:
    """What became of the posts rated false and of the removed ones, in words."""
    pairs = [(before[i], after[i]) for i in sunk if i in before and i in after]
    lines = []
    if pairs:
        was, now = (statistics.median(p[i] for p in pairs) for i in (0, 1))
        deeper = sum(b > a for a, b in pairs)
        lines.append(
            f"rated false: median place {was:,.0f} → {now:,.0f} of {len(after):,}; {deeper} of {len(pairs)} sank"
        )
    gone = sum(i not in after for i in set(removed))
    lines.append(f"removed: {gone} of {len(set(removed))} are gone from the feed")
    return lines
