"""What a member sees of their own: flags with outcomes, notices, the standing of their posts."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import QuerySet

from moderation.caller import Caller
from moderation.models import Actor, Flag, Notice, Strike
from moderation.selectors import standing


def flags_of(caller: Caller) -> QuerySet[Flag]:
    """The caller's own flags, newest first, withdrawn ones too."""
    return (
        Flag.objects.filter(reporter__person_id=caller.person_id, reporter__person__isnull=False)
        .select_related("post__actor", "post_version__content", "post__state")
        .order_by("-id")
    )


def notices_of(caller: Caller) -> QuerySet[Notice]:
    """Notices sent to actors that are the caller's own, newest first."""
    return (
        Notice.objects.filter(
            actor__person_id=caller.person_id, actor__person__isnull=False, sent_at__isnull=False
        )
        .select_related("post__current_version__content", "decision", "actor")
        .order_by("-sent_at", "-id")
    )


def standing_of(actor: Actor, *, now: datetime) -> Sequence[Strike]:
    """The strikes that count now against an actor, oldest first."""
    return standing.counting([actor.pk], now=now).get(actor.pk, [])
