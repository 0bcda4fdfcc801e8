"""The numbers and rules of a policy in words: what a path is called, in what unit its value is."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from moderation import iso
from moderation.enums import FlagReason, Ground, StandingLevel, Surface
from moderation.policy.versions import Leaf
from moderation.presentation import VERDICT_LOOKS

Word = str | Promise

# What the parts of a path are called; a part that adds nothing to its neighbours is empty.
_PARTS: Mapping[str, Word] = {
    "verdicts": "",
    "multiplier": "",
    "countries": "",
    "label": gettext_lazy("Label"),
    "interstitial": gettext_lazy("Click through before viewing"),
    "warn_before_share": gettext_lazy("Warn before sharing"),
    "strike": gettext_lazy("Strikes the publisher"),
    "article": gettext_lazy("Shows the article"),
    "monetisation": gettext_lazy("Monetisation"),
    "flag": gettext_lazy("Answers flags with"),
    "contested_label": gettext_lazy("Label while partners disagree"),
    "provisional": gettext_lazy("Before review"),
    "hours": gettext_lazy("Ends after"),
    "floor": gettext_lazy("Floor"),
    "viewer_preference": "",
    "reduce_more": gettext_lazy("“Reduce more” leaves"),
    "do_not_reduce": gettext_lazy("“Do not reduce”"),
    "strikes": gettext_lazy("Strikes"),
    "window_days": gettext_lazy("A strike counts for"),
    "levels": "",
    "at": gettext_lazy("Strikes that reach it"),
    "level": gettext_lazy("Level"),
    "lease": gettext_lazy("Lease"),
    "minutes": gettext_lazy("Lasts"),
    "longest_minutes": gettext_lazy("At most"),
    "re_check": gettext_lazy("Re-check after an edit"),
    "due_hours": gettext_lazy("Due within"),
    "cool_off_days": gettext_lazy("Cool-off after a decision"),
    "undo_seconds": gettext_lazy("Undo of a rating"),
    "desk": gettext_lazy("Policy desk"),
    "hide_hours": gettext_lazy("A hide ends after"),
    "realert_hours": gettext_lazy("Alerts about an unconfirmed hide"),
    "restrict_days": gettext_lazy("One key restricts for"),
    "notices": gettext_lazy("Notices"),
    "author_dwell_hours": gettext_lazy("The author is told after"),
    "sharer_dwell_hours": gettext_lazy("Past sharers are told after"),
    "priority": gettext_lazy("Order of the queue"),
    "tau_hours": gettext_lazy("Age that counts as much as a factor of 2.7"),
    "velocity_views_per_hour": gettext_lazy("Reach that counts twice"),
    "harm": gettext_lazy("Harm"),
    "signal_weight": gettext_lazy("Weight of signals"),
    "reliability": gettext_lazy("Reliability of flaggers"),
    "judged_more_than": gettext_lazy("Neutral up to"),
    "pivot": gettext_lazy("Neutral share of agreed flags"),
    "least": gettext_lazy("Least factor"),
    "most": gettext_lazy("Greatest factor"),
}
LABELS: Mapping[str, Word] = {
    "": gettext_lazy("none"),
    "context": gettext_lazy("Context"),
    "disputed": gettext_lazy("Fact-checkers disagree"),
    "warning": gettext_lazy("Warning"),
}
FLAG_ANSWERS: Mapping[str, Word] = {
    "agree": gettext_lazy("agreed"),
    "disagree": gettext_lazy("not agreed"),
    "pass over": gettext_lazy("neither"),
}
# What a dry run counts, beside the surfaces.
CHANGES: Mapping[str, Word] = {
    "label": gettext_lazy("Label"),
    "interstitial": gettext_lazy("Click through before viewing"),
    "warn_before_share": gettext_lazy("Warning before sharing"),
    "ads_allowed": gettext_lazy("Ads allowed"),
    "recommendations_allowed": gettext_lazy("Recommendations allowed"),
    "monetisation": gettext_lazy("Monetisation"),
    "actor_level": gettext_lazy("The author’s level"),
    "articles": gettext_lazy("Articles shown"),
    "countries": gettext_lazy("Countries with other rules"),
}


def verdicts(codes: Iterable[str]) -> list[str]:
    """The codes from the worst to the best, as people know them."""
    known = list(VERDICT_LOOKS)
    return sorted(codes, key=lambda code: (known.index(code) if code in known else len(known), code))


def is_share(path: str) -> bool:
    """Whether the value is in basis points, shown as per cent."""
    parts = path.split(".")
    return "multiplier" in parts or parts[0] == "floor" or path == "viewer_preference.reduce_more"


def unit(path: str) -> str:
    """What stands behind the number; empty for a bare one."""
    last = path.rsplit(".", 1)[-1]
    above = path.split(".")[-2:-1]
    if is_share(path):
        return "%"
    if last in ("hours",) or last.endswith("_hours") or above == ["due_hours"]:
        return _("h")
    if last.endswith("_days"):
        return _("days")
    if last.endswith("minutes"):
        return _("min")
    return _("s") if last.endswith("_seconds") else ""


def name(path: str, *, below: str = "") -> str:
    """A path in words, “False · Feed”; `below` leaves out what a heading says already."""
    parts = path.removeprefix(f"{below}." if below else "").split(".")
    whole = path.split(".")
    words = [_part(part, whole) for part in parts]
    return " · ".join(word for word in words if word)


def value(path: str, found: Leaf) -> str:
    """A value in words with its unit."""
    if found is None:
        return _("nothing")
    if isinstance(found, bool):
        return _("yes") if found else _("no")
    if isinstance(found, list):
        found = ", ".join(str(part) for part in found)
    elif isinstance(found, str):
        last = path.rsplit(".", 1)[-1]
        table: Mapping[str, Any] = {
            "label": LABELS, "contested_label": LABELS, "flag": FLAG_ANSWERS, "level": dict(StandingLevel.choices),
        }.get(last, {})  # fmt: skip
        return str(table.get(found, found))
    elif is_share(path):
        found = f"{found / 100:g}"
    elif isinstance(found, float):
        found = f"{found:g}"
    return f"{found}\u00a0{unit(path)}".strip()


def change_name(what: str) -> str:
    """What a dry run counts, in words."""
    if what in Surface.values:
        return _("Reach in %(surface)s") % {"surface": Surface(what).label}
    return str(CHANGES.get(what, what))


def change_value(what: str, found: Any) -> str:
    """The value of such a change in words."""
    if what in Surface.values:
        return f"{found * 100:g}\u00a0%"
    if what == "label":
        return str(LABELS[found or ""])
    if what == "actor_level":
        return str(StandingLevel(found).label)
    if what == "articles":
        return str(found)
    if isinstance(found, list):
        return ", ".join(found) or _("none")
    return _("yes") if found else _("no")


def _part(part: str, whole: list[str]) -> str:
    if part == "multiplier" and whole[0] == "strikes":
        return _("Leaves")
    if part in ("ads", "recommendations") and whole[-2:-1] != ["multiplier"]:
        return _("Ads allowed") if part == "ads" else _("Recommendations allowed")
    if whole[0] == "countries" and part == whole[1]:
        return iso.country_name(part) or part
    if part in VERDICT_LOOKS and whole[0] in ("verdicts", "countries"):
        return str(VERDICT_LOOKS[part].word)
    if part in Surface.values and ("multiplier" in whole or whole[0] == "floor"):
        return str(Surface(part).label)
    if "harm" in whole[:-1] or "due_hours" in whole[:-1]:
        table = Ground if whole[0] == "desk" else FlagReason
        if part in table.values:
            return str(table(part).label)
    if part.isdecimal():
        return _("Level %(n)d") % {"n": int(part) + 1}
    return str(_PARTS.get(part, part.replace("_", " ").capitalize()))
