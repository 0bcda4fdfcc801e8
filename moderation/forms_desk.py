"""What a specialist decides: one form for every act, and one for the second key."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from moderation import iso
from moderation.enums import DeskAction, Ground
from moderation.errors import Invalid
from moderation.forms import LinesField

WORDS_LIMIT = 2000  # characters of the words to the author
REGIONS_LIMIT = 400  # characters: some sixty codes


class Act(TextChoices):
    """What a specialist may do with a case, in the order of the form."""

    HIDE = "hide", _("Hide now")
    REMOVE = "remove", _("Propose removal")
    RESTRICT = "restrict", _("Restrict for 7 days")
    RESTRICT_LONGER = "restrict_longer", _("Propose a longer restriction")
    KEEP = "keep", _("Keep")
    RESTORE = "restore", _("Restore")

    @property
    def action(self) -> DeskAction:
        """What a proposal of this act asks for."""
        return DeskAction.REMOVE if self is Act.REMOVE else DeskAction.RESTRICT


PROPOSALS = frozenset({Act.REMOVE, Act.RESTRICT_LONGER})
REGIONAL = frozenset(
    {Act.REMOVE, Act.RESTRICT, Act.RESTRICT_LONGER}
)  # these name regions and a policy section


class SeenForm(forms.Form):
    """What the specialist saw: the case's version and the post version on the page."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1)
    shown = forms.UUIDField(widget=forms.HiddenInput)


class DecisionForm(SeenForm):
    """Which act, and what it needs: `clean` asks only for what the chosen act takes."""

    use_required_attribute = False

    act = forms.ChoiceField(
        label=_("What to do"),
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose what to do."), "invalid_choice": _("Choose what to do.")},
    )
    ground = forms.ChoiceField(
        label=_("Ground"), choices=Ground.choices, error_messages={"required": _("Name the ground.")}
    )
    where = forms.ChoiceField(
        label=_("Where"),
        choices=[("everywhere", _("Everywhere")), ("regions", _("Some regions"))],
        widget=forms.RadioSelect,
        error_messages={"required": _("Say where.")},
    )
    regions = forms.CharField(
        label=_("Regions"),
        max_length=REGIONS_LIMIT,
        help_text=_("ISO codes with commas between them: LK, IN-TN. A country includes its regions."),
        error_messages={"required": _("Name at least one region, or choose “Everywhere”.")},
    )
    policy_section = forms.CharField(
        label=_("Policy section"),
        max_length=80,
        help_text=_("As the author can look it up."),
        error_messages={"required": _("Name the section of the policy.")},
    )
    explanation = LinesField(
        label=_("Words to the author"),
        max_length=WORDS_LIMIT,
        error_messages={"required": _("The author must be able to read why.")},
        widget=forms.Textarea(attrs={"rows": 4, "dir": "auto"}),
        help_text=_("The author reads them as they are, with the ground and how to appeal."),
    )

    def __init__(self, *args: Any, acts: Iterable[Act], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["act"].choices = [(act.value, act.label) for act in acts]  # type: ignore[attr-defined]

    @property
    def chosen(self) -> Act:
        return Act(self.cleaned_data["act"])

    def full_clean(self) -> None:
        """Ask only for what the chosen act takes."""
        act, where = self.data.get("act"), self.data.get("where")
        needed = {
            "ground": act in PROPOSALS,
            "where": act in REGIONAL,
            "regions": act in REGIONAL and where == "regions",
            "policy_section": act in REGIONAL,
        }
        for name, needs in needed.items():
            self.fields[name].required = needs
        super().full_clean()
        for name in needed:
            self.fields[name].required = True  # the label of none says "optional"

    def clean(self) -> dict[str, Any]:
        """`regions` becomes a list of codes; an empty one is everywhere, and only where that was chosen."""
        data: dict[str, Any] = super().clean() or {}
        typed = data.get("regions", "")
        data["regions"] = []
        if data.get("act") in REGIONAL and data.get("where") == "regions" and typed:
            try:
                data["regions"] = iso.regions(typed.replace(";", ",").split(","))
            except Invalid as wrong:
                self.add_error("regions", wrong.message)
            else:
                if not data["regions"]:
                    self.add_error("regions", self.fields["regions"].error_messages["required"])
        return data


class JudgeForm(SeenForm):
    """The second key: confirm, or refuse with a reason that the proposer reads."""

    use_required_attribute = False

    verdict = forms.ChoiceField(choices=[("confirm", _("Confirm")), ("refuse", _("Refuse"))])
    reason = LinesField(
        label=_("Why not"),
        max_length=WORDS_LIMIT,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
        help_text=_("The specialist who proposed it reads this."),
        error_messages={"required": _("Say why, so that the case can go on.")},
    )

    def full_clean(self) -> None:
        """A reason is asked for by a refusal only."""
        self.fields["reason"].required = self.data.get("verdict") == "refuse"
        super().full_clean()
        self.fields["reason"].required = True
