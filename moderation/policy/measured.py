"""What a rating did to views, from samples alone: counted, never estimated (domain 4 and 11)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Sample:
    at: datetime
    views: int


@dataclass(frozen=True, slots=True)
class Seen:
    """A post around the instant its effect began: the sample before (or just then), the next one, the newest."""

    effect_at: datetime
    before: Sample | None = None
    next: Sample | None = None
    newest: Sample | None = None
    flagged_at: datetime | None = None  # the first flag that stands
    samples: int = 0


@dataclass(frozen=True, slots=True)
class Measured:
    """Views of some posts by when they were counted, and from how much that is known.

    `between` were counted from the last sample before the effect to the first one after it: on which side
    of the effect they fall, nobody measured.
    """

    posts: int
    sampled: int  # posts with a sample at all
    samples: int
    before: int
    between: int
    after: int
    seconds_to_rating: (
        float | None
    )  # first flag to effect, weighted by views; None if nothing flagged was seen

    @property
    def views(self) -> int:
        return self.before + self.between + self.after

    @property
    def share_after(self) -> tuple[float, float] | None:
        """The share of all views that came after the effect, 0..1: at least, and at most. None without views."""
        if not self.views:
            return None
        return self.after / self.views, (self.after + self.between) / self.views


def measured(posts: Iterable[Seen]) -> Measured:
    """Add up posts. A count that a platform corrected downwards adds no views; it takes none away either."""
    posts = list(posts)
    before = between = after = 0
    weight, weighted = 0, 0.0
    for post in posts:
        known = post.before.views if post.before else 0
        here = later = 0
        if post.next is not None and post.newest is not None:
            if post.before is None or post.before.at < post.effect_at:
                here = max(post.next.views - known, 0)
                later = max(post.newest.views - post.next.views, 0)
            else:  # a sample of the very instant: all since is after
                later = max(post.newest.views - known, 0)
        before, between, after = before + known, between + here, after + later
        if post.flagged_at is not None:
            views = known + here + later
            weight += views
            weighted += views * max((post.effect_at - post.flagged_at).total_seconds(), 0.0)
    return Measured(
        posts=len(posts),
        sampled=sum(1 for post in posts if post.samples),
        samples=sum(post.samples for post in posts),
        before=before,
        between=between,
        after=after,
        seconds_to_rating=weighted / weight if weight else None,
    )
