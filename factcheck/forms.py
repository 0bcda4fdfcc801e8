"""What reviewers send: limits, and a sentence for each field that needs mending.

The services check again what they rely on; what only they can know comes back by `refuse`.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from factcheck.enums import ARTICLE_NEEDED, NOT_ELIGIBLE, NotEligibleReason, SkipReason, Verdict
from factcheck.models import Partner, Rating
from factcheck.services import ratings
from factcheck.services.claims import ClaimDraft
from factcheck.services.ratings import RatingDraft
from moderation import iso
from moderation.enums import Ground
from moderation.errors import Invalid
from moderation.forms import LinesField
from moderation.scrutiny import is_web_link

CLAIM_LIMIT = 500
EXPLANATION_LIMIT = 5_000
NOTE_LIMIT = 2_000
EVIDENCE_ROWS = 10
URL_LIMIT = 2_000
# Services speak of these by other names.
_FIELDS = {"claim": "claim_text", "evidence": "evidence_url_0"}


def _text(rows: int = 0, **attrs: Any) -> forms.Widget:
    attrs = {"dir": "auto", **attrs}
    return forms.Textarea(attrs={"rows": rows, **attrs}) if rows else forms.TextInput(attrs=attrs)


class CodesField(forms.CharField):
    """ISO codes of regions, apart by commas or spaces. Cleans to a list of capitals."""

    def to_python(self, value: Any) -> Any:
        text: str = super().to_python(value) or ""
        try:
            return iso.regions(re.split(r"[\s,;]+", text))
        except Invalid as refusal:
            raise forms.ValidationError(refusal.message, code=refusal.code) from None

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list | tuple) else value


class RatingForm(forms.Form):
    """A verdict with its words, or "not eligible" with a reason: `version` and `seen` say on what."""

    version = forms.IntegerField(min_value=1, widget=forms.HiddenInput)
    seen = forms.UUIDField(widget=forms.HiddenInput)
    fragment = forms.CharField(max_length=URL_LIMIT, required=False, widget=forms.HiddenInput, strip=False)
    verdict = forms.ChoiceField(
        label=_("Verdict"),
        choices=[*Verdict.choices, (NOT_ELIGIBLE, _("Not eligible"))],
        error_messages={"required": _("Choose a verdict.")},
    )
    claim_text = LinesField(
        label=_("Claim"), max_length=CLAIM_LIMIT, widget=_text(2),
        error_messages={"required": _("Say which claim you rate: select it in the post, or write it.")},
    )  # fmt: skip
    headline = LinesField(
        label=_("Headline"), max_length=200, widget=_text(),
        error_messages={"required": _("Give your finding a headline.")},
    )  # fmt: skip
    explanation = LinesField(
        label=_("Explanation"), max_length=EXPLANATION_LIMIT, widget=_text(2),
        error_messages={"required": _("Explain in a few sentences what you found.")},
    )  # fmt: skip
    article_url = forms.CharField(
        label=_("Article"),
        max_length=URL_LIMIT,
        required=False,
        widget=forms.URLInput(attrs={"placeholder": "https://", "dir": "ltr"}),
    )
    countries = CodesField(
        label=_("Countries"), max_length=200, required=False, widget=_text(placeholder="PT, BR", dir="ltr")
    )
    why = forms.ChoiceField(
        label=_("Why it is not eligible"), choices=[("", _("Choose…")), *NotEligibleReason.choices],
        error_messages={"required": _("Say why it is not eligible.")},
    )  # fmt: skip
    why_words = LinesField(label=_("In your words"), max_length=NOTE_LIMIT, required=False, widget=_text(3))

    def __init__(
        self,
        *args: Any,
        partner: Partner,
        claim_known: bool = False,
        closes_items: bool = True,
        **options: Any,
    ) -> None:
        """`claim_known`: the item is about a claim whose words stand. `closes_items` False: a revision."""
        super().__init__(*args, **options)
        self.partner = partner
        rated = self.chosen != NOT_ELIGIBLE
        for name, needed in (
            ("claim_text", rated and not claim_known),
            ("headline", rated),
            ("explanation", rated),
            ("why", not rated),
        ):
            self.fields[name].required = needed
        if not closes_items:
            self.fields["verdict"].choices = Verdict.choices  # type: ignore[attr-defined]
            for name in ("version", "seen"):
                self.fields[name].required = False
        for row in range(EVIDENCE_ROWS):
            # The placeholder tells an empty row from a filled one: the page shows one empty row at the end.
            self.fields[f"evidence_url_{row}"] = forms.CharField(
                label=_("Evidence: link"), max_length=URL_LIMIT, required=False,
                widget=forms.URLInput(attrs={"placeholder": "https://", "dir": "ltr", "class": "evidence-url"}),
            )  # fmt: skip
            self.fields[f"evidence_title_{row}"] = forms.CharField(
                label=_("Evidence: what it shows"), max_length=200, required=False,
                widget=_text(placeholder=_("What it shows")),
            )  # fmt: skip

    @property
    def evidence_rows(self) -> list[tuple[Any, Any]]:
        return [(self[f"evidence_url_{row}"], self[f"evidence_title_{row}"]) for row in range(EVIDENCE_ROWS)]

    @property
    def chosen(self) -> str:
        """The verdict chosen so far, whether it is valid or not."""
        return str(self["verdict"].value() or "")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        verdict = cleaned.get("verdict", "")
        if verdict == NOT_ELIGIBLE:
            if cleaned.get("why") == NotEligibleReason.OTHER and not cleaned.get("why_words"):
                self.add_error("why_words", _("Say in a few words why."))
            return cleaned
        if cleaned.get("article_url"):
            try:
                ratings.check_article(cleaned["article_url"], self.partner)
            except Invalid as refusal:
                self.add_error("article_url", refusal.message)
        elif verdict in ARTICLE_NEEDED and "article_url" not in self.errors:
            self.add_error("article_url", _("This verdict needs your published article."))
        for row in range(EVIDENCE_ROWS):
            url, title = cleaned.get(f"evidence_url_{row}", ""), cleaned.get(f"evidence_title_{row}", "")
            if url and not is_web_link(url):
                self.add_error(f"evidence_url_{row}", _("Give an http or https address."))
            elif title and not url:
                self.add_error(f"evidence_url_{row}", _("Give the link too."))
        return cleaned

    def refuse(self, refusal: Invalid) -> None:
        """Show a service's no at the field it names."""
        name = _FIELDS.get(refusal.field, refusal.field)
        self.add_error(name if name in self.fields else None, refusal.message)

    def draft(self) -> RatingDraft:
        """What was sent, for the service. Only after `is_valid`."""
        sent = self.cleaned_data
        return RatingDraft(
            verdict=sent["verdict"],
            headline=sent["headline"],
            explanation=sent["explanation"],
            claim=ClaimDraft(text=sent["claim_text"], fragment=sent["fragment"]),
            article_url=sent["article_url"],
            evidence=[
                {"url": sent[f"evidence_url_{row}"], "title": sent[f"evidence_title_{row}"]}
                for row in range(EVIDENCE_ROWS)
                if sent[f"evidence_url_{row}"]
            ],
            countries=sent["countries"],
        )

    def reason(self) -> str:
        """Why it is not eligible, in words: the choice, and what the reviewer added."""
        chosen = NotEligibleReason(self.cleaned_data["why"])
        words = self.cleaned_data["why_words"]
        if chosen == NotEligibleReason.OTHER:
            return str(words)
        return f"{chosen.label}. {words}".strip() if words else str(chosen.label)


