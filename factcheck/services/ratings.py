"""Ratings: submit, revise, withdraw, undo. Rows are only added."""

import contextlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.db import transaction

from factcheck.enums import ARTICLE_NEEDED, NOT_ELIGIBLE, LeaseEnding, Verdict
from factcheck.models import Article, Claim, Draft, Partner, Rating, Withdrawal
from factcheck.permissions import may_undo, may_withdraw, ratings_go_on
from factcheck.policy import SEVERITY
from factcheck.selectors.ratings import in_force
from factcheck.services import announced, claims, leases, partners, standing
from factcheck.services.claims import ClaimDraft
from factcheck.services.partners import NotCertified, RatingsStopped
from moderation.caller import Caller
from moderation.enums import AuditEvent, DecisionKind, ItemKind, ItemOutcome
from moderation.errors import Conflict, Invalid, NotFound, Refused
from moderation.selectors import policies
from moderation.services import audit, decisions, queue, subjects, switches, words
from moderation.services.queue import ItemRef

if TYPE_CHECKING:
    from moderation.models import Decision


LONGEST_HEADLINE = 200


@dataclass(frozen=True)
class RatingDraft:
    """What the form holds. Raises nothing by itself; services check it against the partner."""

    verdict: str
    headline: str
    explanation: str
    claim: ClaimDraft = field(default_factory=ClaimDraft)
    article_url: str = ""
    evidence: Sequence[dict[str, str]] = ()  # {"url", "title"}
    countries: Sequence[str] = ()
    language: str = ""


@transaction.atomic
def submit(item: ItemRef, draft: RatingDraft, *, caller: Caller, now: datetime) -> Rating:
    """Put a partner's rating of a claim in force.

    Raises LeaseLost if somebody else holds the item now, StaleItem if it changed since `item.version`
    was read, NotCertified or RatingsStopped if the partner may not rate at `now`, Invalid naming the field
    (`verdict` with code `ratings_stopped` where a switch stops this one), and Conflict
    (`rated_already`) if the partner has a rating of this claim in force: that one is revised instead.
    """
    partner = partners.certified(caller, now=now)
    leases.visible(item.id, caller=caller)
    # The locks come before any check, and all the items at once: naming a claim may merge two.
    named = claims.cluster_of(draft.claim.id)
    held = queue.lock_held(item, together_with=named, caller=caller, now=now)
    _check(draft, partner)
    _require_verdict(draft, partner, softens=False, now=now)
    claim = claims.for_item(held, draft.claim, partner=partner, caller=caller, now=now)
    held.refresh_from_db()
    _lock(claim)
    if any(r.partner_id == partner.pk for r in in_force(claim)):
        raise Conflict("Your organisation has rated this claim; revise that rating.", code="rated_already")
    rating = _insert(draft, claim=claim, partner=partner, item_id=held.pk, version_id=held.displayed_version_id,
                     language=draft.language or held.language, caller=caller, now=now)  # fmt: skip
    standing.settle(claim, cause=rating.pk, caller=caller, now=now)
    subjects.close_rated(held, cluster_id=claim.cluster_id, caller=caller, now=now)
    leases.end(held, LeaseEnding.RATED, now=now)
    Draft.objects.filter(item_id=held.pk, person_id=caller.person_id).delete()
    announced.published(rating, now=now)
    audit.record(AuditEvent.RATING_SUBMITTED, rating, caller=caller, now=now, verdict=rating.verdict)
    return rating


