"""Programme switches in words: what one does, to whom, and what its turns bring."""

from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from moderation import iso
from moderation.enums import SwitchKind
from moderation.presentation import verdict_look

Word = str | Promise


@dataclass(frozen=True)
class Explained:
    """One of the three switches, for whoever has never turned one."""

    kind: SwitchKind
    icon: str
    country: Word
    text: Word


EXPLAINED = (
    Explained(
        SwitchKind.STOP_RATINGS,
        "hand-stop",
        gettext_lazy("the partner’s home"),
        gettext_lazy(
            "Partners take, pick and rate nothing new. What they hold goes back to the queue. They still read,"
            " withdraw and soften their ratings, note and escalate. Ratings in force keep their effect."
        ),
    ),
    Explained(
        SwitchKind.LIFT_EFFECTS,
        "eye-check",
        gettext_lazy("where the post is read"),
        gettext_lazy(
            "Ratings stay, and act on nobody who is covered: no label, no warning, full distribution. Removals,"
            " restrictions and authors’ standings stay as they are."
        ),
    ),
    Explained(
        SwitchKind.CLEAR_STRIKES,
        "user-check",
        gettext_lazy("the author’s home"),
        gettext_lazy(
            "Strikes do not count, and authors come down to the level of what is left. No strike is deleted, and"
            " its time goes on."
        ),
    ),
)
ICONS = {one.kind: one.icon for one in EXPLAINED}


def title(kind: str, *, country: str, partner: str, outcome: str) -> str:
    """The whole switch in one sentence; `partner` is its name. What is empty is everything."""
    place = {"country": iso.country_name(country) or country, "partner": partner}
    verdict = {"verdict": verdict_look(outcome).word}
    ratings = _("ratings “%(verdict)s”") % verdict if outcome else _("ratings")
    if kind == SwitchKind.STOP_RATINGS:
        if partner and country:
            who = _("%(partner)s, if its home is %(country)s") % place
        elif partner:
            who = partner
        else:
            who = _("partners at home in %(country)s") % place if country else _("every partner")
        return _("Stop new %(ratings)s of %(who)s") % {"ratings": ratings, "who": who}
    if partner:
        ratings = _("%(ratings)s of %(partner)s") % {"ratings": ratings, "partner": partner}
    elif not outcome:
        ratings = _("all ratings")
    if kind == SwitchKind.LIFT_EFFECTS:
        who = _("readers in %(country)s") % place if country else _("readers everywhere")
        return _("Lift the effects of %(ratings)s for %(who)s") % {"ratings": ratings, "who": who}
    who = _("authors at home in %(country)s") % place if country else _("authors everywhere")
    return _("Clear the strikes by %(ratings)s of %(who)s") % {"ratings": ratings, "who": who}


def confirming(kind: str, figures: dict[str, Any]) -> list[str]:
    """What the second key does, with the figures of the dry run."""
    back = _("An administrator returns it in one step.")
    if kind == SwitchKind.STOP_RATINGS:
        stops = figures["stops"]
        return [
            *stopped(stops),
            _("Withdrawing, softening, notes and escalations go on."),
            back,
        ]
    changed = ngettext("%(n)s post changes.", "%(n)s posts change.", figures["changed"]) % {
        "n": figures["changed"]
    }
    if kind == SwitchKind.LIFT_EFFECTS:
        return [changed, _("Nobody is told: no rating is withdrawn."), back]
    fall = ngettext("%(n)s author comes down.", "%(n)s authors come down.", figures["fall"]) % {
        "n": figures["fall"]
    }
    return [fall, changed, back]


def returning(kind: str) -> list[str]:
    """What the return brings back."""
    if kind == SwitchKind.STOP_RATINGS:
        return [_("Reviewers can take and rate again at once."), _("Nobody gets back what they held.")]
    again = _("Every post that it touches is computed again; the system page shows how far that is.")
    if kind == SwitchKind.LIFT_EFFECTS:
        return [_("The effects of ratings in force come back."), _("Nobody is told twice."), again]
    return [_("Strikes count again, until the day until which they would have counted."), again]


def stopped(stops: dict[str, int]) -> list[str]:
    """Whom a stop reaches."""
    return [
        ngettext(
            "%(n)s partner rates nothing new.", "%(n)s partners rate nothing new.", stops["organisations"]
        )
        % {"n": stops["organisations"]},
        ngettext("%(n)s person is kept from it.", "%(n)s people are kept from it.", stops["people"])
        % {"n": stops["people"]},
        ngettext("%(n)s item in hand goes back.", "%(n)s items in hand go back.", stops["leases"])
        % {"n": stops["leases"]},
        ngettext(
            "%(n)s open item has nobody left to take it.",
            "%(n)s open items have nobody left to take them.",
            stops["uncovered"],
        )
        % {"n": stops["uncovered"]},
    ]
