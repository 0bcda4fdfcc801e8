"""What must be done with a post. "No effect" and "unknown post" are answers of different types."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from .errors import Unintelligible

Surface: TypeAlias = Literal["feed", "explore", "recommendations", "search", "share", "ads"]


@dataclass(frozen=True, slots=True)
class Article:
    """A fact-check to be shown with the post, with its publisher."""

    verdict: str
    publisher: str
    headline: str
    url: str
    language: str


@dataclass(frozen=True, slots=True)
class Effect:
    """What must be done with a post for one viewer. Answers are shared: never change what they hold."""

    state: ClassVar[Literal["effect"]] = "effect"

    multipliers: Mapping[str, float]  # by surface: what is left of future distribution, 0 to 1
    label: str | None
    interstitial: bool
    warn_before_share: bool
    ads: bool
    recommendations: bool
    monetisation: bool
    removed: bool
    ground: str | None
    hidden_until: str | None
    regional: bool
    articles: tuple[Article, ...]
    contested: bool
    made_on_earlier_version: bool
    provisional: bool
    actor_level: str
    policy_version: int
    because: tuple[str, ...]  # ids of the decisions in force

    def multiplier(self, surface: Surface) -> float:
        """What is left of the post's distribution on a surface, 0 to 1."""
        return self.multipliers[surface]


@dataclass(frozen=True, slots=True)
class NoEffect:
    """Nothing is to be done with this post."""

    state: ClassVar[Literal["none"]] = "none"

    def multiplier(self, surface: Surface) -> float:
        """1: everything is left."""
        return 1.0


@dataclass(frozen=True, slots=True)
class UnknownPost:
    """Nothing is known of this post. It has no multiplier: the caller must say what that means here."""

    state: ClassVar[Literal["unknown"]] = "unknown"


Answer: TypeAlias = Effect | NoEffect | UnknownPost

NO_EFFECT = NoEffect()
UNKNOWN_POST = UnknownPost()


def read_effect(document: Mapping[str, Any]) -> Effect:
    """The effect that an answer of the server holds. Members that are new to us are passed over.

    Raises Unintelligible when one that the contract promises is missing.
    """
    try:
        return Effect(
            multipliers=document["multipliers"],
            label=document["label"],
            interstitial=document["interstitial"],
            warn_before_share=document["warn_before_share"],
            ads=document["ads"],
            recommendations=document["recommendations"],
            monetisation=document["monetisation"],
            removed=document["removed"],
            ground=document["ground"],
            hidden_until=document["hidden_until"],
            regional=document["regional"],
            articles=tuple(read_article(article) for article in document["articles"]),
            contested=document["contested"],
            made_on_earlier_version=document["made_on_earlier_version"],
            provisional=document["provisional"],
            actor_level=document["actor_level"],
            policy_version=document["policy_version"],
            because=tuple(document["because"]),
        )
    except (KeyError, TypeError) as error:
        raise Unintelligible(f"an effect lacks {error}") from error


def read_article(document: Mapping[str, Any]) -> Article:
    return Article(*(document[name] for name in ("verdict", "publisher", "headline", "url", "language")))
