"""Which posts make a claim. Exact copies are confirmed at once, everything else is a person's word."""

import uuid
from datetime import datetime
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Q

from factcheck.enums import MatchKind, MatchState
from factcheck.folding import link_key, text_key
from factcheck.models import Claim, Fingerprint, Match
from factcheck.services import partners
from moderation.caller import SYSTEM, Caller
from moderation.enums import AuditEvent
from moderation.errors import Conflict, NotFound
from moderation.selectors import posts
from moderation.services import audit, clusters

if TYPE_CHECKING:
    from moderation.models import PostVersion

COPIES_AT_ONCE = 2000


@transaction.atomic
def recognise(version: "PostVersion", *, now: datetime) -> int:
    """Match a post version by its fingerprint, and its copies with it; returns how many matches are new.

    Run for each new version and again when a claim is made of one. Safe to repeat and in any order:
    whichever of two copies comes later finds the other.
    """
    content = version.content
    mark, _ = Fingerprint.objects.get_or_create(
        version_id=version.pk,
        defaults={"text_key": text_key(content.text), "link_key": link_key(content.text, content.links)},
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
        new += _spread(claim, copies.values_list("version_id", flat=True), now=now)
    return new


@transaction.atomic
def confirm(
    claim: Claim, version: "PostVersion", *, fragment: str = "", caller: Caller, now: datetime
) -> Match:
    """A reviewer says that this post makes this claim. Confirming twice changes nothing.

    Raises Refused, NotCertified; Conflict (`rejected_before`).
    """
    partner = partners.certified(caller, now=now)
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
    if stored.pk == match.pk:
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


def _spread(claim: Claim, version_ids: "object", *, now: datetime) -> int:
    """Confirm every copy that is neither matched nor rejected yet, in batches."""
    settled = set(claim.matches.values_list("post_version_id", flat=True))
    wanted = [i for i in version_ids if i not in settled]  # type: ignore[attr-defined]
    for start in range(0, len(wanted), COPIES_AT_ONCE):
        versions = posts.versions(wanted[start : start + COPIES_AT_ONCE])
        Match.objects.bulk_create(
            [
                Match(claim=claim, post_version=v, kind=MatchKind.EXACT, state=MatchState.CONFIRMED, at=now)
                for v in versions
            ],
            ignore_conflicts=True,
        )
        clusters.add_copies(claim.cluster_id, versions, caller=SYSTEM, now=now)
    return len(wanted)
