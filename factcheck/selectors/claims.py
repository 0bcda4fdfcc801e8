"""Claims: search, likeness by words, and which posts make them."""

import unicodedata
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Q, QuerySet

from factcheck.enums import MatchState
from factcheck.folding import fold
from factcheck.models import Claim, Fingerprint, Match, Rating
from factcheck.selectors import ratings

if TYPE_CHECKING:
    from moderation.models import PostVersion

# A suggestion shares at least so much of the claim's words, and so many of them; a person decides.
LEAST_SHARE = 0.4
LEAST_WORDS = 3
CANDIDATES = 300
SHORTEST_WORD = 4
WORDS_ASKED_FOR = 12


@dataclass(frozen=True)
class Alike:
    """A claim that shares words with a text: how many of the claim's own, and who rated it."""

    claim: Claim
    shared: int
    words: int
    ratings: Sequence[Rating]

    @property
    def share(self) -> float:
        return self.shared / self.words


def words(text: str) -> list[str]:
    """The words of a text as far as they count for likeness, in order: folded, without punctuation."""
    return [word for word in (_bare(piece) for piece in fold(text).split()) if word]


def alike(text: str, *, language: str, exclude: Sequence[uuid.UUID] = (), limit: int = 5) -> list[Alike]:
    """Rated claims that share many of their words with a text, the most alike first.

    Found by substring of the longest words, so candidates are few; no effect follows without a person.
    """
    said = words(text)
    wanted = sorted({w for w in said if len(w) >= SHORTEST_WORD}, key=lambda w: (-len(w), w))
    if not wanted:
        return []
    about = Q()
    for word in wanted[:WORDS_ASKED_FOR]:
        about |= Q(text__icontains=word)
    rated = Rating.objects.filter(superseded_by__isnull=True, withdrawal__isnull=True).values("claim_id")
    candidates = (
        Claim.objects.filter(about, language=language, pk__in=rated)
        .exclude(pk__in=exclude)
        .select_related("cluster")
        .order_by("-added_at", "id")[:CANDIDATES]
    )
    known = set(said)
    scored = []
    for claim in candidates:
        own = set(words(claim.text))
        shared = len(own & known)
        if own and shared >= min(LEAST_WORDS, len(own)) and shared / len(own) >= LEAST_SHARE:
            scored.append((shared / len(own), shared, len(own), claim))
    scored.sort(key=lambda row: (-row[0], -row[1], str(row[3].pk)))
    best = scored[:limit]
    given = ratings.in_force_on([row[3].pk for row in best])
    return [Alike(claim, shared, total, given.get(claim.pk, [])) for _, shared, total, claim in best]


def search(query: str, *, language: str = "", verdict: str = "", partner_id: str = "") -> QuerySet[Claim]:
    """Earlier fact-checks: every word of the query in the claim or in a headline; newest first."""
    found = Claim.objects.select_related("cluster").order_by("-added_at", "id")
    for word in query.split()[:8]:
        # A union, not an OR over two tables: each half has an index of its own.
        said = Claim.objects.filter(text__icontains=word).order_by().values("pk")
        headlines = Rating.objects.filter(headline__icontains=word).order_by().values("claim_id")
        found = found.filter(pk__in=said.union(headlines))
    if language:
        found = found.filter(language=language)
    in_force = Rating.objects.filter(superseded_by__isnull=True, withdrawal__isnull=True)
    if verdict:
        found = found.filter(pk__in=in_force.filter(verdict=verdict).values("claim_id"))
    if partner_id:
        found = found.filter(pk__in=in_force.filter(partner_id=partner_id).values("claim_id"))
    return found


def languages() -> list[str]:
    return sorted(Claim.objects.order_by().values_list("language", flat=True).distinct())


def of_cluster(cluster_id: uuid.UUID | None) -> Claim | None:
    return (
        Claim.objects.filter(cluster_id=cluster_id).select_related("cluster").first() if cluster_id else None
    )


def get(claim_id: uuid.UUID) -> Claim | None:
    return Claim.objects.filter(pk=claim_id).select_related("cluster", "added_for").first()


def made_by_version(version: "PostVersion") -> list[Match]:
    """The claims that this version is confirmed to make, in the order of confirmation."""
    return list(
        Match.objects.filter(post_version=version, state=MatchState.CONFIRMED)
        .select_related("claim__cluster")
        .order_by("at", "id")
    )


def copies_of(version_id: uuid.UUID) -> list[uuid.UUID]:
    """Versions with the same fingerprint, this one among them: what a new claim of it would reach."""
    mark = Fingerprint.objects.filter(version_id=version_id).first()
    same = Q(version_id=version_id)
    if mark is not None and mark.text_key:
        same |= Q(text_key=mark.text_key)
    if mark is not None and mark.link_key:
        same |= Q(link_key=mark.link_key)
    return list(Fingerprint.objects.filter(same).values_list("version_id", flat=True)) or [version_id]


def matches_of(claim: Claim) -> QuerySet[Match]:
    """Matches of the claim with their posts: suggested first, then confirmed, then rejected; newest first."""
    return (
        Match.objects.filter(claim=claim)
        .select_related(
            "post_version__content", "post_version__post__actor", "post_version__post__reach", "partner"
        )
        .order_by("-state", "-at", "id")
    )


def match(match_id: uuid.UUID) -> Match | None:
    return (
        Match.objects.filter(pk=match_id)
        .select_related("claim", "post_version__post", "post_version__content")
        .first()
    )


def counts_of(claim: Claim) -> dict[str, int]:
    """How many matches of the claim are in each state."""
    found: dict[str, int] = dict.fromkeys(MatchState.values, 0)
    rows: Any = claim.matches.order_by().values_list("state", flat=True)
    for state in MatchState.values:
        found[state] = rows.filter(state=state).count()
    return found


def _bare(word: str) -> str:
    """The word without punctuation around it; marks that belong to letters (as in Hindi) stay."""
    start, end = 0, len(word)
    while start < end and not _is_letter(word[start]):
        start += 1
    while end > start and not _is_letter(word[end - 1]):
        end -= 1
    return word[start:end]


def _is_letter(char: str) -> bool:
    return unicodedata.category(char)[0] in "LNM"
