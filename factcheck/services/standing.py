"""From several partners' ratings to the one verdict that the platform enforces."""

import uuid
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction

from factcheck import policy
from factcheck.enums import Verdict
from factcheck.models import Claim, Rating
from factcheck.selectors.ratings import in_force
from moderation.caller import Caller
from moderation.selectors import posts
from moderation.services import decisions

if TYPE_CHECKING:
    from moderation.models import Decision


@transaction.atomic
def settle(claim: Claim, *, cause: uuid.UUID, caller: Caller, now: datetime) -> "Decision | None":
    """Record the verdict that stands now; `cause` is the rating or withdrawal that made us look.

    The caller holds the claim's lock, so two partners' ratings are settled one after the other.
    """
    ratings = {str(r.pk): r for r in in_force(claim)}
    stands = policy.standing(
        [policy.Given(i, str(r.partner_id), Verdict(r.verdict), r.at) for i, r in ratings.items()]
    )
    shown = [ratings[i] for i in stands.rests_on] if stands else []
    leading = next((r for r in shown if stands and r.verdict == stands.verdict), None)
    version = posts.version(leading.post_version_id) if leading else None
    return decisions.stand(
        claim.cluster_id,
        outcome=stands.verdict if stands else "",
        contested=stands.contested if stands else False,
        presentation={"claim": claim.text, "articles": [_article(r) for r in shown]} if shown else {},
        organisations=[r.partner_id for r in shown],
        rated_version=version,
        source="standing",
        source_key=str(cause),
        caller=caller,
        now=now,
    )


def _article(rating: Rating) -> dict[str, Any]:
    return {
        "verdict": rating.verdict,
        "publisher": rating.partner.name,
        "headline": rating.headline,
        "url": rating.article.url if rating.article else "",
        "language": rating.language,
    }
