"""How figures, times and verdicts are worded and drawn: pure functions, no markup, no database."""

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

MINUTE, HOUR, DAY = 60, 3_600, 86_400
SOON = timedelta(hours=2)
# Above this many words a word-by-word comparison takes too long for a page; lines are compared instead.
DIFF_WORDS = 1_500

Urgency = Literal["none", "later", "soon", "late"]
Change = Literal["same", "removed", "added"]


@dataclass(frozen=True)
class VerdictLook:
    """One verdict's word, icon (name in the sprite) and attribution; its colour is in `tokens.css`."""

    word: str | Promise
    icon: str
    by: str | Promise


VERDICT_LOOKS: dict[str, VerdictLook] = {
    "false": VerdictLook(
        gettext_lazy("False"), "alert-octagon-filled", gettext_lazy("Rated false by %(publisher)s")
    ),
    "altered": VerdictLook(
        gettext_lazy("Altered"), "stack-2", gettext_lazy("Rated altered by %(publisher)s")
    ),
    "partly_false": VerdictLook(
        gettext_lazy("Partly false"), "circle-half-2", gettext_lazy("Rated partly false by %(publisher)s")
    ),
    "missing_context": VerdictLook(
        gettext_lazy("Missing context"), "quote", gettext_lazy("Rated missing context by %(publisher)s")
    ),
    "satire": VerdictLook(
        gettext_lazy("Satire"), "masks-theater", gettext_lazy("Rated satire by %(publisher)s")
    ),
    "true": VerdictLook(gettext_lazy("True"), "circle-check", gettext_lazy("Rated true by %(publisher)s")),
    "not_eligible": VerdictLook(
        gettext_lazy("Not eligible"), "circle-minus", gettext_lazy("Judged not eligible by %(publisher)s")
    ),
    "disagree": VerdictLook(
        gettext_lazy("Fact-checkers disagree"), "scale", gettext_lazy("%(publisher)s disagree")
    ),
    "investigating": VerdictLook(
        gettext_lazy("Being checked"), "microscope", gettext_lazy("Being checked by %(publisher)s")
    ),
}
UNRATED = VerdictLook(gettext_lazy("Not rated"), "circle-dashed", gettext_lazy("Not rated"))


def verdict_look(code: str | None) -> VerdictLook:
    """The look of an outcome code; a code this page does not know looks like "not rated"."""
    return VERDICT_LOOKS.get(str(code or ""), UNRATED)


def rated_by(code: str | None, publisher: str) -> str:
    """ "Rated false by …", one whole sentence per verdict so that it can be translated."""
    return str(verdict_look(code).by) % {"publisher": publisher}


def compact(value: float | None) -> str:
    """A count for a narrow place: exact below 10 000, then 12.4k, 3.1M, 2B; a dash for None."""
    if value is None:
        return "–"
    size = abs(value)
    if size < 10_000:
        return number_format(round(value), use_l10n=True, force_grouping=True)
    for limit, unit, suffix in ((999_500, 1_000, "k"), (999_500_000, 1_000_000, "M")):
        if size < limit:
            return _short(value / unit) + suffix
    return _short(value / 1_000_000_000) + "B"


def _short(value: float) -> str:
    """One decimal where it says something. Rounded here: Django's number_format cuts off."""
    rounded = round(value, 1)
    decimals = 0 if abs(value) >= 100 or rounded == round(value) else 1
    return number_format(round(value, decimals), decimal_pos=decimals, use_l10n=True, force_grouping=True)


def percent_of_basis_points(value: int | None) -> str:
    """2 000 bp are 20%; 1 250 bp are 12.5%; a dash for None."""
    if value is None:
        return "–"
    decimals = 0 if value % 100 == 0 else 1
    return _("%(number)s%%") % {
        "number": number_format(round(value / 100, decimals), decimal_pos=decimals, use_l10n=True)
    }


def span_words(span: timedelta) -> str:
    """The length of a span in its largest fitting unit, rounded down, sign ignored: "40 min", "3 h", "5 days"."""
    seconds = int(abs(span.total_seconds()))
    if seconds < MINUTE:
        return _("under 1 min")
    if seconds < HOUR:
        return _("%(n)d min") % {"n": seconds // MINUTE}
    if seconds < 2 * DAY:
        return _("%(n)d h") % {"n": seconds // HOUR}
    days = seconds // DAY
    return ngettext("%(n)d day", "%(n)d days", days) % {"n": days}


def ago_words(at: datetime, now: datetime) -> str:
    """How long ago `at` was; "in …" when it lies ahead."""
    span = now - at
    if abs(span) < timedelta(minutes=1):
        return _("just now")
    words = span_words(span)
    return (_("%(span)s ago") if span > timedelta() else _("in %(span)s")) % {"span": words}


def urgency(due_at: datetime | None, now: datetime) -> Urgency:
    """Whether a due time is late, soon (within two hours), later, or not set."""
    if due_at is None:
        return "none"
    if due_at <= now:
        return "late"
    return "soon" if due_at - now <= SOON else "later"


def due_words(due_at: datetime | None, now: datetime) -> str:
    """A due time in words: "Late by 3 h", "Due in 40 min", "No due time"."""
    if due_at is None:
        return _("No due time")
    words = span_words(due_at - now)
    return (_("Late by %(span)s") if due_at <= now else _("Due in %(span)s")) % {"span": words}


def spark_points(
    values: Sequence[float], width: int, height: int, pad: float = 2.0
) -> list[tuple[float, float]]:
    """The values as points of a `width` × `height` box, y downwards, the lowest drawn value being 0."""
    if not values:
        return []
    top = max(max(values), 0) or 1
    step = (width - 2 * pad) / max(len(values) - 1, 1)
    inner = height - 2 * pad
    return [
        (round(pad + i * step, 1), round(pad + inner * (1 - max(value, 0) / top), 1))
        for i, value in enumerate(values)
    ]


def text_changes(old: str, new: str) -> Iterator[tuple[Change, str]]:
    """What changed from one text to the other, in reading order: by word, by line when the texts are long."""
    by_word = max(len(old.split()), len(new.split())) <= DIFF_WORDS
    pieces = (
        (lambda text: re.findall(r"^\s+|\S+\s*", text)) if by_word else (lambda text: text.splitlines(True))
    )
    before, after = pieces(old), pieces(new)
    for _op, a0, a1, b0, b1 in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if before[a0:a1] == after[b0:b1]:
            yield "same", "".join(before[a0:a1])
            continue
        if a1 > a0:
            yield "removed", "".join(before[a0:a1])
        if b1 > b0:
            yield "added", "".join(after[b0:b1])
