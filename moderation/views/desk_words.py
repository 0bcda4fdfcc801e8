"""The policy desk in words: rows, the effect now, what happened, and what an act would do, in numbers."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from moderation import iso
from moderation.enums import DeskAction, EscalationStatus, Ground
from moderation.forms_desk import Act
from moderation.models import Proposal
from moderation.presentation import compact, rated_by, span_words
from moderation.selectors.casefile import CaseFile
from moderation.selectors.desk import Row

# How each state of a case looks: tone and icon; the word is the status's own.
STATES = {
    EscalationStatus.OPEN: ("info", "inbox"),
    EscalationStatus.PROPOSED: ("warn", "key"),
    EscalationStatus.REMOVED: ("bad", "ban"),
    EscalationStatus.RESTRICTED: ("warn", "eye-check"),
    EscalationStatus.KEPT: ("good", "circle-check"),
}


def row(found: Row, *, mine: bool, query: str, rules: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """One line of the list. `mine`: the reader may turn the second key; `rules`: the policy's desk part."""
    case, reach = found.case, getattr(found.case.post, "reach", None)
    tone, icon = STATES[EscalationStatus(case.status)]
    return {
        "id": case.pk,
        "url": reverse("desk_case", args=[case.pk]) + query,
        "text": "" if case.ground == Ground.CHILD_SAFETY else case.post_version.content.text,
        "withheld": case.ground == Ground.CHILD_SAFETY,
        "lang": case.post.language,
        "ground_label": case.get_ground_display(),
        "regions": case.regions,
        "opened_at": case.opened_at,
        "due_at": None if case.decided_at else case.due_at,
        "decided_at": case.decided_at,
        "requested_by": asked_by(found),
        "state_label": case.get_status_display(),
        "tone": tone,
        "icon": icon,
        "plain": case.status == EscalationStatus.OPEN,
        "second_key": mine,
        "views": reach.views if reach else 0,
        "per_hour": reach.views_per_hour if reach else 0,
        "hide": hide(found, rules, now=now),
    }


def asked_by(found: Row) -> str:
    """The organisation that escalated; a colleague of the desk by name, a machine as such."""
    if found.organisation:
        return found.organisation
    return _("the policy desk") if found.case.opened_by_id and not found.case.opened_for else _("a partner")


def hide(found: Row, rules: Mapping[str, Any], *, now: datetime) -> dict[str, Any] | None:
    """A running emergency hide: when it ends, and its reminders, past and to come."""
    if found.hide is None or found.hide.in_force_until is None:
        return None
    began, ends = found.hide.in_force_from, found.hide.in_force_until
    steps = [
        {
            "hours": hours,
            "at": at(began + timedelta(hours=hours)),
            "past": began + timedelta(hours=hours) <= now,
        }
        for hours in rules["realert_hours"]
    ]
    passed = [step["hours"] for step in steps if step["past"]]
    return {
        "by": bdi(found.hide.decided_by),
        "words": _("Hidden, ends in %(span)s") % {"span": span_words(ends - now)},
        "unconfirmed": _("%(n)d h unconfirmed") % {"n": max(passed)} if passed else "",
        "steps": steps,
    }


def places(codes: Sequence[str]) -> str:
    """ "Sri Lanka (LK) and Tamil Nadu, India (IN-TN)"; "everywhere" for none."""
    if not codes:
        return _("everywhere")
    return get_text_list([f"{iso.region_name(code) or code} ({code})" for code in codes], _("and"))


def in_places(codes: Sequence[str]) -> str:
    """The same after a verb: "everywhere", "in Sri Lanka (LK)"."""
    return _("in %(places)s") % {"places": places(codes)} if codes else _("everywhere")


def at(instant: datetime) -> str:
    """Weekday, date and time in the reader's zone: "Tue 1 Dec, 14:44"."""
    return date_format(timezone.localtime(instant), "D j M, H:i")


def bdi(name: object) -> SafeString:
    """A person's or organisation's name, isolated in its own direction."""
    return format_html('<bdi dir="auto">{}</bdi>', name if name else _("nobody any more"))


