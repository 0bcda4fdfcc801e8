"""Closed sets of words of the programme."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Verdict(TextChoices):
    FALSE = "false", _("False")
    ALTERED = "altered", _("Altered")
    PARTLY_FALSE = "partly_false", _("Partly false")
    MISSING_CONTEXT = "missing_context", _("Missing context")
    SATIRE = "satire", _("Satire")
    TRUE = "true", _("True")


NOT_ELIGIBLE = "not_eligible"  # an outcome of an item, never a rating

# The written definitions (domain 4), shown beside the form.
DEFINITIONS = {
    Verdict.FALSE: _(
        "No basis in fact: fabricated, or authentic media offered as proof of an unrelated event."
    ),
    Verdict.ALTERED: _("The medium itself was edited or synthesised in a way that may mislead."),
    Verdict.PARTLY_FALSE: _("Some inaccuracies, a mixture, or an opinion that rests on false facts."),
    Verdict.MISSING_CONTEXT: _("May mislead without more context."),
    Verdict.SATIRE: _("Satire or humour."),
    Verdict.TRUE: _("Accurate."),
    NOT_ELIGIBLE: _("Opinion, unverifiable or out of scope. Closes the item; no effect."),
}

# These need an article on the partner's own domain (domain 4).
ARTICLE_NEEDED = frozenset({Verdict.FALSE, Verdict.ALTERED, Verdict.PARTLY_FALSE, Verdict.MISSING_CONTEXT})


class PartnerStatus(TextChoices):
    ACTIVE = "active", _("Active")
    SUSPENDED = "suspended", _("Suspended")


class MembershipRole(TextChoices):
    REVIEWER = "reviewer", _("Reviewer")
    LEAD = "lead", _("Lead")


class MembershipStatus(TextChoices):
    ACTIVE = "active", _("Active")
    SUSPENDED = "suspended", _("Suspended")
    REMOVED = "removed", _("Removed")


class LeaseEnding(TextChoices):
    OPEN = "", "–"
    RATED = "rated", _("Rated")
    NOT_ELIGIBLE = "not_eligible", _("Not eligible")
    RELEASED = "released", _("Released")
    SKIPPED = "skipped", _("Skipped")
    SNOOZED = "snoozed", _("Snoozed")
    TAKEN_OVER = "taken_over", _("Ran out; taken by another")
    FREED = "freed", _("Freed when access ended or ratings stopped")


class SkipReason(TextChoices):
    LANGUAGE = "language", _("Not my language")
    EXPERTISE = "expertise", _("Needs other expertise")
    TIME = "time", _("Needs more time than I have")
    DISTRESSING = "distressing", _("I would rather not look at this")
    UNCLEAR = "unclear", _("No checkable claim that I can find")
    OTHER = "other", _("Something else")


class NotEligibleReason(TextChoices):
    """Why an item is closed without a rating (domain 4, eligibility)."""

    OPINION = "opinion", _("It is an opinion")
    UNVERIFIABLE = "unverifiable", _("It cannot be verified")
    OUT_OF_SCOPE = "out_of_scope", _("It is out of scope")
    OWN_WORDS = "own_words", _("A politician's own words")
    BUSINESS_DISPUTE = "business_dispute", _("A dispute between businesses")
    PRIVATE = "private", _("A private post")
    OTHER = "other", _("Something else")


class MatchKind(TextChoices):
    EXACT = "exact", _("Same text or link")
    TEXT = "text", _("Similar text")
    IMAGE = "image", _("Similar image")
    MANUAL = "manual", _("Matched by a person")


class MatchState(TextChoices):
    SUGGESTED = "suggested", _("Suggested")
    CONFIRMED = "confirmed", _("Confirmed")
    REJECTED = "rejected", _("Rejected")


class ArticleStatus(TextChoices):
    UNCHECKED = "unchecked", _("Not checked yet")
    REACHABLE = "reachable", _("Reachable")
    UNREACHABLE = "unreachable", _("Unreachable")
