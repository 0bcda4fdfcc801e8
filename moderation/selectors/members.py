"""What a member sees of their own: flags with outcomes, notices, the standing of their posts."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from django.db.models import QuerySet, prefetch_related_objects

from moderation.caller import Caller
from moderation.models import Actor, Flag, Notice, Post, PostVersion, Strike
from moderation.permissions import may_flag_for_others
from moderation.selectors import standing


def flags_of(caller: Caller) -> QuerySet[Flag]:
    """The caller's own flags, newest first, withdrawn ones too."""
    return (
        Flag.objects.filter(reporter__person_id=caller.person_id, reporter__person__isnull=False)
        .select_related("post__actor", "post_version__content", "post__state")
        .order_by("-id")
    )


def live_flag_on(version: PostVersion, caller: Caller) -> Flag | None:
    """The caller's own flag on this version, if it is not withdrawn."""
    return flags_of(caller).filter(post_version=version, withdrawn_at__isnull=True).first()


def flags_told_for(external_id: str, *, caller: Caller) -> QuerySet[Flag]:
    """Flags that the platform told for one of its members, newest first; none for who may not."""
    if not may_flag_for_others(caller):
        return Flag.objects.none()
    return Flag.objects.filter(reporter__external_id=external_id).order_by("-id")


def notices_of(caller: Caller) -> QuerySet[Notice]:
    """Notices sent to actors that are the caller's own, newest first."""
    return (
        Notice.objects.filter(
            actor__person_id=caller.person_id, actor__person__isnull=False, sent_at__isnull=False
        )
        .select_related("post__current_version__content", "decision", "actor")
        .order_by("-sent_at", "-id")
    )


def unread_notices(caller: Caller, *, since: datetime | None) -> int:
    """How many of the caller's notices were sent after `since`; all of them without it."""
    sent = notices_of(caller)
    return (sent.filter(sent_at__gt=since) if since else sent).count()


def actors_of(caller: Caller) -> list[Actor]:
    """The caller's own accounts, pages and groups, by name."""
    return list(Actor.objects.filter(person_id=caller.person_id, person__isnull=False).order_by("name", "id"))


def strikes_of(actors: Sequence[Actor], *, now: datetime) -> dict[uuid.UUID, list[Strike]]:
    """The strikes that count now against each actor, oldest first, with post, text and decision at hand."""
    counting = standing.counting([a.pk for a in actors], now=now)
    prefetch_related_objects(
        [strike for strikes in counting.values() for strike in strikes],
        "decision",
        "post__current_version__content",
    )
    return counting


def limited_posts_of(caller: Caller, *, limit: int) -> list[Post]:
    """The caller's own live posts that carry an effect, newest first."""
    own = Post.objects.filter(
        actor__person_id=caller.person_id, actor__person__isnull=False, deleted_at__isnull=True
    )
    return list(
        own.filter(state__document__isnull=False)
        .select_related("current_version__content", "actor")
        .order_by("-published_at", "-id")[:limit]
    )
