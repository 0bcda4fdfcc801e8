"""The form of a policy draft: one field for each number and word, named by its path."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from moderation import policy_words
from moderation.enums import StandingLevel
from moderation.forms import NOTE_LIMIT, LinesField
from moderation.policy import Changed, Fault, difference, leaves
from moderation.presentation import VERDICT_LOOKS

MOST_LEVELS = 3
_LEVEL = {
    "at": None,
    "level": "severe",
    "multiplier": None,
    "recommendations": False,
    "ads": False,
    "monetisation": False,
}
_FIXED = ("viewer_preference.do_not_reduce",)  # its only value
LABELS = [(code, word) for code, word in policy_words.LABELS.items() if code != "disputed"]


@dataclass(frozen=True)
class Section:
    """Fields under one heading; `changes` says how many of them differ from the version before."""

    path: str
    title: str
    fields: list[forms.BoundField]
    changes: int
    verdict: str = ""
    summary: str = ""
    removable: str = ""  # the name of the box that takes a country's rule away
    refused: bool = False


class NumbersField(forms.CharField):
    """Whole numbers with commas between them."""

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(str(n) for n in value) if isinstance(value, list) else value

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        try:
            return [int(part) for part in text.replace(",", " ").split()]
        except ValueError:
            raise forms.ValidationError(_("Give whole numbers with commas between them.")) from None


class ShareField(forms.DecimalField):
    """Basis points, written as per cent."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=0, max_value=100, decimal_places=2, max_digits=5, **options)

    def prepare_value(self, value: Any) -> Any:
        return f"{value / 100:g}" if isinstance(value, int) else value

    def clean(self, value: Any) -> Any:
        found = super().clean(value)
        return int(found * 100) if isinstance(found, Decimal) else found


class PolicyForm(forms.Form):
    """All of a policy. `data` is what the draft says, `base` the policy of the version it follows."""

    reason = LinesField(
        label=_("Why"),
        help_text=_("Words for the administrator who approves, kept with the version."),
        max_length=NOTE_LIMIT,
        required=False,
        rows=3,
    )
    valid_from = forms.DateTimeField(
        label=_("Begins"),
        help_text=_("In your time zone. Empty: as soon as it is approved."),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
    )

    def __init__(
        self,
        values: Any = None,
        *,
        data: Mapping[str, Any],
        base: Mapping[str, Any],
        reason: str = "",
        valid_from: datetime | None = None,
    ) -> None:
        self._policy, self._base = data, base
        self._spare = [str(n) for n in range(len(data["strikes"]["levels"]), MOST_LEVELS)]
        super().__init__(values, initial={"reason": reason, "valid_from": valid_from})
        for path, value in self._values().items():
            field = _field(path, value)
            field.initial = value
            self.fields[path] = field
        for path in self._country_rules():
            self.fields[f"remove.{path}"] = forms.BooleanField(
                label=_("Take this rule away: the world’s rule holds here again"), required=False
            )

    def policy(self) -> dict[str, Any]:
        """What the form says, as a policy. Only after `is_valid`."""
        made: dict[str, Any] = {}
        removed = [p for p in self._country_rules() if self.cleaned_data[f"remove.{p}"]]
        for path in self._values():
            if not any(path.startswith(f"{p}.") for p in removed):
                _set(made, path, self.cleaned_data[path])
        for path in _FIXED:
            _set(made, path, None)
        made.setdefault("countries", {})
        levels = made["strikes"]["levels"]
        made["strikes"]["levels"] = [levels[n] for n in sorted(levels) if levels[n]["at"] is not None]
        return made

    def refuse(self, faults: list[Fault]) -> None:
        """Put each fault at its field, or on top where it has none."""
        for fault in faults:
            self.add_error(fault.path if fault.path in self.fields else None, fault.message)

    def sections(self) -> Iterator[tuple[str, list[Section]]]:
        """The fields in the order of a reader: groups of sections with a heading each."""
        changed = difference(self._base, self._policy)
        yield (
            "verdicts",
            [
                self._verdict(f"verdicts.{code}", code, changed)
                for code in policy_words.verdicts(self._policy["verdicts"])
            ],
        )
        yield "countries", [self._verdict(p, p.rsplit(".", 1)[1], changed) for p in self._country_rules()]
        rest = dict.fromkeys(p.split(".")[0] for p in self._values())
        yield (
            "rest",
            [
                self._section(key, policy_words.name(key) or _TITLES[key], changed)
                for key in rest
                if key not in ("verdicts", "countries")
            ],
        )

    # ── parts ──────────────────────────────────────────────────────────────────────────────────────

    def _values(self) -> dict[str, Any]:
        """The leaves that can be written, with the spare rows for more levels."""
        spare = {f"strikes.levels.{n}.{key}": value for n in self._spare for key, value in _LEVEL.items()}
        found = {p: v for p, v in leaves(self._policy).items() if p not in _FIXED and v != {}}
        return found | spare

    def _country_rules(self) -> list[str]:
        return [
            f"countries.{code}.{outcome}"
            for code, rules in self._policy["countries"].items()
            for outcome in rules
        ]

    def _section(self, path: str, title: str, changed: list[Changed], **more: Any) -> Section:
        inside = [p for p in self._values() if p == path or p.startswith(f"{path}.")]
        for p in inside:
            self.fields[p].label = policy_words.name(p, below=path if p != path else "") or title
        return Section(
            path,
            title,
            [self[p] for p in inside],
            sum(1 for c in changed if c.path == path or c.path.startswith(f"{path}.")),
            refused=any(p in self.errors for p in inside) if self.is_bound else False,
            **more,
        )

    def _verdict(self, path: str, code: str, changed: list[Changed]) -> Section:
        rule: Any = self._policy
        for step in path.split("."):
            rule = rule[step]
        country = policy_words.name(".".join(path.split(".")[:2])) if path.startswith("countries.") else ""
        word = str(VERDICT_LOOKS[code].word) if code in VERDICT_LOOKS else code
        return self._section(
            path,
            f"{country} · {word}" if country else word,
            changed,
            verdict=code,
            summary=_summary(rule),
            removable=f"remove.{path}" if country else "",
        )


