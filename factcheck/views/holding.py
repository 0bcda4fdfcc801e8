"""Who holds an item and whether it moved on since a page was opened: in words, and as a version to poll."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from factcheck.permissions import may_see_queue, may_work_queue
from factcheck.selectors import dossier, ratings
from factcheck.views.doors import Reading
from moderation.enums import ItemOutcome, ItemStatus
from moderation.permissions import Answer

if TYPE_CHECKING:
    from moderation.models import ReviewItem


@dataclass(frozen=True)
class Seen:
    """What a page was opened on: the item's version, the version of the post, and whether it was held."""

    version: int
    post_version: str
    held: bool

    def as_query(self, item_id: Any) -> dict[str, Any]:
        return {"item": item_id, "seen": self.version, "post": self.post_version, "held": int(self.held)}


@dataclass(frozen=True)
class Holding:
    """`state`: "mine", "over" (mine, run out, nobody took it since), "other", "free" or "closed".

    `lost`: the page believes that it holds the item, and it does not. `changed`: the item moved on.
    """

    state: str
    holder: str
    until: datetime | None
    lost: bool
    changed: bool
    outcome: str
    may_take: Answer
    version: str

    @property
    def is_mine(self) -> bool:
        return self.state in ("mine", "over")


def seen_now(item: "ReviewItem", request: Reading) -> Seen:
    """For a page opened now."""
    return Seen(item.version, str(item.displayed_version_id), _is_own(item, request))


def judge(item: "ReviewItem", seen: Seen, request: Reading, *, now: datetime) -> Holding:
    """The item as it is now, told to a page that was opened on `seen`."""
    own = _is_own(item, request)
    live = item.held_until is not None and item.held_until > now
    if item.status == ItemStatus.CLOSED:
        state = "closed"
    elif own:
        state = "mine" if live else "over"
    else:
        state = "other" if live else "free"
    newest = item.post_id is None or str(item.displayed_version.post.current_version_id) == seen.post_version
    changed = item.version != seen.version or not newest
    name = _holder(item, request) if state == "other" else ""
    facts = (state, name, item.fence, item.version, str(item.held_until), changed)
    return Holding(
        state=state,
        holder=name,
        until=item.held_until,
        lost=seen.held and not own,
        changed=changed,
        outcome=_outcome(item, request) if state == "closed" else "",
        may_take=may_work_queue(request.caller, request.partner, now=now)
        if request.partner
        else may_see_queue(request.caller),
        version=hashlib.blake2s(repr(facts).encode(), digest_size=6).hexdigest(),
    )


def _is_own(item: "ReviewItem", request: Reading) -> bool:
    own = request.partner is not None and item.held_for == request.partner.pk
    return own and item.holder_id == request.caller.person_id


def _holder(item: "ReviewItem", request: Reading) -> str:
    if request.partner and item.held_for == request.partner.pk:
        return str(item.holder).split()[0]
    named = dossier.names([item.held_for])
    return named[item.held_for] if item.held_for in named else _("somebody else")


def _outcome(item: "ReviewItem", request: Reading) -> str:
    """What closed the item, in a sentence; a rating by whom and how."""
    if item.outcome == ItemOutcome.RATED and item.cluster_id:
        rating = ratings.last_outcome(item.cluster_id, since=item.opened_at)
        if rating is not None:
            if rating.rated_by_id == request.caller.person_id:
                return _("You rated it: %(verdict)s.") % {"verdict": rating.get_verdict_display()}
            return _("%(partner)s rated it: %(verdict)s.") % {
                "partner": rating.partner.name,
                "verdict": rating.get_verdict_display(),
            }
    sentences = {
        ItemOutcome.RATED: _("The claim has been rated."),
        ItemOutcome.NOT_ELIGIBLE: _("It was judged not eligible."),
        ItemOutcome.REMOVED: _("The policy desk removed the post everywhere."),
        ItemOutcome.DESK_CLOSED: _("The policy desk closed it."),
        ItemOutcome.MERGED: _("The post joined the item of its claim."),
        ItemOutcome.DELETED: _("The author deleted the post."),
        ItemOutcome.WITHDRAWN: _("Its last flag was withdrawn."),
    }
    return sentences.get(ItemOutcome(item.outcome), _("It is closed."))
