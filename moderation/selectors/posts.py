"""Posts and versions by id, and posts by what they say."""

import uuid
from collections.abc import Collection, Sequence

from django.db.models import Q

from moderation.models import Post, PostVersion
from moderation.selectors.distribution import resolve


def version(version_id: uuid.UUID) -> PostVersion | None:
    return PostVersion.objects.select_related("post__actor", "content").filter(pk=version_id).first()


def versions(version_ids: Collection[uuid.UUID]) -> list[PostVersion]:
    return list(PostVersion.objects.filter(pk__in=version_ids).select_related("post").order_by("id"))


def by_ref(ref: str) -> Post | None:
    """A post by id or by ext:external id."""
    post_id = resolve([ref])[ref]
    if post_id is None:
        return None
    return (
        Post.objects.filter(pk=post_id)
        .select_related("actor", "current_version__content", "reach", "state")
        .first()
    )


def search(query: str, *, languages: Sequence[str], limit: int) -> list[Post]:
    """Live posts by id, external id, link, or words of the text or of the actor's name; newest first.

    Words are looked for one by one, as they are written; every one of them must be there.
    """
    query = query.strip()
    if not query:
        return []
    named = Q(external_id=query.removeprefix("ext:"))
    post_id = resolve([query])[query]
    if post_id is not None:
        named |= Q(pk=post_id)
    if "://" in query:
        named |= Q(current_version__content__links__contains=[query])
    spoken = Q(language__in=languages)
    for word in query.split()[:8]:
        spoken &= Q(current_version__content__text__icontains=word) | Q(actor__name__icontains=word)
    return list(
        Post.objects.filter(named | spoken, deleted_at__isnull=True, current_version__isnull=False)
        .select_related("actor", "current_version__content", "reach", "state")
        .order_by("-published_at", "id")[:limit]
    )