# What a draft keeps: everything typed, nothing that says on which version.
DRAFT_FIELDS = (
    "fragment", "verdict", "claim_text", "headline", "explanation", "article_url", "countries", "why", "why_words",
    *(f"evidence_{part}_{row}" for row in range(EVIDENCE_ROWS) for part in ("url", "title")),
)  # fmt: skip


def typed(post: Mapping[str, Any]) -> dict[str, object]:
    """What a reviewer has typed so far, cut to sizes that a draft may have; NUL cannot be stored."""
    longest = EXPLANATION_LIMIT + URL_LIMIT
    found = {name: str(post.get(name, "")).replace("\0", "")[:longest] for name in DRAFT_FIELDS}
    return {name: value for name, value in found.items() if value}


def typed_in(rating: Rating) -> dict[str, object]:
    """A rating as its form would hold it: to revise it, or to go on after an undo."""
    rows = list(rating.evidence)[:EVIDENCE_ROWS]
    return {
        "verdict": rating.verdict,
        "claim_text": rating.claim.text,
        "headline": rating.headline,
        "explanation": rating.explanation,
        "article_url": rating.article.url if rating.article else "",
        "countries": ", ".join(rating.countries),
        **{f"evidence_url_{i}": row.get("url", "") for i, row in enumerate(rows)},
        **{f"evidence_title_{i}": row.get("title", "") for i, row in enumerate(rows)},
    }