def quoted(words: str) -> SafeString:
    """What somebody wrote, in its own direction, lines kept."""
    return format_html('<bdi class="post-text" dir="auto">{}</bdi>', words)


def effect(file: CaseFile) -> list[dict[str, str]]:
    """What is served now, one line per part: icon, tone and words."""
    document = file.state.document
    if document is None:
        return [{"icon": "eye", "tone": "neutral", "text": _("Served to everybody, without any effect.")}]
    return list(_effects(document))


def _effects(document: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    if document["hidden_until"]:
        until = at(datetime.fromisoformat(document["hidden_until"]))
        yield {
            "icon": "eye-off",
            "tone": "warn",
            "text": _("Hidden everywhere until %(at)s.") % {"at": until},
        }
    elif document["removed"]:
        yield {"icon": "ban", "tone": "bad", "text": _("Removed everywhere.")}
    gone = [code for code, here in document["regions"].items() if here["removed"]]
    veiled = [code for code, here in document["regions"].items() if here["interstitial"]]
    if gone:
        yield {"icon": "ban", "tone": "bad", "text": _("Removed in %(places)s.") % {"places": places(gone)}}
    if veiled:
        text = _("Behind a warning in %(places)s.") % {"places": places(veiled)}
        yield {"icon": "eye-check", "tone": "warn", "text": text}
    if document["interstitial"] and not document["removed"]:
        yield {"icon": "eye-check", "tone": "warn", "text": _("Behind a warning everywhere.")}
    left = document["multipliers"]["feed"]
    if left < 1 and not document["removed"]:
        text = _("The feed shows it at %(share)s%% of what it was.") % {
            "share": number_format(left * 100, decimal_pos=0)
        }
        yield {"icon": "trending-down", "tone": "info", "text": text}
    for article in document["articles"]:
        text = rated_by(article["verdict"], article["publisher"]) + "."
        yield {"icon": "gavel", "tone": "info", "text": text}
    lifted = [code for code, here in document["regions"].items() if "lifted" in here.get("instead", {})]
    if document.get("lifted"):
        text = _("A programme switch lifts the effect of a rating everywhere.")
        yield {"icon": "switch-horizontal", "tone": "info", "text": text}
    elif lifted:
        text = _("A programme switch lifts the effect of a rating in %(places)s.") % {
            "places": places(lifted)
        }
        yield {"icon": "switch-horizontal", "tone": "info", "text": text}


# ── what an act would do ───────────────────────────────────────────────────────────────────────────


def outlook(
    file: CaseFile, act: Act, asked: Mapping[str, Any], rules: Mapping[str, Any], *, now: datetime
) -> list[str]:
    """What the act will do, in sentences with numbers. `asked` is the form's cleaned data."""
    said = {
        Act.HIDE: _hide_words,
        Act.REMOVE: _proposal_words,
        Act.RESTRICT_LONGER: _proposal_words,
        Act.RESTRICT: _restrict_words,
        Act.KEEP: _keep_words,
        Act.RESTORE: _restore_words,
    }[act](file, act, asked, rules, now)
    return [sentence for sentence in said if sentence]


def confirm_label(proposal: Proposal) -> str:
    """The button that turns the second key."""
    if proposal.action == DeskAction.REMOVE:
        return _("Confirm the removal")
    return _("Confirm the restriction")


def confirming(file: CaseFile, proposal: Proposal) -> list[str]:
    """What the second key will do."""
    removal = proposal.action == DeskAction.REMOVE
    lines = [_gone(proposal.regions) if removal else _veiled(proposal.regions), _lost(file, proposal.regions)]
    if removal and not proposal.regions:
        lines.append(_("Its items leave the review queue, and every flag on it is answered."))
    if file.row.hide is not None:
        lines.append(_("The emergency hide ends with this decision."))
    lines.append(_("The author is told at once: ground, regions, policy section, your colleague's words."))
    return [*lines, _copies(file)] if file.copies else lines


def refusing(file: CaseFile) -> list[str]:
    lines = [_("The proposal ends and the case is open again; another one can be made.")]
    if file.row.hide is not None and file.row.hide.in_force_until is not None:
        lines.append(_("The emergency hide runs on until %(at)s.") % {"at": at(file.row.hide.in_force_until)})
    return lines


Words = Iterator[str]


def _hide_words(
    file: CaseFile, act: Act, asked: Mapping[str, Any], rules: Mapping[str, Any], now: datetime
) -> Words:
    until = now + timedelta(hours=rules["hide_hours"])
    yield _gone([])
    yield _speed(file)
    yield _("It comes back by itself at %(at)s, unless a removal is confirmed before.") % {"at": at(until)}
    yield _("This uses up the only hide of version %(n)d on this ground.") % {
        "n": file.case.post_version.number
    }
    yield _("The author is told at once, in your words.")


def _proposal_words(
    file: CaseFile, act: Act, asked: Mapping[str, Any], rules: Mapping[str, Any], now: datetime
) -> Words:
    codes = asked["regions"]
    yield _("Nothing changes yet: another specialist must confirm.")
    confirmed = _("Once confirmed, it disappears %(places)s.")
    if act is not Act.REMOVE:
        confirmed = _("Once confirmed, readers %(places)s get a warning first and can click through.")
    yield confirmed % {"places": in_places(codes)}
    yield _lost(file, codes)
    yield _copies(file)


def _restrict_words(
    file: CaseFile, act: Act, asked: Mapping[str, Any], rules: Mapping[str, Any], now: datetime
) -> Words:
    yield _veiled(asked["regions"])
    yield _lost(file, asked["regions"])
    until = at(now + timedelta(days=rules["restrict_days"]))
    yield _("It ends by itself at %(at)s; one key restricts a version only once.") % {"at": until}
    if file.row.hide is not None:
        yield _("The emergency hide ends now.")
    yield _("The author is told at once, in your words.")


def _keep_words(
    file: CaseFile, act: Act, asked: Mapping[str, Any], rules: Mapping[str, Any], now: datetime
) -> Words:
    if file.row.hide is not None:
        yield _("The emergency hide ends now: the post is visible again within seconds.")
    yield _("Ratings by fact-checkers stay as they are; a demotion before review ends.")
    yield _("The case is closed. If something new comes up, the post is escalated again.")


def _restore_words(
    file: CaseFile, act: Act, asked: Mapping[str, Any], rules: Mapping[str, Any], now: datetime
) -> Words:
    yield _("What this case decided ends: the post is back within seconds.")
    yield _speed(file)
    rated = len(file.state.document["articles"]) if file.state.document else 0
    if rated:
        yield ngettext(
            "%(n)d rating that it masked shows again.", "%(n)d ratings that it masked show again.", rated
        ) % {"n": rated}
    yield _("Rating work that the removal cut short goes on in the queue.")
    yield _("The author is told at once. The case is closed.")


def _gone(codes: Sequence[str]) -> str:
    return _("It disappears %(places)s within seconds.") % {"places": in_places(codes)}


def _veiled(codes: Sequence[str]) -> str:
    return _("Readers %(places)s get a warning first and can click through.") % {"places": in_places(codes)}


def _lost(file: CaseFile, codes: Sequence[str]) -> str:
    """The views it gets an hour; how they spread over regions is not known to us."""
    if not codes:
        return _speed(file)
    return f"{_speed(file)} " + ngettext(
        "How many of these are from this region is not known.",
        "How many of these are from these %(n)d regions is not known.",
        len(codes),
    ) % {"n": len(codes)}


def _speed(file: CaseFile) -> str:
    reach = getattr(file.case.post, "reach", None)
    if reach is None:
        return _("Its views are not known.")
    return _("It gets %(speed)s views an hour now, %(views)s so far.") % {
        "speed": compact(reach.views_per_hour),
        "views": compact(reach.views),
    }


def _copies(file: CaseFile) -> str:
    if not file.copies:
        return ""
    return ngettext(
        "%(shown)s other post with the same claim stays as it is.",
        "%(shown)s other posts with the same claim stay as they are.",
        file.copies,
    ) % {"shown": compact(file.copies)}
