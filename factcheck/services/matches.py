"""Which posts make a claim. Exact copies are confirmed at once, everything else is a person's word."""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import connection, transaction
from django.db.models import Q

from factcheck.enums import MatchKind, MatchState
from factcheck.folding import link_key, text_key
from factcheck.models import Claim, Fingerprint, Match
from factcheck.services import partners
from moderation.caller import SYSTEM, Caller
from moderation.enums import AuditEvent, OutboxKind
from moderation.errors import Conflict, NotFound
from moderation.selectors import posts
from moderation.services import audit, clusters, outbox, queue

if TYPE_CHECKING:
    from moderation.models import PostVersion

COPIES_AT_ONCE = 2000


@transaction.atomic
def recognise(version: "PostVersion", *, now: datetime) -> int:
    """Match a post version with the claims of its copies, and its copies with its own; returns how many
    matches are new.

    Run for each new version and again when a person matches one. Safe to repeat and in any order: copies
    are recognised one at a time, so whichever of two comes later finds the other.
    """
    content = version.content
    keys = text_key(content.text), link_key(content.text, content.links)
    _one_at_a_time(keys)
    mark, _ = Fingerprint.objects.get_or_create(
        version_id=version.pk, defaults=dict(zip(("text_key", "link_key"), keys, strict=True))
    )
    same = _same_as(mark)
    if same is None:
        return 0
    new = 0
    copies = Fingerprint.objects.filter(same)
    claims = Claim.objects.filter(
        matches__state=MatchState.CONFIRMED, matches__post_version__in=copies.values("version_id")
    )
    for claim in claims.order_by("id").distinct():
        own = claim.matches.filter(post_version_id=version.pk).first()
        if own is None:
            new += _spread(claim, [version.pk], now=now)
        elif own.state == MatchState.CONFIRMED:
            unmatched = copies.exclude(version_id__in=claim.matches.values("post_version_id"))
            new += _spread(claim, list(unmatched.order_by("pk").values_list("pk", flat=True)), now=now)
    return new


@transaction.atomic
def confirm(
    claim: Claim, version: "PostVersion", *, fragment: str = "", caller: Caller, now: datetime
) -> Match:
    """A reviewer says that this post makes this claim. Confirming twice changes nothing.

    The post's exact copies follow: the matching worker finds them. Raises Refused, NotCertified; Conflict (`rejected_before`).
    """
    partner = partners.certified(caller, now=now)
    queue.lock_about(post_ids=[version.post_id], cluster_ids=[claim.cluster_id])  # items come first
    match = Match(
        claim=claim,
        post_version=version,
        kind=MatchKind.MANUAL,
        fragment=fragment,
        state=MatchState.CONFIRMED,
        by_id=caller.person_id,
        partner=partner,
        at=now,
    )
    Match.objects.bulk_create([match], ignore_conflicts=True)
    stored = Match.objects.select_for_update(of=("self",)).get(claim=claim, post_version=version)
    if stored.state == MatchState.REJECTED:
        raise Conflict("This post was found not to make this claim.", code="rejected_before")
    if stored.state == MatchState.SUGGESTED:
        stored.state, stored.by_id, stored.partner, stored.at = (
            MatchState.CONFIRMED,
            caller.person_id,
            partner,
            now,
        )
        stored.save()
    clusters.add(claim.cluster_id, version, caller=caller, now=now, by_person=True)
    if (stored.by_id, stored.at) == (match.by_id, match.at):  # confirmed just now
        outbox.put(OutboxKind.POST_VERSION_ADDED, [version.pk], now=now)
        audit.record(AuditEvent.MATCH_CONFIRMED, stored, caller=caller, now=now, claim=str(claim.pk))
    return stored


@transaction.atomic
def reject(match_id: uuid.UUID, *, caller: Caller, now: datetime) -> Match:
    """A reviewer says that this post does not make the claim: it leaves, and never comes back by itself.

    Raises Refused, NotCertified, NotFound.
    """
    partner = partners.certified(caller, now=now)
    match = Match.objects.select_for_update(of=("self",)).select_related("claim").filter(pk=match_id).first()
    if match is None:
        raise NotFound("There is no such match.")
    if match.state == MatchState.REJECTED:
        return match
    match.state, match.by_id, match.partner, match.at = MatchState.REJECTED, caller.person_id, partner, now
    match.save()
    version = posts.version(match.post_version_id)
    if version is None:
        raise NotFound("There is no such post.")
    clusters.remove(match.claim.cluster_id, version, caller=caller, now=now)
    audit.record(AuditEvent.MATCH_REJECTED, match, caller=caller, now=now, claim=str(match.claim_id))
    return match


def _same_as(mark: Fingerprint) -> Q | None:
    same = Q()
    if mark.text_key:
        same |= Q(text_key=mark.text_key)
    if mark.link_key:
        same |= Q(link_key=mark.link_key)
    return same or None


def _one_at_a_time(keys: Sequence[str]) -> None:
    """Until this transaction ends, nobody else recognises a version with one of these keys."""
    with connection.cursor() as cursor:
        for number in sorted(int(k[:15], 16) for k in keys if k):
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [number])


def _spread(claim: Claim, version_ids: Sequence[uuid.UUID], *, now: datetime) -> int:
    """Confirm these copies, which have no match with the claim yet, in batches; returns how many."""
    for start in range(0, len(version_ids), COPIES_AT_ONCE):
        versions = posts.versions(version_ids[start : start + COPIES_AT_ONCE])
        queue.lock_about(post_ids=[v.post_id for v in versions], cluster_ids=[claim.cluster_id])
        Match.objects.bulk_create(
            [
                Match(claim=claim, post_version=v, kind=MatchKind.EXACT, state=MatchState.CONFIRMED, at=now)
                for v in versions
            ],
            ignore_conflicts=True,
        )
        # A person may have rejected one while this waited for the items.
        confirmed = claim.matches.filter(post_version__in=versions, state=MatchState.CONFIRMED)
        wanted = set(confirmed.values_list("post_version_id", flat=True))
        clusters.add_copies(claim.cluster_id, [v for v in versions if v.pk in wanted], caller=SYSTEM, now=now)
    return len(version_ids)
