"""What a rating would do, in sentences: figures stand out, so that they are read before sending."""

from collections.abc import Sequence
from typing import Any

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from factcheck.enums import NOT_ELIGIBLE
from factcheck.selectors.consequences import FULL, Consequences
from moderation import iso
from moderation.presentation import compact, percent_of_basis_points
from moderation.selectors.outlook import StrikeOutlook

Line = dict[str, Any]  # {"text", "icon", "tone"}


def lines(outlook: Consequences, *, actor_name: str) -> list[Line]:
    """First whom it reaches, then what happens to them, then the actor's standing."""
    found = [_line(_reach(outlook))]
    if outlook.verdict == NOT_ELIGIBLE:
        words = _("Closes the item; the post is shown as before, and a demotion before review ends.")
        return [*found, _line(words)]
    if outlook.effect is None:
        return found
    if outlook.contested:
        found.append(_line(_contested(outlook), icon="scale", tone="warn"))
    found.append(_line(_effect(outlook)))
    if outlook.lifted_in:
        found.append(_line(_lifted(outlook.lifted_in), icon="switch-horizontal", tone="warn"))
    if outlook.cleared:
        words = _("{name}: a strike that does not count while a programme switch clears it.")
        return [*found, _line(_bold(words, name=actor_name), icon="switch-horizontal")]
    found.append(_strike(outlook.strike, actor_name))
    return found


def _line(text: str, *, icon: str = "", tone: str = "") -> Line:
    return {"text": text, "icon": icon, "tone": tone}


def _reach(outlook: Consequences) -> str:
    reached = outlook.reached
    posts = ngettext("%(n)s post", "%(n)s posts", reached.posts) % {"n": compact(reached.posts)}
    actors = ngettext("%(n)s actor", "%(n)s actors", reached.actors) % {"n": compact(reached.actors)}
    if reached.views_per_hour >= 1:
        return _bold(
            _("Reaches {posts} of {actors}, seen {views} times an hour."),
            posts=posts,
            actors=actors,
            views=compact(reached.views_per_hour),
        )
    return _bold(_("Reaches {posts} of {actors}."), posts=posts, actors=actors)


def _contested(outlook: Consequences) -> str:
    named = {r.partner.name: str(r.get_verdict_display()).lower() for r in outlook.others}
    others = ", ".join(f"{partner} ({verdict})" for partner, verdict in named.items())
    return _bold(
        _("{others} found otherwise. Until that is settled the softer effect holds, without strike, and a "
          "conflict item opens for both."),
        others=others,
    )  # fmt: skip


def _effect(outlook: Consequences) -> str:
    assert outlook.effect is not None
    parts: list[str] = []
    if outlook.feed_bp < FULL:
        share = percent_of_basis_points(outlook.feed_bp)
        parts.append(_bold(_("{share} of the feed left"), share=share))
    else:
        parts.append(_("Distribution unchanged"))
    if not outlook.effect["multiplier"]["recommendations"]:
        parts.append(_("no recommendations or ads"))
    labels = {
        "warning": _("warning label"),
        "context": _("context label"),
        "disputed": _("label “Fact-checkers disagree”"),
        "": _("no label"),
    }
    parts.append(labels.get(outlook.label, outlook.label))
    if outlook.effect["interstitial"] and not outlook.contested:
        parts.append(_("click before viewing"))
    return _joined(parts)


def _lifted(places: Sequence[str]) -> str:
    if "" in places:
        return _("A programme switch lifts this effect everywhere, until it is returned.")
    names = ", ".join(iso.country_name(code) or code for code in places)
    return _bold(_("A programme switch lifts this effect for readers in {places}."), places=names)


def _strike(strike: StrikeOutlook | None, name: str) -> Line:
    if strike is None:
        return _line(_("No strike."))
    after = strike.after["multiplier"]
    if strike.rises and after < FULL:
        text = _bold(
            ngettext(
                "{name} becomes a repeat offender: its {posts} post keeps {share} of its reach.",
                "{name} becomes a repeat offender: all {posts} posts keep {share} of their reach.",
                strike.posts,
            ),
            name=name,
            posts=compact(strike.posts),
            share=percent_of_basis_points(after),
        )
        return _line(text, icon="repeat", tone="bad")
    sentence = ngettext(
        "{name}: {n} strike, no new repeat offender.",
        "{name}: {n} strikes, no new repeat offender.",
        strike.strikes,
    )
    return _line(_bold(sentence, name=name, n=strike.strikes))


def _bold(sentence: str, **figures: Any) -> SafeString:
    """The sentence with its figures in bold; figures are escaped, and isolated where people named them."""
    shown = {key: format_html("<b><bdi>{}</bdi></b>", value) for key, value in figures.items()}
    return format_html(sentence, **shown)


def _joined(parts: Sequence[str]) -> SafeString:
    """Pieces of a sentence, some of them markup already, apart by commas."""
    return format_html("{}.", SafeString(", ".join(parts)))
