"""The form by which an administrator proposes a programme switch."""

import uuid
from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from moderation import policy_words
from moderation.enums import SwitchKind
from moderation.errors import Invalid
from moderation.forms import NOTE_LIMIT, country_choices
from moderation.presentation import verdict_look


def _countries() -> list[tuple[str, Any]]:
    return [("", _("Everywhere")), *country_choices()]


class SwitchForm(forms.Form):
    """A switch with its scope and the words why."""

    kind = forms.ChoiceField(label=_("Switch"), choices=SwitchKind.choices, widget=forms.RadioSelect)
    country = forms.ChoiceField(
        label=_("Country"),
        choices=lazy(_countries, list),
        required=False,
        help_text=_("Of the partner (stop), of the reader (lift), of the author (clear)."),
    )
    organisation = forms.ChoiceField(label=_("Partner"), required=False)
    outcome = forms.ChoiceField(label=_("Verdict"), required=False)
    reason = forms.CharField(
        label=_("Why"),
        max_length=NOTE_LIMIT,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
        help_text=_("The other administrator and auditors read this."),
    )

    def __init__(
        self, values: Any = None, *, partners: Mapping[uuid.UUID, str], verdicts: Mapping[str, Any]
    ) -> None:
        super().__init__(values)
        self.fields["organisation"].choices = [  # type: ignore[attr-defined]
            ("", _("Every partner")),
            *((str(i), name) for i, name in partners.items()),
        ]
        self.fields["outcome"].choices = [  # type: ignore[attr-defined]
            ("", _("Every verdict")),
            *((code, verdict_look(code).word) for code in policy_words.verdicts(verdicts)),
        ]

    def scope(self) -> dict[str, Any]:
        """What the service takes."""
        data = self.cleaned_data
        named = data["organisation"]
        return {
            "kind": SwitchKind(data["kind"]),
            "country": data["country"],
            "organisation": uuid.UUID(named) if named else None,
            "outcome": data["outcome"],
            "reason": data["reason"],
        }

    def refuse(self, wrong: Invalid) -> None:
        """Put a service's no beside the field that it names."""
        self.add_error(wrong.field if wrong.field in self.fields else None, wrong.message)