class EscalationForm(forms.Form):
    """A question to the policy desk about the version displayed."""

    ground = forms.ChoiceField(
        label=_("Ground"), choices=Ground.choices, widget=forms.RadioSelect,
        error_messages={"required": _("Choose what comes closest.")},
    )  # fmt: skip
    note = LinesField(
        label=_("What should the desk know?"), max_length=NOTE_LIMIT, widget=_text(3),
        error_messages={"required": _("Say in a few words what may happen, and to whom.")},
    )  # fmt: skip
    regions = CodesField(
        label=_("Regions"), max_length=200, required=False, widget=_text(placeholder="ET, IN-TN", dir="ltr"),
        help_text=_("Where it may do harm. Empty: everywhere."),
    )  # fmt: skip
    seen = forms.UUIDField(widget=forms.HiddenInput)


class SkipForm(forms.Form):
    reason = forms.ChoiceField(choices=SkipReason.choices)


class SnoozeForm(forms.Form):
    """Until when to put an item off: one of the offered times, or a time of one's own."""

    until = forms.CharField(required=False)
    at = forms.DateTimeField(required=False, label=_("Another time"))

    def __init__(self, *args: Any, now: datetime, **options: Any) -> None:
        super().__init__(*args, **options)
        self.offered = wake_times(now)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        chosen = next((t["at"] for t in self.offered if t["value"] == cleaned.get("until")), None)
        cleaned["wake_at"] = chosen or cleaned.get("at")
        if cleaned["wake_at"] is None and "at" not in self.errors:
            self.add_error("at", _("Say until when."))
        return cleaned


def wake_times(now: datetime) -> list[dict[str, Any]]:
    """Times offered for a snooze, in the person's zone: {"value", "label", "at"}."""
    local = timezone.localtime(now)
    morning = datetime.combine(local.date() + timedelta(days=1), time(9), tzinfo=local.tzinfo)
    monday = morning + timedelta(days=(7 - morning.weekday()) % 7 or 7)
    offered: Sequence[tuple[str, Any, datetime]] = (
        ("1h", _("In 1 hour"), now + timedelta(hours=1)),
        ("4h", _("In 4 hours"), now + timedelta(hours=4)),
        ("tomorrow", _("Tomorrow morning"), morning),
        ("monday", _("Next Monday"), monday),
    )
    return [{"value": value, "label": label, "at": at} for value, label, at in offered]


class WithdrawForm(forms.Form):
    reason = LinesField(
        label=_("Why is it withdrawn?"), max_length=NOTE_LIMIT, widget=_text(3),
        error_messages={"required": _("Say why the rating is withdrawn.")},
    )  # fmt: skip
