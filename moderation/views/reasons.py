"""Why a post is treated as it is, in words: the decisions behind it, what each takes, and what can be done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.text import get_text_list
from django.utils.translation import gettext as _

from moderation.enums import DecisionKind, Ground, StandingLevel, Surface
from moderation.models import Decision
from moderation.policy import FULL
from moderation.presentation import percent_of_basis_points, rated_by


@dataclass(frozen=True)
class Reason:
    """One cause. `share`: basis points that it alone leaves in the feed; None where it takes nothing there."""

    title: str
    text: str
    icon: str
    at: datetime | None = None
    until: datetime | None = None
    share: int | None = None
    policy_version: int | None = None
    words: str = ""  # of the desk, to the author


def why(effect: Mapping[str, Any], decisions: Sequence[Decision], rules: Mapping[str, Any]) -> list[Reason]:
    """The causes of an effect, each with what it alone does (domain 4 and 5)."""
    found = [reason for d in decisions if (reason := _reason(d, effect, rules)) is not None]
    level = effect.get("actor_level", StandingLevel.NONE)
    row = next((r for r in rules["strikes"]["levels"] if r["level"] == level), None)
    if row and row["multiplier"] < FULL:
        found.append(
            Reason(
                title=_("Its author is a repeat offender"),
                text=_("All posts of an author whose strikes have reached %(n)d in %(days)d days rank lower.")
                % {"n": row["at"], "days": rules["strikes"]["window_days"]},
                icon="repeat",
                share=row["multiplier"],
            )
        )
    return found


def surfaces(effect: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What is left on each surface: {"label", "share" (basis points)}."""
    left = effect["multipliers"]
    return [{"label": surface.label, "share": round(left[surface.value] * FULL)} for surface in Surface]


def composition(reasons: Sequence[Reason], left: float) -> str:
    """How several causes add up, in a sentence; "" for a single one."""
    shares = [r.share for r in reasons if r.share is not None and r.share < FULL]
    if len(shares) < 2:
        return ""
    return _("Together they leave %(left)s: the lowest rating counts, times the author's standing.") % {
        "left": percent_of_basis_points(round(left * FULL))
    }


def removal_of(decisions: Sequence[Decision], region: str) -> Decision | None:
    """The removal or hide that keeps the post from this region."""
    here = {region, region.split("-")[0]} - {""}
    down = [
        d
        for d in decisions
        if d.kind in (DecisionKind.REMOVAL, DecisionKind.HIDE) and (not d.regions or here & set(d.regions))
    ]
    return max(down, key=lambda d: (d.kind == DecisionKind.REMOVAL, d.in_force_from), default=None)


def ground_words(ground: str) -> str:
    return str(Ground(ground).label) if ground in Ground.values else ground


def _reason(decision: Decision, effect: Mapping[str, Any], rules: Mapping[str, Any]) -> Reason | None:
    if decision.kind == DecisionKind.STANDING_VERDICT:
        return _verdict(decision, effect, rules)
    if decision.kind == DecisionKind.PROVISIONAL and effect.get("provisional"):
        return Reason(
            title=_("Waits for a first look"),
            text=_(
                "A machine saw signs of trouble while the post spreads fast. This ends with the first review."
            ),
            icon="radar",
            at=decision.in_force_from,
            until=decision.in_force_until,
            share=rules["provisional"]["multiplier"][Surface.FEED],
            policy_version=decision.policy_version_id,
        )
    if decision.kind == DecisionKind.RESTRICTION:
        return Reason(
            title=_("Restricted by the policy desk"),
            text=_("It is covered until somebody asks to see it. Ground: %(ground)s.")
            % {"ground": ground_words(decision.ground)},
            icon="shield-half",
            at=decision.in_force_from,
            until=decision.in_force_until,
            policy_version=decision.policy_version_id,
            words=decision.presentation.get("explanation", ""),
        )
    return None


def _verdict(decision: Decision, effect: Mapping[str, Any], rules: Mapping[str, Any]) -> Reason:
    rule = rules["verdicts"][decision.outcome]
    publishers = list(dict.fromkeys(a["publisher"] for a in decision.presentation.get("articles", ())))
    by = get_text_list(publishers, _("and")) or _("independent fact-checkers")
    share = rule["multiplier"][Surface.FEED]
    if decision.contested:
        text = _(
            "Fact-checkers disagree. Until that is settled the softer effect holds and no strike counts."
        )
    elif share < FULL:
        text = _("A post with this rating is ranked at %(share)s of its weight.") % {
            "share": percent_of_basis_points(share)
        }
    else:
        text = _("This rating changes nothing about how the post is ranked.")
    if effect.get("made_on_earlier_version"):
        text += " " + _(
            "It was made on an earlier version; a reviewer checks the edit, and it holds until then."
        )
    return Reason(
        title=rated_by("disagree" if decision.contested else decision.outcome, by),
        text=text,
        icon="scale" if decision.contested else "gavel",
        at=decision.in_force_from,
        share=share,
        policy_version=decision.policy_version_id,
    )
