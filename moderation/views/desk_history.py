"""What happened to a case and its post, newest first: events for templates/components/timeline.html."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from moderation.enums import DecisionKind, DeskAction, ProposalStatus
from moderation.models import Decision, Proposal
from moderation.presentation import rated_by
from moderation.selectors.casefile import CaseFile
from moderation.views.desk_words import asked_by, at, bdi, in_places

Event = dict[str, Any]


def events(file: CaseFile, *, now: datetime) -> list[Event]:
    found = [*_of_post(file), *_of_case(file)]
    for decision in file.decisions:
        found += _of_decision(decision, now)
    for proposal in file.proposals:
        found += _of_proposal(proposal)
    return sorted(found, key=lambda event: event["at"], reverse=True)


def _of_post(file: CaseFile) -> Iterator[Event]:
    post = file.case.post
    yield _event(post.published_at, "edit", _("Published"), by=bdi(post.actor.name))
    for version in file.versions[1:]:
        yield _event(
            version.seen_at,
            "versions",
            _("Edited: version %(n)d") % {"n": version.number},
            by=bdi(post.actor.name),
        )
    if post.deleted_at is not None:
        who = _("by the author") if post.deleted_by == "author" else _("by the platform")
        yield _event(post.deleted_at, "trash", _("Deleted"), by=who)


def _of_case(file: CaseFile) -> Iterator[Event]:
    case = file.case
    first_flag = min((group["first"] for group in file.flags), default=None)
    if first_flag is not None:
        yield _event(first_flag, "flag", _("First flag"))
    yield _event(
        case.opened_at,
        "alert-triangle",
        _("Escalated: %(ground)s") % {"ground": case.get_ground_display()},
        by=bdi(asked_by(file.row)),
        text=case.note,
        tone="warn",
    )


def _of_decision(row: Decision, now: datetime) -> Iterator[Event]:
    words = row.presentation.get("explanation", "")
    title, icon, tone = _title(row)
    yield _event(row.at, icon, title, by=_who(row), text=words, tone=tone)
    until = row.in_force_until
    if until is None or until > now or row.ends or hasattr(row, "superseded_by"):
        return
    if row.kind == DecisionKind.HIDE:
        yield _event(until, "clock-pause", _("The hide ended by itself, unconfirmed"), tone="warn")
    elif row.kind == DecisionKind.RESTRICTION:
        yield _event(until, "clock-pause", _("The restriction ended by itself"))
    elif row.kind == DecisionKind.PROVISIONAL:
        yield _event(until, "clock-pause", _("The demotion before review ended by itself"))


def _title(row: Decision) -> tuple[str, str, str]:
    """Words, icon and tone of a decision row."""
    kind = DecisionKind(row.kind)
    if kind is DecisionKind.STANDING_VERDICT:
        return _verdict(row)
    if row.ends:
        ended = {
            DecisionKind.REMOVAL: _("Restored"),
            DecisionKind.HIDE: _("Hide ended by a decision"),
            DecisionKind.RESTRICTION: _("Restriction ended by a decision"),
        }
        return ended.get(kind, _("Ended")), "arrow-back-up", "good"
    where = in_places(row.regions)
    until = at(row.in_force_until) if row.in_force_until else ""
    match kind:
        case DecisionKind.REMOVAL:
            return _("Removed %(where)s") % {"where": where}, "ban", "bad"
        case DecisionKind.HIDE:
            return _("Hidden at once, until %(at)s at most") % {"at": until}, "eye-off", "warn"
        case DecisionKind.RESTRICTION if until:
            return _("Restricted %(where)s until %(at)s") % {"where": where, "at": until}, "eye-check", "warn"
        case DecisionKind.RESTRICTION:
            return _("Restricted %(where)s") % {"where": where}, "eye-check", "warn"
        case DecisionKind.KEPT:
            return pgettext("a decision of the desk", "Kept"), "circle-check", "good"
        case DecisionKind.PROVISIONAL:
            return _("Demoted before review"), "trending-down", "info"
    return str(row.get_kind_display()), "gavel", "neutral"


def _verdict(row: Decision) -> tuple[str, str, str]:
    articles = row.presentation.get("articles", ())
    if row.ends:
        return _("Rating withdrawn"), "arrow-back-up", "neutral"
    if row.contested:
        return _("Fact-checkers disagree"), "scale", "info"
    publisher = articles[0]["publisher"] if articles else _("a partner")
    return rated_by(row.outcome, publisher), "gavel", "info"


def _who(row: Decision) -> str:
    """The desk's people by name; a partner's rating carries the partner's name already."""
    if row.kind in (DecisionKind.STANDING_VERDICT, DecisionKind.NOT_ELIGIBLE):
        return ""
    if row.confirmed_by is not None:
        names = {"first": bdi(row.decided_by), "second": bdi(row.confirmed_by)}
        return format_html(_("{first} proposed, {second} confirmed"), **names)
    return bdi(row.decided_by) if row.decided_by else _("by the system")


def _of_proposal(proposal: Proposal) -> Iterator[Event]:
    removal = proposal.action == DeskAction.REMOVE
    where = in_places(proposal.regions)
    title = (_("Removal proposed, %(where)s") if removal else _("Longer restriction proposed, %(where)s")) % {
        "where": where
    }
    yield _event(
        proposal.proposed_at,
        "key",
        title,
        by=bdi(proposal.proposed_by),
        text=proposal.explanation,
        tone="warn",
    )
    if proposal.status == ProposalStatus.REFUSED and proposal.judged_at is not None:
        yield _event(
            proposal.judged_at,
            "hand-stop",
            _("Proposal refused"),
            by=bdi(proposal.judged_by),
            text=proposal.reason,
        )


def _event(
    when: datetime, icon: str, title: str, *, by: str = "", text: str = "", tone: str = "neutral"
) -> Event:
    return {"at": when, "icon": icon, "title": title, "by": by, "text": text, "tone": tone}
