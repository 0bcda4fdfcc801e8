"""What a rating would do, said before it is sent: figures from the database as it is, rules from the policy."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from factcheck import policy
from factcheck.enums import NOT_ELIGIBLE, Verdict
from factcheck.models import Partner, Rating
from factcheck.selectors import claims, ratings
from moderation.selectors import outlook, policies, switches
from moderation.selectors.outlook import Reached, StrikeOutlook

if TYPE_CHECKING:
    from moderation.models import ReviewItem

FULL = 10_000


@dataclass(frozen=True)
class Consequences:
    """`verdict` is what would stand on the claim, "" when none is chosen yet.

    `effect` is the policy's row for it (multipliers in basis points, label, interstitial …). `strike` tells
    what a strike would make of the original publisher's standing; None when the verdict brings none, or, with
    `cleared`, one that does not count. `lifted_in`: where a switch lifts the effect ([""]: everywhere).
    """

    reached: Reached
    verdict: str = ""
    contested: bool = False
    effect: Mapping[str, Any] | None = None
    label: str = ""
    strike: StrikeOutlook | None = None
    cleared: bool = False
    lifted_in: Sequence[str] = ()
    others: Sequence[Rating] = ()

    @property
    def feed_bp(self) -> int:
        return int(self.effect["multiplier"]["feed"]) if self.effect else FULL


def of_rating(
    item: "ReviewItem", *, verdict: str, claim_id: uuid.UUID | None = None, partner: Partner, now: datetime
) -> Consequences:
    """What the partner's `verdict` on the item's claim (or on the one named) would do now."""
    rules = policies.at(now).data
    claim = claims.of_cluster(item.cluster_id) or (claims.get(claim_id) if claim_id else None)
    cluster_id = claim.cluster_id if claim else None
    version = item.displayed_version
    reached = reach_of(item, cluster_id=cluster_id)
    others = [r for r in (ratings.in_force(claim) if claim else []) if r.partner_id != partner.pk]
    if verdict == NOT_ELIGIBLE:
        return Consequences(reached, verdict, effect=rules["verdicts"][NOT_ELIGIBLE], others=others)
    if verdict not in Verdict.values:
        return Consequences(reached, others=others)
    stands = _standing_with(others, verdict, partner=partner, now=now)
    effect = rules["verdicts"][stands.verdict]
    strikes = effect["strike"] and not stands.contested and version.post.deleted_at is None
    partners = {str(r.pk): r.partner_id for r in others}
    word: dict[str, Any] = {
        "outcome": stands.verdict,
        "organisations": [partners.get(i, partner.pk) for i in stands.rests_on],
        "now": now,
    }
    cleared = bool(strikes) and switches.clears(version.post.actor_id, **word)
    return Consequences(
        reached=reached,
        verdict=stands.verdict,
        contested=stands.contested,
        effect=effect,
        label=rules["contested_label"] if stands.contested else effect["label"],
        strike=outlook.after_strike(version.post.actor_id, cluster_id=cluster_id, now=now)
        if strikes and not cleared
        else None,
        cleared=cleared,
        lifted_in=switches.lifted_in(**word),
        others=others,
    )


def reach_of(item: "ReviewItem", *, cluster_id: uuid.UUID | None) -> Reached:
    """Whom a rating of the item's post and of the cluster's would reach now."""
    added = claims.copies_of(item.displayed_version_id)
    return outlook.reached(cluster_id=cluster_id, version_ids=added)


def _standing_with(
    others: Sequence[Rating], verdict: str, *, partner: Partner, now: datetime
) -> policy.Standing:
    given = [policy.Given(str(r.pk), str(r.partner_id), Verdict(r.verdict), r.at) for r in others]
    stands = policy.standing([*given, policy.Given("new", str(partner.pk), Verdict(verdict), now)])
    assert stands is not None
    return stands