@transaction.atomic
def revise(rating_id: uuid.UUID, draft: RatingDraft, *, caller: Caller, now: datetime) -> Rating:
    """Replace a rating by a new row that supersedes it.

    A lapsed partner, and one whose new ratings are stopped, may only soften. Raises Refused; NotFound;
    NotCertified; RatingsStopped; Invalid as `submit`; Conflict (`not_in_force`) if it was revised or withdrawn
    meanwhile.
    """
    switches.hold()
    old = _own(rating_id, caller)
    _lock(old.claim)
    _require_in_force(old)
    partner = old.partner
    _check(draft, partner)
    softens = SEVERITY[Verdict(draft.verdict)] < SEVERITY[Verdict(old.verdict)]
    if not softens:
        if not partner.is_certified(now=now):
            raise NotCertified(
                f"{partner.name} has no certificate that holds today: it may only soften its ratings."
            )
        partners.require_ratings(partner, now=now)
    _require_verdict(draft, partner, softens=softens, now=now)
    new = _insert(draft, claim=old.claim, partner=partner, item_id=old.item_id, version_id=old.post_version_id,
                  language=draft.language or old.language, caller=caller, now=now, supersedes=old)  # fmt: skip
    standing.settle(old.claim, cause=new.pk, caller=caller, now=now)
    announced.published(new, now=now)
    audit.record(AuditEvent.RATING_REVISED, new, caller=caller, now=now, verdict=new.verdict, old=str(old.pk))
    return new


@transaction.atomic
def withdraw(rating_id: uuid.UUID, *, reason: str, caller: Caller, now: datetime) -> Withdrawal:
    """End a rating. Raises Refused, NotFound, Invalid (`reason`), Conflict (`not_in_force`)."""
    words.require("Say why the rating is withdrawn.", reason=reason)
    return _withdraw(_own(rating_id, caller), reason=reason, undone=False, caller=caller, now=now)


@transaction.atomic
def undo(rating_id: uuid.UUID, *, caller: Caller, now: datetime) -> Withdrawal:
    """Take back a rating just made; the claim is open for review again, held by the rater if nobody else
    holds it.

    Raises Refused after the undo time; NotFound; Conflict (`not_in_force`).
    """
    switches.hold()
    rating = _own(rating_id, caller)
    may_undo(caller, rating, now=now, seconds=policies.at(now).data["undo_seconds"]).require()
    item = queue.open_for_cluster(
        rating.claim.cluster_id, rating.post_version, picked=True, caller=caller, now=now
    )
    with contextlib.suppress(
        Conflict, NotCertified, RatingsStopped
    ):  # another partner has it, or this one's time is over
        leases.take(item.pk, caller=caller, now=now)  # the item's lock comes before the claim's
    return _withdraw(rating, reason="undo", undone=True, caller=caller, now=now)


@transaction.atomic
def not_eligible(item: ItemRef, *, reason: str, caller: Caller, now: datetime) -> "Decision":
    """Close an item as not eligible for rating: a decision on the post version, without effect.

    It ends a demotion before review. Raises as `submit`; Invalid (`reason`); Conflict (`disputed`).
    """
    partners.certified(caller, now=now)
    words.require("Say why it is not eligible.", reason=reason)
    leases.visible(item.id, caller=caller)
    held = queue.lock_held(item, caller=caller, now=now)
    if held.kind == ItemKind.CONFLICT:
        raise Conflict("Partners disagree about this claim: only ratings settle that.", code="disputed")
    decision = decisions.on_post(
        held.displayed_version.post,
        kind=DecisionKind.NOT_ELIGIBLE,
        outcome=NOT_ELIGIBLE,
        source="item",
        source_key=f"not_eligible:{held.pk}:{held.version}",
        post_version=held.displayed_version,
        presentation={"reason": reason},
        caller=caller,
        now=now,
    )
    queue.close(held, outcome=ItemOutcome.NOT_ELIGIBLE, caller=caller, now=now)
    leases.end(held, LeaseEnding.NOT_ELIGIBLE, now=now)
    Draft.objects.filter(item_id=held.pk, person_id=caller.person_id).delete()
    return decision


def check_article(url: str, partner: Partner) -> None:
    """https, on one of the partner's domains or below it, without credentials or port tricks.

    Raises Invalid (`article_url`).
    """
    try:
        parts = urlsplit(url)
        # Domains are kept in their xn-- form; a name that no host can have is a ValueError too.
        host, port = (parts.hostname or "").lower().encode("idna").decode(), parts.port
    except ValueError:
        raise Invalid("This is no address of an article.", field="article_url") from None
    if parts.scheme != "https" or not host or parts.username or port not in (None, 443):
        raise Invalid("Give the article's https address.", field="article_url")
    if not any(host == d or host.endswith("." + d) for d in partner.domains):
        domains = ", ".join(partner.domains)
        raise Invalid(
            f"The article must be on your own domain ({domains}).", field="article_url", code="foreign_domain"
        )


