"""What administrators and leads fill in about partners and their people."""

import re
from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django import forms
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from factcheck.enums import MembershipRole
from factcheck.models import Partner
from factcheck.services import partners
from factcheck.services.partners import PartnerDraft
from moderation.errors import Invalid
from moderation.forms import country_choices

CODES_LIMIT = 600  # characters
DOMAINS_LIMIT = 2000


def _zones() -> list[tuple[str, str]]:
    return [
        (zone, zone.replace("_", " "))
        for zone in sorted(available_timezones())
        if "/" in zone or zone == "UTC"
    ]


def _homes() -> list[tuple[str, str]]:
    return [("", str(_("Not known"))), *country_choices()]


class PartnerForm(forms.Form):
    """What a partner is called and covers. `draft` is the whole of it, in its one spelling."""

    name = forms.CharField(label=_("Name"), max_length=120, widget=forms.TextInput(attrs={"dir": "auto"}))
    slug = forms.CharField(
        label=_("Short name"),
        max_length=50,
        help_text=_("For addresses and programs: small letters, digits, hyphens. It stays for good."),
    )
    languages = forms.CharField(
        label=_("Languages"),
        max_length=CODES_LIMIT,
        help_text=_("ISO codes with commas between them: en, hi, fa. Items in these reach its reviewers."),
    )
    countries = forms.CharField(
        label=_("Countries"),
        max_length=CODES_LIMIT,
        required=False,
        help_text=_("ISO codes with commas between them: IN, LK. None means every country."),
    )
    domains = forms.CharField(
        label=_("Domains of its articles"),
        max_length=DOMAINS_LIMIT,
        widget=forms.Textarea(attrs={"rows": 2, "dir": "ltr"}),
        help_text=_("One on each line: checks.example. Addresses below them count too."),
    )
    country = forms.ChoiceField(
        label=_("Home country"),
        choices=lazy(_homes, list),
        required=False,
        help_text=_("Where the organisation is at home: programme switches go by it."),
    )
    time_zone = forms.ChoiceField(
        label=_("Time zone"), choices=lazy(_zones, list), initial="UTC", help_text=_("Of its working hours.")
    )

    def __init__(self, *args: Any, partner: Partner | None = None, **kwargs: Any) -> None:
        """With `partner`: a change of what is there, in which the short name stays."""
        self.partner = partner
        if partner is not None:
            kwargs["initial"] = {
                "name": partner.name,
                "languages": ", ".join(partner.languages),
                "countries": ", ".join(partner.countries),
                "domains": "\n".join(partner.domains),
                "country": partner.country,
                "time_zone": partner.time_zone,
            }
        super().__init__(*args, **kwargs)
        if partner is not None:
            del self.fields["slug"]

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if self.errors:
            return data
        draft = PartnerDraft(
            slug=self.partner.slug if self.partner else data["slug"],
            name=" ".join(data["name"].split()),
            languages=_listed(data["languages"]),
            countries=_listed(data["countries"]),
            domains=_listed(data["domains"]),
            time_zone=data["time_zone"],
            country=data["country"],
        )
        try:
            data["draft"] = partners.checked(draft)
        except Invalid as wrong:
            self.refuse(wrong)
        return data

    def refuse(self, wrong: Invalid) -> None:
        """Put a service's no beside the field that it names."""
        self.add_error(wrong.field if wrong.field in self.fields else None, wrong.message)


class CertificateForm(forms.Form):
    """A certificate by its days, as they begin and end where the partner works."""

    body = forms.CharField(
        label=_("Certified by"), max_length=80, widget=forms.TextInput(attrs={"dir": "auto"})
    )
    first_day = forms.DateField(label=_("First day"), widget=forms.DateInput(attrs={"type": "date"}))
    last_day = forms.DateField(
        label=_("Last day"),
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=_("It holds to the end of this day. From then on the partner may only read and soften."),
    )

    def __init__(self, *args: Any, partner: Partner, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.zone = ZoneInfo(partner.time_zone)

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        first, last = data.get("first_day"), data.get("last_day")
        if first and last and last < first:
            self.add_error("last_day", _("A certificate ends after it begins."))
        elif first and last:
            data["valid_from"] = datetime.combine(first, time(), self.zone)
            data["valid_until"] = datetime.combine(last + timedelta(days=1), time(), self.zone)
        return data


class InviteForm(forms.Form):
    email = forms.EmailField(
        label=_("E-mail address"), max_length=254, widget=forms.EmailInput(attrs={"autocomplete": "off"})
    )
    role = forms.ChoiceField(label=_("Role"), choices=MembershipRole.choices, initial=MembershipRole.REVIEWER)


class AcceptForm(forms.Form):
    """A new person's name and password; the address comes with the invitation."""

    display_name = forms.CharField(
        label=_("Your name"),
        max_length=120,
        widget=forms.TextInput(attrs={"autocomplete": "name", "dir": "auto"}),
    )
    password = forms.CharField(
        label=_("Password"),
        max_length=128,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_("At least 8 characters, not only digits, not a common one."),
    )


def _listed(typed: str) -> list[str]:
    return [word for word in re.split(r"[\s,;]+", typed) if word]
