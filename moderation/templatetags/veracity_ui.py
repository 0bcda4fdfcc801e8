"""Tags and filters of the design system; `templates/components/README.md` lists them."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django import template
from django.forms import BoundField, CheckboxInput, CheckboxSelectMultiple, FileInput, RadioSelect, Select
from django.template.loader import get_template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy

from moderation import presentation
from moderation.enums import DANGEROUS_REASONS

register = template.Library()

ICON_SIZES = {"sm": 16, "md": 20, "lg": 24, "xl": 40}
DUE_ICONS = {"late": "alarm", "soon": "hourglass", "later": "clock", "none": "clock-pause"}
ACTOR_ICONS = {"account": "user", "page": "flag", "group": "users", "domain": "world-www"}
DIFF_TAGS = {"removed": ("del", gettext_lazy("removed:")), "added": ("ins", gettext_lazy("added:"))}


@register.simple_tag
def icon(name: str, label: str = "", size: str = "md") -> SafeString:
    """An icon of the sprite; without a label it is decoration and hidden from screen readers."""
    pixels = ICON_SIZES[size or "md"]
    access = format_html('role="img" aria-label="{}"', label) if label else mark_safe('aria-hidden="true"')
    return format_html(
        '<svg class="icon icon-{}" width="{}" height="{}" {} focusable="false"><use href="{}#{}"></use></svg>',
        size or "md",
        pixels,
        pixels,
        access,
        static("icons/sprite.svg"),
        name,
    )


@register.filter
def verdict_word(code: str | None) -> str:
    """The one word of a verdict."""
    return str(presentation.verdict_look(code).word)


@register.filter
def verdict_icon(code: str | None) -> str:
    """The one icon of a verdict (name in the sprite)."""
    return presentation.verdict_look(code).icon


@register.simple_tag
def verdict_by(code: str | None, publisher: str) -> str:
    """The attribution in words: "Rated false by …"."""
    return presentation.rated_by(code, publisher)


@register.filter
def actor_icon(kind: str | None) -> str:
    """The icon of a kind of actor."""
    return ACTOR_ICONS.get(str(kind or ""), "user")


@register.filter
def is_dangerous(reason: str | None) -> bool:
    """Whether a flag reason is one of the dangerous ones (domain 6)."""
    return reason in DANGEROUS_REASONS


@register.filter
def dangerous_first(reasons: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The same reasons, the dangerous ones in front: what a narrow place cuts off is the harmless end."""
    return sorted(reasons or (), key=lambda reason: reason["code"] not in DANGEROUS_REASONS)


@register.filter
def subtract(value: int, other: int) -> int:
    """`value` minus `other`: how many a limited list leaves out."""
    return value - other


@register.filter
def compact_number(value: float | None) -> str:
    """12 400 → 12.4k; exact below 10 000."""
    return presentation.compact(value)


@register.filter
def bp_percent(value: int | None) -> str:
    """Basis points as a percentage: 2 000 → 20%."""
    return presentation.percent_of_basis_points(value)


def _time(at: datetime, words: str, css: str = "") -> SafeString:
    local = timezone.localtime(at)
    return format_html(
        '<time datetime="{}" title="{}"{}>{}</time>',
        at.isoformat(timespec="seconds"),
        date_format(local, "DATETIME_FORMAT"),
        format_html(' class="{}"', css) if css else "",
        words,
    )


@register.simple_tag
def ago(at: datetime | None, now: datetime | None = None) -> SafeString | str:
    """How long ago, as `<time>` with the full local date in its title; a dash for None."""
    return _time(at, presentation.ago_words(at, now or timezone.now())) if at else "–"


@register.simple_tag
def moment(at: datetime | None) -> SafeString | str:
    """The date and time in the person's zone, as `<time>`; a dash for None."""
    return _time(at, date_format(timezone.localtime(at), "j M Y, H:i")) if at else "–"


@register.simple_tag
def due(at: datetime | None, now: datetime | None = None) -> SafeString:
    """The due chip: words, icon and colour say the same."""
    now = now or timezone.now()
    kind = presentation.urgency(at, now)
    words = presentation.due_words(at, now)
    return format_html(
        '<span class="chip due" data-due="{}">{}{}</span>',
        kind,
        icon(DUE_ICONS[kind], size="sm"),
        _time(at, words) if at else words,
    )


@register.simple_tag
def remaining(until: datetime | None, now: datetime | None = None) -> SafeString | str:
    """Minutes and seconds until an instant; `countdown.js` keeps it running."""
    if until is None:
        return "–"
    left = max(int((until - (now or timezone.now())).total_seconds()), 0)
    minutes, seconds = divmod(left, 60)
    return format_html(
        '<time class="countdown num" datetime="{0}" data-until="{0}">{1}:{2}</time>',
        until.isoformat(timespec="seconds"),
        minutes,
        f"{seconds:02d}",
    )


@register.simple_tag
def post_text(text: str | None, lang: str = "", words: int | None = None) -> SafeString:
    """Text written by people: isolated in its own direction, lines kept, nothing turned into links."""
    shown = Truncator(text or "").words(words) if words else (text or "")
    return format_html(
        '<bdi class="post-text" dir="auto"{}>{}</bdi>',
        format_html(' lang="{}"', lang) if lang else "",
        shown,
    )


