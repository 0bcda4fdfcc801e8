"""Claims: made from an item's post, or picked by a partner that wants to rate one."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction

from factcheck.enums import MatchKind, MatchState
from factcheck.models import Claim, Match, Partner
from factcheck.services import matches, partners
from moderation.caller import Caller
from moderation.enums import AuditEvent, OutboxKind
from moderation.errors import Invalid, NotFound
from moderation.selectors import posts
from moderation.services import audit, clusters, outbox, queue

if TYPE_CHECKING:
    from moderation.models import ReviewItem


@dataclass(frozen=True)
class ClaimDraft:
    """Either an existing claim's id, or the text of a new one with the fragment of the post it refers to."""

    id: uuid.UUID | None = None
    text: str = ""
    fragment: str = ""


def for_item(
    item: "ReviewItem", draft: ClaimDraft, *, partner: Partner, caller: Caller, now: datetime
) -> Claim:
    """The claim this item is about: its cluster's, an existing one the reviewer names, or a new one.

    The caller holds the item's lock. Naming a claim, or making one, joins the displayed version to it.
    Raises Invalid (`claim`).
    """
    if item.cluster_id is not None:
        own = Claim.objects.get(cluster_id=item.cluster_id)
        if draft.id not in (None, own.pk):
            raise Invalid("This item is about another claim.", field="claim")
        if item.displayed_version_id and not draft.id:
            matches.confirm(own, item.displayed_version, caller=caller, now=now)
        return own
    if draft.id is not None:
        named = Claim.objects.filter(pk=draft.id).first()
        if named is None:
            raise Invalid("There is no such claim.", field="claim")
        matches.confirm(named, item.displayed_version, fragment=draft.fragment, caller=caller, now=now)
        return named
    text = draft.text.strip()
    if not text:
        raise Invalid("Say which claim you rate.", field="claim", code="required")
    claim = Claim.objects.create(
        cluster=clusters.create(now=now), text=text, language=item.language, added_for=partner, added_at=now
    )
    audit.record(AuditEvent.CLAIM_ADDED, claim, caller=caller, now=now)
    matches.confirm(claim, item.displayed_version, fragment=draft.fragment, caller=caller, now=now)
    # The copies that are here already: found by the matching worker.
    outbox.put(OutboxKind.POST_VERSION_ADDED, [item.displayed_version_id], now=now)
    return claim


@transaction.atomic
def pick(
    *, post_ref: str = "", claim_id: uuid.UUID | None = None, caller: Caller, now: datetime
) -> "ReviewItem":
    """Open (or find) the item of a post nobody flagged, or of a claim that another partner rated.

    Raises Refused, NotCertified, NotFound.
    """
    partners.certified(caller, now=now)
    if claim_id is not None:
        claim = Claim.objects.filter(pk=claim_id).first()
        first = (
            claim
            and Match.objects.filter(claim=claim, state=MatchState.CONFIRMED).order_by("at", "id").first()
        )
        version = first and posts.version(first.post_version_id)
        if claim is None or not version:
            raise NotFound("There is no such claim.")
        return queue.open_for_cluster(claim.cluster_id, version, picked=True, caller=caller, now=now)
    post = posts.by_ref(post_ref)
    if post is None or post.current_version is None or post.deleted_at is not None:
        raise NotFound("There is no such post.")
    known = (
        Match.objects.filter(post_version=post.current_version, state=MatchState.CONFIRMED)
        .exclude(kind=MatchKind.IMAGE)
        .select_related("claim")
        .order_by("at", "id")
        .first()
    )
    if known is not None:
        return queue.open_for_cluster(
            known.claim.cluster_id, post.current_version, picked=True, caller=caller, now=now
        )
    return queue.open_for_version(post.current_version, picked=True, caller=caller, now=now)
