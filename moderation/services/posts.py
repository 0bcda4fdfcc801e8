"""Posts as the platform tells them: upsert, edit, reach, deletion."""

import hashlib
import json
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from moderation import locks
from moderation.caller import Caller
from moderation.enums import AuditEvent, OutboxKind
from moderation.errors import Invalid, NotFound
from moderation.models import (
    Actor,
    EffectiveState,
    Post,
    PostContent,
    PostReach,
    PostVersion,
    ReachSample,
    Strike,
    User,
)
from moderation.permissions import may_write_posts
from moderation.services import audit, outbox, queue, subjects


@dataclass(frozen=True)
class ActorDraft:
    """`country`: ISO 3166-1; None leaves what is known, "" says that it is not known."""

    kind: str
    external_id: str
    name: str
    person: User | None = None
    country: str | None = None


@dataclass(frozen=True)
class PostDraft:
    """A post as sent; texts and links are kept as they are, byte for byte."""

    external_id: str
    actor: ActorDraft
    text: str
    language: str
    published_at: datetime
    links: Sequence[str] = ()
    media: Sequence[dict[str, str]] = ()
    regions: Sequence[str] = ()
    topic: str = ""

    @property
    def digest(self) -> str:
        """Names the content: a different digest is an edit."""
        body = json.dumps([self.text, list(self.links), list(self.media)], sort_keys=True)
        return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Reach:
    post_id: uuid.UUID
    at: datetime
    views: int
    shares: int = 0
    comments: int = 0


@dataclass(frozen=True)
class Upserted:
    post: Post
    version: PostVersion
    added: bool = False
    edited: bool = False


@transaction.atomic
def upsert(draft: PostDraft, *, caller: Caller, now: datetime) -> Upserted:
    """Add the post, or add a version if its content changed.

    Raises Refused; Invalid (`actor`) if the post belongs to another actor already, (`published_at`) if
    it lies in the future.
    """
    may_write_posts(caller).require()
    if draft.published_at > now:
        raise Invalid("The time of publication lies in the future.", field="published_at")
    actor = _actor(draft.actor, now=now)
    post = Post(
        external_id=draft.external_id,
        actor=actor,
        language=draft.language,
        regions=list(draft.regions),
        topic=draft.topic,
        published_at=draft.published_at,
        added_at=now,
    )
    Post.objects.bulk_create([post], ignore_conflicts=True)
    post = (
        Post.objects.select_for_update(no_key=True, of=("self",))
        .select_related("current_version")
        .get(external_id=draft.external_id)
    )
    if post.actor_id != actor.pk:
        raise Invalid("This post belongs to another actor.", field="actor")
    if post.current_version is None:
        EffectiveState.objects.create(post=post, computed_at=now)
        version = _add_version(post, draft, number=1, now=now)
        audit.record(AuditEvent.POST_ADDED, post, caller=caller, now=now)
        return Upserted(post, version, added=True)
    if post.current_version.content_sha256 == draft.digest:
        told = (draft.language, list(draft.regions), draft.topic)
        if (post.language, post.regions, post.topic) != told:
            post.language, post.regions, post.topic = told
            post.save(update_fields=["language", "regions", "topic"])
        return Upserted(post, post.current_version)
    # The item comes before the post in no lock order: items are told through the outbox (REFRESH_ITEM).
    version = _add_version(post, draft, number=post.current_version.number + 1, now=now)
    outbox.put(OutboxKind.REFRESH_ITEM, [post.pk], now=now)
    outbox.put(OutboxKind.RECOMPUTE_POST, [post.pk], now=now)
    audit.record(AuditEvent.POST_EDITED, post, caller=caller, now=now, version=version.number)
    return Upserted(post, version, edited=True)


@transaction.atomic
def delete(post_id: uuid.UUID, *, caller: Caller, now: datetime, by: str = "author") -> Post:
    """The author deleted the post: it leaves a tombstone. Deleting twice changes nothing.

    Raises Refused, NotFound.
    """
    may_write_posts(caller).require()
    items = locks.open_items(post_ids=[post_id])
    post = Post.objects.select_for_update(no_key=True, of=("self",)).filter(pk=post_id).first()
    if post is None:
        raise NotFound("There is no such post.")
    if post.deleted_at is not None:
        return post
    post.deleted_at, post.deleted_by = now, by
    post.save(update_fields=["deleted_at", "deleted_by"])
    subjects.close_deleted(post, items, caller=caller, now=now)
    outbox.put(OutboxKind.RECOMPUTE_POST, [post.pk], now=now)
    audit.record(AuditEvent.POST_DELETED, post, caller=caller, now=now, by=by)
    return post


