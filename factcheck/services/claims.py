"""Claims: made from an item's post, or picked by a partner that wants to rate one."""

import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction

from factcheck.enums import LeaseEnding, MatchKind, MatchState
from factcheck.models import Claim, Match, Partner
from factcheck.services import leases, matches, partners
from moderation.caller import Caller
from moderation.enums import AuditEvent, ItemKind, ItemOutcome, ItemStatus
from moderation.errors import Invalid, NotFound
from moderation.selectors import posts
from moderation.services import audit, clusters, queue, subjects, words
from moderation.services.queue import ItemRef

if TYPE_CHECKING:
    from moderation.models import ReviewItem


@dataclass(frozen=True)
class ClaimDraft:
    """Either an existing claim's id, or the text of a new one with the fragment of the post it refers to."""

    id: uuid.UUID | None = None
    text: str = ""
    fragment: str = ""


def cluster_of(claim_id: uuid.UUID | None) -> list[uuid.UUID]:
    """The claim's cluster, if there is such a claim."""
    named = Claim.objects.filter(pk=claim_id) if claim_id else Claim.objects.none()
    return list(named.values_list("cluster_id", flat=True))


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
    words.require("Say which claim you rate.", claim=draft.text)
    claim = Claim.objects.create(
        cluster=clusters.create(now=now),
        text=draft.text,
        language=item.language,
        added_for=partner,
        added_at=now,
    )
    audit.record(AuditEvent.CLAIM_ADDED, claim, caller=caller, now=now)
    matches.confirm(claim, item.displayed_version, fragment=draft.fragment, caller=caller, now=now)
    return claim


@transaction.atomic
def same_claim(
    ref: ItemRef, claim_id: uuid.UUID, *, fragment: str = "", caller: Caller, now: datetime
) -> Match:
    """The reviewer who holds an item says that its post makes a claim we know.

    A claim with a verdict in force answers the item; otherwise the item becomes the claim's and stays held.
    Raises as `ratings.submit`; NotFound if there is no such claim; Conflict (`rejected_before`).
    """
    partners.certified(caller, now=now)
    leases.visible(ref.id, caller=caller)
    held = queue.lock_held(ref, together_with=cluster_of(claim_id), caller=caller, now=now)
    claim = Claim.objects.filter(pk=claim_id).first()
    if claim is None:
        raise NotFound("There is no such claim.")
    match = matches.confirm(claim, held.displayed_version, fragment=fragment, caller=caller, now=now)
    held.refresh_from_db()
    if held.kind == ItemKind.RE_CHECK and held.status == ItemStatus.OPEN:
        queue.close(held, outcome=ItemOutcome.RATED, caller=caller, now=now)
    if held.status == ItemStatus.CLOSED:
        leases.end(held, LeaseEnding.RATED, now=now)
    return match


@transaction.atomic
def no_longer_made(ref: ItemRef, claim_id: uuid.UUID, *, caller: Caller, now: datetime) -> "ReviewItem":
    """The reviewer of an edited post says that it no longer makes a claim it was rated for (domain 4, edit).

    Every version of the post leaves the claim, and with it goes the effect. When no claim is left, the
    re-check closes. Raises as `ratings.submit`; NotFound if the post was not matched with the claim.
    """
    partners.certified(caller, now=now)
    leases.visible(ref.id, caller=caller)
    held = queue.lock_held(ref, caller=caller, now=now)
    confirmed = Match.objects.filter(
        post_version__post_id=held.displayed_version.post_id, state=MatchState.CONFIRMED
    )
    ending = list(confirmed.filter(claim_id=claim_id).order_by("id").values_list("id", flat=True))
    if not ending:
        raise NotFound("This post is not matched with the claim.")
    for match_id in ending:
        matches.reject(match_id, caller=caller, now=now)
    if held.kind == ItemKind.RE_CHECK and not confirmed.exists():
        queue.close(held, outcome=ItemOutcome.RATED, caller=caller, now=now)
        leases.end(held, LeaseEnding.RATED, now=now)
    return held


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
        shown = subjects.original(claim.cluster_id) or version
        return queue.open_for_cluster(claim.cluster_id, shown, picked=True, caller=caller, now=now)
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
        shown = subjects.original(known.claim.cluster_id) or post.current_version
        return queue.open_for_cluster(known.claim.cluster_id, shown, picked=True, caller=caller, now=now)
    return queue.open_for_version(post.current_version, picked=True, caller=caller, now=now)
