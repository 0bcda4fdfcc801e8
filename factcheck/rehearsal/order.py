"""What became of posts' places in the member's feed."""

import statistics
from collections.abc import Collection, Mapping


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
