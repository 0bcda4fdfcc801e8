"""Posts and versions by id, and posts by what they say."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from moderation.models import Decision, Post, PostVersion, ReachSample
from moderation.selectors.distribution import EXT, resolve


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
    ids = Post.objects.order_by().values("pk")
    found = [ids.filter(external_id=query.removeprefix("ext:"))]
    post_id = resolve([query])[query]
    if post_id is not None:
        found.append(ids.filter(pk=post_id))
    if "://" in query:
        found.append(ids.filter(current_version__content__links__contains=[query]))
    spoken = ids.filter(language__in=languages)
    for word in query.split()[:8]:
        # A union, not an OR over two tables: each half has an index of its own.
        said = ids.filter(current_version__content__text__icontains=word)
        spoken = spoken.filter(pk__in=said.union(ids.filter(actor__name__icontains=word)))
    return list(
        Post.objects.filter(
            pk__in=spoken.union(*found), deleted_at__isnull=True, current_version__isnull=False
        )
        .select_related("actor", "current_version__content", "reach", "state")
        .order_by("-published_at", "id")[:limit]
    )


def decisions_behind(effect: Mapping[str, Any] | None) -> list[Decision]:
    """The decisions in force that made this effect, oldest first."""
    ids = (effect or {}).get("because", ())
    return list(Decision.objects.filter(pk__in=ids).order_by("in_force_from", "id")) if ids else []


@dataclass(frozen=True)
class Measured:
    """Views counted until an instant and since, as the platform's samples say."""

    before: int
    since: int
    counted_at: datetime


def views_around(post_id: uuid.UUID, at: datetime) -> Measured | None:
    """What was seen before and after `at`; None where no sample was taken on both sides."""
    samples = ReachSample.objects.filter(post_id=post_id)
    before = samples.filter(at__lte=at).order_by("-at").values_list("views", flat=True).first()
    newest = samples.filter(at__gt=at).order_by("-at").values_list("views", "at").first()
    if before is None or newest is None:
        return None
    return Measured(before, max(newest[0] - before, 0), newest[1])


def known(refs: Collection[str]) -> dict[str, uuid.UUID]:
    """Post ids by ref (an id, or ext:external id), for those that exist."""
    ids = resolve(list(refs))
    there = set(
        Post.objects.filter(pk__in=[i for i in ids.values() if i is not None]).values_list("pk", flat=True)
    )
    return {ref: i for ref, i in ids.items() if i is not None and i in there}


def version_seen(ref: str, number: int | None = None) -> PostVersion | None:
    """The version of a post that somebody saw: the one with this number, or the newest. One query."""
    if ref.startswith(EXT):
        versions = PostVersion.objects.filter(post__external_id=ref.removeprefix(EXT))
    elif (post_id := resolve([ref])[ref]) is not None:
        versions = PostVersion.objects.filter(post_id=post_id)
    else:
        return None
    wanted = versions.filter(number=number) if number is not None else versions
    return wanted.select_related("post").order_by("-number").first()


def external_ids(post_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, str]:
    return dict(Post.objects.filter(pk__in=post_ids).values_list("pk", "external_id"))
