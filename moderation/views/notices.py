"""What the platform told a person about their own posts."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from moderation.enums import NoticeKind
from moderation.models import Notice
from moderation.presentation import rated_by
from moderation.selectors import members
from moderation.services import people
from moderation.views import cards, reasons
from moderation.views.doors import Visit, signed_in
from moderation.views.pages import cursor_page

PER_PAGE = 30
_LOOK = {
    NoticeKind.RATED: ("gavel", "warn"),
    NoticeKind.WITHDRAWN: ("arrow-back-up", "good"),
    NoticeKind.REMOVED: ("shield-x", "bad"),
    NoticeKind.HIDDEN: ("eye-off", "bad"),
    NoticeKind.RESTORED: ("arrow-back-up", "good"),
    NoticeKind.RESTRICTED: ("shield-half", "warn"),
    NoticeKind.STRIKE_LEVEL: ("scale", "warn"),
    NoticeKind.FLAG_OUTCOME: ("flag", "accent"),
}


@dataclass(frozen=True)
class NoticeRow:
    notice: Notice
    title: str
    remedy: str
    icon: str
    tone: str
    unread: bool
    excerpt: str


@require_GET
@signed_in
def notices(request: Visit) -> HttpResponse:
    """The person's notices, newest first; looking at them marks them read."""
    read = request.user.notices_read_at
    page = cursor_page(request, members.notices_of(request.caller), PER_PAGE, keys=("sent_at", "pk"))
    people.mark_notices_read(request.user.pk, now=timezone.now())
    request.user.notices_read_at = timezone.now()  # so that this page's own bell is quiet
    rows = [_row(n, unread=read is None or (n.sent_at is not None and n.sent_at > read)) for n in page.rows]
    return render(request, "moderation/notices.html", {"rows": rows, "next_url": page.next_url})


def _row(notice: Notice, *, unread: bool) -> NoticeRow:
    title, remedy = _words(notice)
    icon, tone = _LOOK[NoticeKind(notice.kind)]
    post = notice.post
    version = post.current_version if post else None
    shown = version is not None and post is not None and post.deleted_at is None
    return NoticeRow(
        notice=notice,
        title=title,
        remedy=remedy,
        icon=icon,
        tone=tone,
        unread=unread,
        excerpt=cards.excerpt(version.content.text, 160) if shown and version else "",
    )


def _words(notice: Notice) -> tuple[str, str]:
    decision = notice.decision
    ground = reasons.ground_words(decision.ground) if decision else ""
    if notice.kind == NoticeKind.RATED and decision is not None:
        names = [a["publisher"] for a in decision.presentation.get("articles", ())]
        by = get_text_list(list(dict.fromkeys(names)), _("and")) or _("independent fact-checkers")
        title = rated_by("disagree" if decision.contested else decision.outcome, by)
        return title, _("You may correct the post or dispute the rating; the post's page says how.")
    if notice.kind == NoticeKind.WITHDRAWN:
        return (
            _("A rating of your post was withdrawn"),
            _("What it did to the post has ended, and a strike that it brought counts no more."),
        )
    if notice.kind == NoticeKind.REMOVED:
        return (
            _("Your post was removed: %(ground)s") % {"ground": ground},
            _("You may appeal; the post's page says how."),
        )
    if notice.kind == NoticeKind.HIDDEN:
        return (
            _("Your post is hidden for up to 24 hours: %(ground)s") % {"ground": ground},
            _("A second specialist looks at it. Without a second key the hide ends by itself."),
        )
    if notice.kind == NoticeKind.RESTORED:
        return _("Your post is back"), _("It shows again wherever it was gone, with everything it had.")
    if notice.kind == NoticeKind.RESTRICTED:
        return (
            _("Your post is restricted: %(ground)s") % {"ground": ground},
            _("It is covered until somebody asks to see it. You may appeal; the post's page says how."),
        )
    return str(NoticeKind(notice.kind).label), ""