@register.simple_tag
def text_diff(old: str, new: str) -> SafeString:
    """`<del>` and `<ins>` by word, announced in words too."""
    pieces = []
    for change, piece in presentation.text_changes(old, new):
        if change == "same":
            pieces.append(format_html("{}", piece))
            continue
        tag, spoken = DIFF_TAGS[change]
        pieces.append(
            format_html(
                '<{0} data-change="{1}"><span class="visually-hidden">{2} </span>{3}</{0}>',
                mark_safe(tag),  # noqa: S308  one of two constants
                change,
                spoken,
                piece,
            )
        )
    return mark_safe("".join(pieces))  # noqa: S308  every piece came out of format_html


@register.simple_tag
def kbd(keys: str) -> SafeString:
    """Key hints beside a word that already says what happens: hidden from screen readers."""
    return format_html(
        '<span class="keys" aria-hidden="true">{}</span>',
        format_html_join("", "<kbd>{}</kbd>", ((key,) for key in keys.split())),
    )


@register.simple_tag
def sparkline(values: Iterable[float], label: str = "", width: int = 72, height: int = 20) -> SafeString:
    """A small line of figures drawn on the server; an empty list draws nothing."""
    points = presentation.spark_points(list(values or ()), width, height)
    if len(points) < 2:
        return SafeString("")
    line = " ".join(f"{x},{y}" for x, y in points)
    last_x, last_y = points[-1]
    return _svg(
        width,
        height,
        label,
        "spark",
        format_html(
            '<polygon class="spark-area" points="{},{} {} {},{}"></polygon>'
            '<polyline class="spark-line" points="{}"></polyline>'
            '<circle class="spark-end" cx="{}" cy="{}" r="2"></circle>',
            points[0][0], height, line, last_x, height, line, last_x, last_y,
        ),
    )  # fmt: skip


@register.simple_tag
def bars(values: Iterable[float], label: str = "", width: int = 96, height: int = 32) -> SafeString:
    """Figures as columns drawn on the server; an empty list draws nothing."""
    heights = list(values or ())
    if not heights:
        return SafeString("")
    step = width / len(heights)
    top = max(heights) or 1
    columns = (
        (round(i * step, 1), round(height - tall, 1), round(max(step - 2, 1), 1), round(tall, 1))
        for i, tall in ((i, max(value / top * height, 1)) for i, value in enumerate(heights))
    )
    return _svg(
        width,
        height,
        label,
        "bars",
        format_html_join("", '<rect x="{}" y="{}" width="{}" height="{}" rx="1"></rect>', columns),
    )


def _svg(width: int, height: int, label: str, css: str, body: SafeString) -> SafeString:
    access = format_html('role="img" aria-label="{}"', label) if label else mark_safe('aria-hidden="true"')
    return format_html(
        '<svg class="{}" width="{}" height="{}" viewBox="0 0 {} {}" {} focusable="false">{}</svg>',
        css, width, height, width, height, access, body,
    )  # fmt: skip


@register.filter
def control(field: BoundField) -> SafeString:
    """A bound field's widget, dressed: the classes follow from the kind of widget."""
    widget = field.field.widget
    if isinstance(widget, RadioSelect | CheckboxSelectMultiple):
        css = "choices"
    elif isinstance(widget, CheckboxInput):
        css = "form-check-input"
    elif isinstance(widget, Select):
        css = "form-select"
    else:
        css = "form-control form-file" if isinstance(widget, FileInput) else "form-control"
    if field.errors:
        css += " is-invalid"
    own = widget.attrs.get("class", "")
    return field.as_widget(attrs={"class": f"{own} {css}".strip()})


@register.filter
def is_checkbox(field: BoundField) -> bool:
    """Whether the label belongs behind the widget."""
    return isinstance(field.field.widget, CheckboxInput)


@register.filter
def is_group(field: BoundField) -> bool:
    """Whether the widget is a set of choices, which needs a legend rather than a label."""
    return isinstance(field.field.widget, RadioSelect | CheckboxSelectMultiple)


def _render(name: str, values: dict[str, Any]) -> SafeString:
    return SafeString(get_template(f"components/{name}.html").render(values))


@register.simple_block_tag
def dialog(content: str, id: str, title: str, size: str = "", auto: bool = False) -> SafeString:
    """A modal `<dialog>` with heading and close button."""
    return _render("dialog", {"content": content, "id": id, "title": title, "size": size, "auto": auto})


@register.simple_block_tag
def panel(
    content: str,
    title: str,
    icon: str = "",
    id: str = "",
    count: int | str = "",
    flush: bool = False,
    heading: int = 2,
) -> SafeString:
    """A titled card; `flush` leaves the padding to the content (lists and tables)."""
    values = {"content": content, "title": title, "icon": icon, "id": id, "count": count, "flush": flush}
    return _render("panel", values | {"heading": f"h{heading}"})


@register.simple_block_tag
def interstitial(content: str, verdict: str, publisher: str, url: str = "", headline: str = "") -> SafeString:
    """Content behind a warning that the reader may click through."""
    values = {"content": content, "verdict": verdict, "publisher": publisher, "url": url}
    return _render("interstitial", values | {"headline": headline})
