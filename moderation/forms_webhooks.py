"""The forms of webhooks: a new endpoint, and a new secret for one."""

from datetime import timedelta

from django import forms
from django.utils.translation import gettext_lazy as _

from moderation.services import webhooks


class WebhookForm(forms.Form):
    """An address and what it is told of. What the service refuses is shown on its field."""

    name = forms.CharField(
        label=_("Name"), max_length=120, help_text=_("Which program receives, so that you know whom to ask.")
    )
    url = forms.CharField(
        label=_("Address"),
        max_length=2000,
        widget=forms.URLInput(attrs={"placeholder": "https://…", "dir": "ltr"}),
        help_text=_("https, at a public address. Redirects are not followed."),
    )
    event_types = forms.MultipleChoiceField(
        label=_("Events"),
        choices=[(t.value, t.label) for t in webhooks.SUBSCRIBABLE],
        widget=forms.CheckboxSelectMultiple,
    )


class RotateForm(forms.Form):
    """How long the old secret signs beside the new one."""

    overlap = forms.TypedChoiceField(
        label=_("The old secret signs too"),
        choices=[
            (0, _("not at all: it is known to others")),
            (1, _("for an hour")),
            (24, _("for a day")),
            (168, _("for seven days")),
        ],
        coerce=lambda hours: timedelta(hours=int(hours)),
        initial=24,
    )
