"""What webhooks are told of ratings: published once the undo time is over, and what became of them.

A rating is an object of its own: version 1 is its publication, version 2 its end.
"""

from datetime import datetime, timedelta

from factcheck.models import Rating
from moderation.enums import WebhookEventType
from moderation.selectors import policies
from moderation.services import announcements
from moderation.services.announcements import News

PUBLISHED, ENDED = 1, 2


def published(rating: Rating, *, now: datetime) -> None:
    """It is told when it can no longer be undone (domain 4); a revision takes the place of the old one then."""
    later = now + timedelta(seconds=policies.at(now).data["undo_seconds"])
    news = [_news(WebhookEventType.RATING_PUBLISHED, rating, PUBLISHED, later=later)]
    old = rating.supersedes
    if old is not None and _was_told(old, at=now):
        news.append(
            _news(WebhookEventType.RATING_SUPERSEDED, old, ENDED, later=later, superseded_by=str(rating.pk))
        )
    announcements.tell(news, now=now)


def withdrawn(rating: Rating, *, now: datetime) -> None:
    """Told if the publication was; else neither is, and what it was to supersede has ended instead."""
    ended = [rating] if _was_told(rating, at=now) else []
    old = rating.supersedes
    if old is not None and not ended:
        superseding_told = announcements.take_back(WebhookEventType.RATING_SUPERSEDED, old.pk)
        ended = [old] if not superseding_told and _was_told(old, at=rating.at) else []
    announcements.tell([_news(WebhookEventType.RATING_WITHDRAWN, r, ENDED) for r in ended], now=now)


def _was_told(rating: Rating, *, at: datetime) -> bool:
    """Whether its publication was known outside at `at`, when it ended; if it waits to be told, it never is."""
    seconds = policies.at(at).data["undo_seconds"]
    return (at - rating.at).total_seconds() > seconds or announcements.take_back(
        WebhookEventType.RATING_PUBLISHED, rating.pk
    )


def _news(
    kind: WebhookEventType, rating: Rating, version: int, *, later: datetime | None = None, **more: str
) -> News:
    data = {
        "claim": {"id": str(rating.claim_id), "text": rating.claim.text},
        "verdict": rating.verdict,
        "headline": rating.headline,
        "article_url": rating.article.url if rating.article else None,
        "publisher": {"id": str(rating.partner_id), "name": rating.partner.name},
        "language": rating.language,
        "countries": rating.countries,
        "supersedes": str(rating.supersedes_id) if rating.supersedes_id else None,
        **more,
    }
    return News(kind, rating.pk, version, data, organisation=rating.partner_id, later=later)