@transaction.atomic
def record_reach(samples: Iterable[Reach], *, caller: Caller, now: datetime) -> int:
    """Store figures and the newest speed of each post; returns how many samples were new.

    Raises Refused; Invalid (`at`) for a time in the future; NotFound for an unknown post.
    """
    may_write_posts(caller).require()
    samples = sorted(samples, key=lambda s: (s.post_id, s.at))
    if any(s.at > now for s in samples):
        raise Invalid("A sample lies in the future.", field="at")
    ids = {s.post_id for s in samples}
    if Post.objects.filter(pk__in=ids).count() != len(ids):
        raise NotFound("At least one post is unknown.")
    PostReach.objects.bulk_create(
        [PostReach(post_id=i, at=datetime.fromtimestamp(0, tz=now.tzinfo)) for i in sorted(ids)],
        ignore_conflicts=True,
    )
    newest = {
        r.post_id: r
        for r in PostReach.objects.select_for_update(no_key=True, of=("self",))
        .filter(post_id__in=ids)
        .order_by("post_id")
    }
    # The rows locked above let nobody else add samples of these posts meanwhile.
    told = {(s.post_id, s.at) for s in samples}
    known = ReachSample.objects.filter(post_id__in=ids, at__in={at for _, at in told})
    added = len(told.difference(known.values_list("post_id", "at")))
    ReachSample.objects.bulk_create(
        [
            ReachSample(post_id=s.post_id, at=s.at, views=s.views, shares=s.shares, comments=s.comments)
            for s in samples
        ],
        ignore_conflicts=True,
    )
    published = dict(Post.objects.filter(pk__in=ids).values_list("pk", "published_at"))
    changed = set()
    for s in samples:
        row = newest[s.post_id]
        if s.at <= row.at:
            continue
        since, seen = (row.at, row.views) if row.at.timestamp() > 0 else (published[s.post_id], 0)
        hours = max((s.at - since).total_seconds() / 3600, 1 / 60)
        row.views_per_hour = max(s.views - seen, 0) / hours
        row.at, row.views, row.shares, row.comments = s.at, s.views, s.shares, s.comments
        changed.add(s.post_id)
    PostReach.objects.bulk_update(
        [newest[i] for i in sorted(changed)],
        ["at", "views", "shares", "comments", "views_per_hour"],
        batch_size=1000,
    )
    outbox.put(OutboxKind.REFRESH_ITEM, queue.posts_with_open_items(changed), now=now)
    return added


def _actor(draft: ActorDraft, *, now: datetime) -> Actor:
    actor = Actor.objects.filter(kind=draft.kind, external_id=draft.external_id).first()
    if actor is None:
        new = Actor(
            kind=draft.kind,
            external_id=draft.external_id,
            name=draft.name,
            person=draft.person,
            country=draft.country or "",
            added_at=now,
        )
        Actor.objects.bulk_create([new], ignore_conflicts=True)
        actor = Actor.objects.get(kind=draft.kind, external_id=draft.external_id)
    told = {
        "name": draft.name or actor.name,
        "country": actor.country if draft.country is None else draft.country,
    }
    changed = [name for name, value in told.items() if getattr(actor, name) != value]
    if changed:
        actor.name, actor.country = told["name"], told["country"]
        actor.save(update_fields=changed)
    if "country" in changed and Strike.objects.filter(actor=actor, counts_until__gt=now).exists():
        outbox.put(OutboxKind.RECOMPUTE_ACTOR, [actor.pk], now=now)  # a switch clears strikes by country
    return actor


def _add_version(post: Post, draft: PostDraft, *, number: int, now: datetime) -> PostVersion:
    version = PostVersion.objects.create(post=post, number=number, content_sha256=draft.digest, seen_at=now)
    PostContent.objects.create(
        version=version, text=draft.text, links=list(draft.links), media=[dict(m) for m in draft.media]
    )
    post.current_version = version
    post.language, post.regions = draft.language, list(draft.regions)
    post.save(update_fields=["current_version", "language", "regions"])
    outbox.put(OutboxKind.POST_VERSION_ADDED, [version.pk], now=now)
    return version
