"""After the acts: is everything as the decisions say, and nothing doubled or lost?"""

from collections.abc import Iterator
from datetime import datetime

from factcheck.enums import Verdict
from factcheck.models import Claim
from factcheck.policy import Given, standing
from factcheck.rehearsal.acts import Stage, double_leases
from factcheck.selectors.ratings import in_force
from moderation.selectors import verification
from moderation.services import audit, decisions, health


def owed(*, now: datetime) -> int:
    """Outbox rows that wait, or were set aside."""
    return sum(q.waiting + q.failed for q in health.queues(now=now))


def faults(stage: Stage, *, now: datetime) -> Iterator[str]:
    """Every invariant that does not hold, in words."""
    yield from (f"{item} was held by two reviewers" for item in double_leases(stage.takes))
    yield from verification.faults(now=now)
    yield from verification.feed_faults()
    yield from audit.verify()
    yield from _standing_faults()
    live = verification.live_flags(prefix=stage.cast.mark)
    if live != stage.flags:
        yield f"{live} flags are live, the members left {stage.flags}"
    yield from verification.strike_faults(now=now)
    yield from verification.queue_faults()


def _standing_faults() -> Iterator[str]:
    """Claims whose recorded verdict is not what their ratings in force imply."""
    for claim in Claim.objects.order_by("id").iterator():
        given = [Given(str(r.pk), str(r.partner_id), Verdict(r.verdict), r.at) for r in in_force(claim)]
        right, recorded = standing(given), decisions.standing_on(claim.cluster_id)
        stored = (recorded.outcome, recorded.contested) if recorded else None
        if stored != ((right.verdict, right.contested) if right else None):
            yield f"claim {claim.pk}: {stored} stands, its ratings imply {right}"
