"""What people may send us: limits of the HTTP contract, with a sentence for each field that needs mending."""

import zoneinfo
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import pycountry
from django import forms
from django.utils.translation import get_language_info
from django.utils.translation import gettext_lazy as _

from moderation import iso
from moderation.enums import FlagReason, MediaShown, Scope, ViewerPreference
from moderation.models import User

NOTE_LIMIT = 2_000

# What each reason is for, in the words of somebody who flags.
REASON_MEANS = {
    FlagReason.FALSE_INFORMATION: _("It says something that can be checked and is wrong or made up."),
    FlagReason.ALTERED_MEDIA: _("A picture, recording or film was changed, or made to look real."),
    FlagReason.MISLEADING: _("What it says is true, but what it leaves out turns it round."),
    FlagReason.SCAM: _("It is after money, passwords or personal details."),
    FlagReason.SATIRE_UNLABELLED: _("It is a joke that many take for news."),
    FlagReason.VIOLENCE: _("It calls for, plans or praises an attack on people."),
    FlagReason.HATE: _("It attacks people for what they are or believe."),
    FlagReason.HARASSMENT: _("It goes after one person: threats, shaming, private details."),
    FlagReason.IMMINENT_HARM: _("People may act on it soon and get hurt."),
    FlagReason.OTHER: _("Say in the note what is wrong."),
}


class LinesField(forms.CharField):
    """Text of several lines, kept as it was typed; a browser's line ends count as one character."""

    def __init__(self, *, rows: int = 4, **options: Any) -> None:
        options.setdefault("widget", forms.Textarea(attrs={"rows": rows, "dir": "auto"}))
        super().__init__(strip=False, **options)

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")

    def validate(self, value: str) -> None:
        super().validate(value.strip())