def _withdraw(rating: Rating, *, reason: str, undone: bool, caller: Caller, now: datetime) -> Withdrawal:
    _lock(rating.claim)
    _require_in_force(rating)
    withdrawal = Withdrawal.objects.create(
        rating=rating, reason=reason, undone=undone, withdrawn_by_id=caller.person, at=now
    )
    standing.settle(rating.claim, cause=uuid.uuid5(rating.pk, "withdrawal"), caller=caller, now=now)
    announced.withdrawn(rating, now=now)
    audit.record(AuditEvent.RATING_WITHDRAWN, rating, caller=caller, now=now, undone=undone)
    return withdrawal


def _own(rating_id: uuid.UUID, caller: Caller) -> Rating:
    """The rating, if the caller may change it; another partner's answers as if it did not exist."""
    rating = Rating.objects.select_related("claim", "partner", "post_version").filter(pk=rating_id).first()
    if rating is None or rating.partner_id != caller.organisation_id:
        raise NotFound("There is no such rating.")
    may_withdraw(caller, rating).require()
    if rating.partner.status != "active":
        raise Refused(f"{rating.partner.name} is suspended.")
    return rating


def _lock(claim: Claim) -> None:
    """One settling per claim at a time; the cluster is the third in the lock order, after the item."""
    Claim.objects.select_for_update(no_key=True, of=("self",)).get(pk=claim.pk)


def _require_in_force(rating: Rating) -> None:
    newer = Rating.objects.filter(supersedes=rating).first()
    if newer is not None or Withdrawal.objects.filter(rating=rating).exists():
        raise Conflict(
            "This rating is no longer in force.",
            code="not_in_force",
            current={"revised_to": str(newer.pk)} if newer else {"withdrawn": True},
        )


def _insert(
    draft: RatingDraft,
    *,
    claim: Claim,
    partner: Partner,
    item_id: uuid.UUID | None,
    version_id: uuid.UUID,
    language: str,
    caller: Caller,
    now: datetime,
    supersedes: Rating | None = None,
) -> Rating:
    article = None
    if draft.article_url:
        article, _ = Article.objects.get_or_create(
            partner=partner, url=draft.article_url, defaults={"added_at": now}
        )
    return Rating.objects.create(
        claim=claim,
        partner=partner,
        item_id=item_id,
        post_version_id=version_id,
        verdict=draft.verdict,
        headline=draft.headline,
        explanation=draft.explanation,
        article=article,
        evidence=list(draft.evidence),
        countries=list(draft.countries),
        language=language,
        rated_by_id=caller.person,
        at=now,
        supersedes=supersedes,
    )


def _check(draft: RatingDraft, partner: Partner) -> None:
    """Raises Invalid naming the first field to mend."""
    if draft.verdict == NOT_ELIGIBLE:
        raise Invalid(
            "“Not eligible” closes the item; it is not a rating.", field="verdict", code="not_a_rating"
        )
    if draft.verdict not in Verdict.values:
        raise Invalid(
            "Choose a verdict.", field="verdict", code="required" if not draft.verdict else "invalid_choice"
        )
    words.require(headline=draft.headline, explanation=draft.explanation)
    if len(draft.headline) > LONGEST_HEADLINE:
        raise Invalid(
            f"A headline has at most {LONGEST_HEADLINE} characters.", field="headline", code="too_long"
        )
    if draft.article_url:
        check_article(draft.article_url, partner)
    elif draft.verdict in ARTICLE_NEEDED:
        raise Invalid("This verdict needs your published article.", field="article_url", code="required")


def _require_verdict(draft: RatingDraft, partner: Partner, *, softens: bool, now: datetime) -> None:
    """Raises Invalid (`verdict`) if a switch stops this verdict."""
    answer = ratings_go_on(partner, verdict=draft.verdict, softens=softens, now=now)
    if not answer:
        raise Invalid(answer.reason, field="verdict", code="ratings_stopped")
