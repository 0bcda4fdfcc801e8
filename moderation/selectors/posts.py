"""Posts and versions by id."""

import uuid
from collections.abc import Collection

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
