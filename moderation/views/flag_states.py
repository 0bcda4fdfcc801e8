"""What became of a flag, in a word, a sentence and a tone: the same on every page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from moderation.enums import FlagOutcome
from moderation.models import Flag
from moderation.selectors import distribution, policies
from moderation.services import queue
from moderation.views import cards


@dataclass(frozen=True)
class FlagState:
    """`withdrawable`: nothing has answered it yet. `readable`: the text may still be shown to who flagged it."""

    flag: Flag
    word: str
    sentence: str
    icon: str
    tone: str
    withdrawable: bool
    readable: bool
    excerpt: str
    label: dict[str, Any] | None


def of(flags: Sequence[Flag], *, region: str) -> list[FlagState]:
    """The states of these flags, in their order and in a fixed number of queries."""
    now = timezone.now()
    post_ids = list({f.post_id for f in flags})
    answers = distribution.lookup([str(i) for i in post_ids], region=region, now=now)
    effects = {a.post_id: a.document or {} for a in answers}
    in_review = set(queue.posts_with_open_items(post_ids))
    rules = policies.at(now).data
    return [
        _state(f, effects.get(f.post_id, {}), in_review=f.post_id in in_review, rules=rules) for f in flags
    ]


def _state(flag: Flag, effect: dict[str, Any], *, in_review: bool, rules: Any) -> FlagState:
    removed = bool(effect.get("removed"))
    deleted = flag.post.deleted_at is not None
    word, sentence, icon, tone = _words(flag, removed=removed, deleted=deleted, in_review=in_review)
    readable = not removed and not deleted
    return FlagState(
        flag=flag,
        word=word,
        sentence=sentence,
        icon=icon,
        tone=tone,
        withdrawable=flag.withdrawn_at is None and flag.outcome == FlagOutcome.PENDING,
        readable=readable,
        excerpt=cards.excerpt(flag.post_version.content.text, 200) if readable else "",
        label=cards.label(effect, rules) if readable else None,
    )


def _words(flag: Flag, *, removed: bool, deleted: bool, in_review: bool) -> tuple[str, str, str, str]:
    if flag.withdrawn_at is not None:
        return _("Withdrawn"), _("You took this flag back. It counts no more."), "flag-off", "neutral"
    if removed:
        return (
            _("Post removed"),
            _("The policy desk removed this post. Thank you for telling us."),
            "shield-x",
            "good",
        )
    if flag.outcome == FlagOutcome.AGREED:
        return _("Agreed"), _("Reviewers looked at this post and agreed with you."), "checks", "good"
    if flag.outcome == FlagOutcome.DISAGREED:
        return (
            _("Not agreed"),
            _("Reviewers looked at this post and came to another result."),
            "eye-check",
            "neutral",
        )
    if flag.outcome == FlagOutcome.NEUTRAL:
        return (
            _("Reviewed"),
            _(
                "Reviewers looked at this post. It is nothing they can rate, or opinions differ; your flag is not held against you."
            ),
            "eye-check",
            "neutral",
        )
    if in_review:
        return _("In review"), _("It waits for a reviewer. You see the outcome here."), "hourglass", "accent"
    if deleted:
        return _("Post deleted"), _("Its author deleted the post before a review."), "trash", "neutral"
    return (
        _("Counted"),
        _(
            "This post was decided lately, so your flag is stored and counted and brings no second review now."
        ),
        "archive",
        "neutral",
    )