class FlagForm(forms.Form):
    """A member's flag on the version they saw."""

    version = forms.UUIDField(widget=forms.HiddenInput)
    reason = forms.ChoiceField(
        label=_("What is wrong with it?"),
        choices=FlagReason.choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose what comes closest.")},
    )
    note = LinesField(
        label=_("Note for the reviewer"),
        help_text=_(
            "What should they know? Links to sources help. The author never sees your note or your name."
        ),
        max_length=NOTE_LIMIT,
        required=False,
        rows=3,
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("reason") == FlagReason.OTHER and not cleaned.get("note", "").strip():
            self.add_error("note", _("Say in a few words what is wrong."))
        return cleaned


class SettingsForm(forms.ModelForm):
    """How the product treats one person."""

    class Meta:
        model = User
        fields = (
            "display_name", "language", "time_zone", "region", "viewer_preference", "shortcuts_on", "media_shown",
        )  # fmt: skip
        labels = {
            "display_name": _("Name"),
            "language": _("Language you read"),
            "time_zone": _("Time zone"),
            "region": _("Where you are"),
            "viewer_preference": _("Posts that fact-checkers rated"),
            "shortcuts_on": _("Keyboard shortcuts"),
            "media_shown": _("Pictures and films in review start"),
        }
        help_texts = {
            "display_name": _("How you are called on these pages. Authors of posts you flag never see it."),
            "language": _("Your feed shows posts in this language; you can choose others there."),
            "region": _("Some content is removed or restricted in some places only."),
            "media_shown": _(
                "On the pages of reviewers and of the policy desk. They are covered again when you leave the page, "
                "and films never start by themselves."
            ),
        }
        widgets = {"viewer_preference": forms.RadioSelect, "media_shown": forms.RadioSelect}

    def __init__(self, *args: Any, languages: Iterable[str] = (), **options: Any) -> None:
        super().__init__(*args, **options)
        here = self.instance
        self.fields["language"] = _choice(self, "language", _languages(languages, here.language))
        self.fields["time_zone"] = _choice(self, "time_zone", _zones(here.time_zone))
        self.fields["region"] = _choice(
            self, "region", [("", _("I would rather not say")), *_with(country_choices(), here.region)]
        )
        self.fields["region"].required = False
        self.fields["viewer_preference"].widget.choices = ViewerPreference.choices
        self.fields["media_shown"].widget.choices = MediaShown.choices
        self.fields["media_shown"].required = False  # not asked of members

    def clean_media_shown(self) -> str:
        return self.cleaned_data["media_shown"] or self.initial["media_shown"]

    def clean_display_name(self) -> str:
        name: str = self.cleaned_data["display_name"].strip()
        if not name:
            raise forms.ValidationError(_("Say how you want to be called."))
        return name


class KeyForm(forms.Form):
    """A new API key. A key that works the queue or the desk acts as a person, in one of their roles."""

    NEVER = "never"
    name = forms.CharField(
        label=_("Name"),
        max_length=120,
        help_text=_("Which program uses it, so that you know what to revoke."),
    )
    scopes = forms.MultipleChoiceField(
        label=_("What it may do"), choices=Scope.choices, widget=forms.CheckboxSelectMultiple
    )
    expires = forms.ChoiceField(
        label=_("Expires"),
        choices=[
            ("30", _("In 30 days")),
            ("90", _("In 90 days")),
            ("365", _("In a year")),
            (NEVER, _("Never")),
        ],
        initial="90",
    )
    person_email = forms.EmailField(
        label=_("Acts as"),
        required=False,
        max_length=254,
        help_text=_(
            "Address of a person, for a key that works the queue or the desk. It loses its power with them."
        ),
    )
    acting = forms.ChoiceField(label=_("In the role"), required=False)

    def __init__(self, *args: Any, capacities: Sequence[tuple[str, str]] = (), **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["acting"].choices = [("", _("Choose a role")), *capacities]  # type: ignore[attr-defined]
        if not capacities:
            self.fields["acting"].widget = forms.HiddenInput()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        works = {Scope.QUEUE_WORK, Scope.DESK_WORK} & set(cleaned.get("scopes", ()))
        if works and not cleaned.get("person_email") and "person_email" not in self.errors:
            self.add_error("person_email", _("Name the person whose work the key does."))
        return cleaned

    def expires_at(self, now: datetime) -> datetime | None:
        chosen = self.cleaned_data["expires"]
        return None if chosen == self.NEVER else now + timedelta(days=int(chosen))


def _choice(form: forms.ModelForm, name: str, choices: Any) -> forms.ChoiceField:
    known = form.fields[name]
    return forms.ChoiceField(label=known.label, help_text=known.help_text, choices=choices)


def _with(choices: list[tuple[str, str]], kept: str) -> list[tuple[str, str]]:
    """The choices, and what is set already even where it is not among them."""
    return choices if not kept or kept in dict(choices) else [(kept, kept), *choices]


def _languages(offered: Iterable[str], kept: str) -> list[tuple[str, str]]:
    """Languages to read in, by their own names."""
    return sorted(
        ((code, language_label(code)) for code in {*offered, kept, "en"} - {""}), key=lambda p: p[1]
    )


def _zones(kept: str) -> list[tuple[str, Any]]:
    """Time zones by continent, as the tz database names them."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for name in sorted({*_zone_names(), kept}):
        area, _slash, place = name.partition("/")
        if place:
            groups.setdefault(area, []).append((name, place.replace("_", " ")))
        else:
            groups.setdefault("", []).append((name, name))
    return [*groups.pop("", []), *groups.items()]


@cache
def _zone_names() -> frozenset[str]:
    areas = ("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian",
             "Pacific")  # fmt: skip
    return frozenset(n for n in zoneinfo.available_timezones() if n.split("/")[0] in areas) | {"UTC"}


@cache
def country_choices() -> list[tuple[str, str]]:
    """(ISO 3166-1 code, name) of every country, by name."""
    codes = [country.alpha_2 for country in pycountry.countries]
    return sorted(((code, iso.country_name(code) or code) for code in codes), key=lambda pair: pair[1])


def language_label(code: str) -> str:
    """A language's name in itself, "العربية" for "ar"; its English name or code where that is not known."""
    try:
        name: str = get_language_info(code)["name_local"]
    except KeyError:
        return iso.language_name(code) or code
    return name[:1].upper() + name[1:]
