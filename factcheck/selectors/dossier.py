"""Everything a reviewer reads about an item: what the platform knows and what the partners found."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from factcheck.enums import MatchState
from factcheck.models import Claim, Draft, Match, Partner, Rating
from factcheck.selectors import claims, ratings
from factcheck.selectors.claims import Alike
from moderation.caller import Caller
from moderation.selectors import actors, flags, items
from moderation.selectors.actors import History
from moderation.selectors.flags import ReasonCurve
from moderation.selectors.items import Dossier

if TYPE_CHECKING:
    from moderation.models import ReviewItem


@dataclass(frozen=True)
class ItemFile:
    platform: Dossier
    reasons: Sequence[ReasonCurve]
    actor: History
    claim: Claim | None  # what the item is about, once a match is confirmed
    made: Sequence[Match]  # claims that the displayed version makes
    earlier: Sequence[Match]  # claims that only earlier versions of the post made
    ratings: Mapping[uuid.UUID, Sequence[Rating]]  # in force, by claim
    alike: Sequence[Alike]
    draft: Draft | None
    partners: Mapping[uuid.UUID, str]  # names of the organisations mentioned

    def own_rating(self, partner: Partner | None) -> Rating | None:
        """The partner's own rating in force of the item's claim."""
        given = self.ratings.get(self.claim.pk, ()) if self.claim and partner else ()
        return next((r for r in given if partner and r.partner_id == partner.pk), None)


def of_item(item: "ReviewItem", *, caller: Caller, now: datetime) -> ItemFile:
    """Read it all, in a fixed number of queries."""
    platform = items.dossier(item, now=now)
    version = item.displayed_version
    claim = claims.of_cluster(item.cluster_id)
    made = claims.made_by_version(version)
    earlier = _earlier(platform, made)
    known = [m.claim_id for m in (*made, *earlier)] + ([claim.pk] if claim else [])
    return ItemFile(
        platform=platform,
        reasons=flags.by_reason(items.posts_of(item), now=now),
        actor=actors.history(platform.post.actor_id, now=now),
        claim=claim,
        made=made,
        earlier=earlier,
        ratings=ratings.in_force_on(known),
        alike=claims.alike(version.content.text, language=item.language, exclude=known),
        draft=Draft.objects.filter(item_id=item.pk, person_id=caller.person_id).first(),
        partners=names(
            [n.organisation for n in platform.notes]
            + [c.opened_for for c in platform.cases]
            + [item.held_for]
        ),
    )


def names(partner_ids: Collection[uuid.UUID | None]) -> dict[uuid.UUID, str]:
    wanted = {i for i in partner_ids if i is not None}
    return dict(Partner.objects.filter(pk__in=wanted).values_list("pk", "name")) if wanted else {}


def _earlier(platform: Dossier, made: Sequence[Match]) -> list[Match]:
    """Confirmed matches of the post's earlier versions whose claim the displayed one is not matched with."""
    numbers = [v.pk for v in platform.versions if v.number < platform.version.number]
    if not numbers:
        return []
    found = Match.objects.filter(post_version_id__in=numbers, state=MatchState.CONFIRMED)
    return list(
        found.exclude(claim_id__in=[m.claim_id for m in made]).select_related("claim").order_by("-at", "id")
    )
