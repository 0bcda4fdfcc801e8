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
    """`kind` names the state; `withdrawable`: nothing has answered the flag yet; `readable`: the post is there."""

    flag: Flag
    kind: str
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
    removed, deleted = bool(effect.get("removed")), flag.post.deleted_at is not None
    kind = _kind(flag, effect, in_review=in_review)
    word, sentence, icon, tone = _words(kind)
    readable = not removed and not deleted
    return FlagState(
        flag=flag,
        kind=kind,
        word=word,
        sentence=sentence,
        icon=icon,
        tone=tone,
        withdrawable=flag.withdrawn_at is None and flag.outcome == FlagOutcome.PENDING,
        readable=readable,
        excerpt=cards.excerpt(flag.post_version.content.text, 200) if readable else "",
        label=cards.label(effect, rules) if readable else None,
    )


def _kind(flag: Flag, effect: dict[str, Any], *, in_review: bool) -> str:
    if flag.withdrawn_at is not None:
        return "withdrawn"
    if effect.get("removed"):
        return "removed"
    if flag.outcome in (FlagOutcome.AGREED, FlagOutcome.DISAGREED):
        return str(flag.outcome)
    if flag.outcome == FlagOutcome.NEUTRAL:
        if effect.get("contested"):
            return "disputed"
        return "counted" if effect.get("articles") else "passed_over"
    if in_review:
        return "in_review"
    return "deleted" if flag.post.deleted_at is not None else "counted"


def _words(kind: str) -> tuple[str, str, str, str]:
    """Word, sentence, icon and tone of a kind of state."""
    return {
        "withdrawn": (_("Withdrawn"), _("You took this flag back. It counts no more."), "flag-off", "neutral"),
        "removed": (
            _("Post removed"),
            _("The policy desk removed this post. Thank you for telling us."),
            "shield-x",
            "good",
        ),
        "agreed": (_("Agreed"), _("Reviewers looked at this post and agreed with you."), "checks", "good"),
        "disagreed": (
            _("Not agreed"),
            _("Reviewers looked at this post and came to another result."),
            "eye-check",
            "neutral",
        ),
        "disputed": (
            _("Disputed"),
            _("Fact-checkers disagree about this post. Your flag is counted until they settle it."),
            "scale",
            "neutral",
        ),
        "counted": (
            _("Counted"),
            _("Reviewers had decided about this post when your flag came. It is stored and counted; there is no second review now."),
            "archive",
            "neutral",
        ),
        "passed_over": (
            _("Reviewed"),
            _("Reviewers looked at this post and did not rate it, as with opinions and what nobody can check. Your flag is not held against you."),
            "eye-check",
            "neutral",
        ),
        "in_review": (
            _("In review"),
            _("It waits for a reviewer. You see the outcome here."),
            "hourglass",
            "accent",
        ),
        "deleted": (_("Post deleted"), _("Its author deleted the post before a review."), "trash", "neutral"),
    }[kind]  # fmt: skip
