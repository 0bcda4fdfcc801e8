from factcheck.models.claims import Claim, Fingerprint, Match
from factcheck.models.partners import Certification, Invitation, Membership, Partner
from factcheck.models.ratings import Article, Rating, Withdrawal
from factcheck.models.work import Draft, Lease

__all__ = [
    "Article",
    "Certification",
    "Claim",
    "Draft",
    "Fingerprint",
    "Invitation",
    "Lease",
    "Match",
    "Membership",
    "Partner",
    "Rating",
    "Withdrawal",
]