_TITLES: Mapping[str, Any] = {"viewer_preference": _("What members choose for themselves")}


def _field(path: str, value: Any) -> forms.Field:
    last = path.rsplit(".", 1)[-1]
    unit = policy_words.unit(path)
    spare_at = path.startswith("strikes.levels.")
    if last in ("label", "contested_label"):
        choices = LABELS if last == "label" else list(policy_words.LABELS.items())[1:]
        return forms.ChoiceField(choices=choices, required=last != "label")
    if last == "flag":
        return forms.ChoiceField(choices=list(policy_words.FLAG_ANSWERS.items()))
    if last == "level":
        return forms.ChoiceField(choices=StandingLevel.choices[1:])
    if isinstance(value, bool):
        return forms.BooleanField(required=False)
    if isinstance(value, list):
        return NumbersField(required=False, help_text=unit)
    if policy_words.is_share(path):
        return ShareField(required=not spare_at, help_text=unit, widget=_number("0.01"))
    if isinstance(value, float):
        return forms.FloatField(help_text=unit, widget=_number("any"))
    return forms.IntegerField(required=not spare_at, help_text=unit, widget=_number("1"))


def _number(step: str) -> forms.NumberInput:
    return forms.NumberInput(attrs={"step": step, "inputmode": "decimal"})


def _summary(rule: Mapping[str, Any]) -> str:
    """One line: the feed's share and what else is done."""
    words = [
        f"{policy_words.name('verdicts.x.multiplier.feed', below='verdicts.x')} {rule['multiplier']['feed'] / 100:g} %"
    ]
    if rule["label"]:
        words.append(str(policy_words.LABELS[rule["label"]]))
    words += [
        policy_words.name(key) for key in ("interstitial", "warn_before_share", "strike") if rule.get(key)
    ]
    return " · ".join(words)


def _set(made: dict[str, Any], path: str, value: Any) -> None:
    *above, last = path.split(".")
    for step in above:
        made = made.setdefault(step, {})
    made[last] = value
