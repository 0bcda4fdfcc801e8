"""What happened to a post and what is in force on it, told in words for reviewers."""

from collections.abc import Mapping
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from factcheck.selectors.dossier import ItemFile
from moderation.enums import DecisionKind, StandingLevel
from moderation.presentation import percent_of_basis_points, rated_by, verdict_look

_LOOKS = {
    DecisionKind.REMOVAL: ("trash", "bad"),
    DecisionKind.HIDE: ("eye-off", "warn"),
    DecisionKind.RESTRICTION: ("shield-half", "info"),
    DecisionKind.KEPT: ("circle-check", "good"),
    DecisionKind.PROVISIONAL: ("radar", "warn"),
    DecisionKind.NOT_ELIGIBLE: ("circle-minus", "neutral"),
}


def effect_in_words(effect: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """What is in force on the post now, as chips; empty when nothing is."""
    if not effect:
        return []
    if effect["removed"]:
        until = parse_datetime(effect["hidden_until"]) if effect.get("hidden_until") else None
        words = _("Hidden for up to 24 hours") if until else _("Removed everywhere")
        return [{"label": words, "icon": "trash", "tone": "bad"}]
    chips: list[dict[str, Any]] = []
    left = round(effect["multipliers"]["feed"] * 10_000)
    if left < 10_000:
        share = percent_of_basis_points(left)
        chips.append(
            {"label": _("Feed: %(share)s left") % {"share": share}, "icon": "trending-down", "tone": "warn"}
        )
    if effect["contested"]:
        chips.append({"label": verdict_look("disagree").word, "icon": "scale", "tone": "warn"})
    elif effect["label"]:
        chips.append(
            {
                "label": _("Carries a label: %(level)s") % {"level": effect["label"]},
                "icon": "tag",
                "tone": "info",
            }
        )
    if effect["interstitial"]:
        chips.append({"label": _("Behind a warning"), "icon": "eye-off", "tone": "info"})
    if effect["provisional"]:
        chips.append({"label": _("Demoted until a first look"), "icon": "radar", "tone": "warn"})
    if effect["made_on_earlier_version"]:
        chips.append({"label": _("Rated on an earlier version"), "icon": "versions", "tone": "warn"})
    if effect.get("lifted"):
        chips.append(
            {"label": _("Lifted by a programme switch"), "icon": "switch-horizontal", "tone": "info"}
        )
    elif any("lifted" in here.get("instead", {}) for here in effect["regions"].values()):
        chips.append({"label": _("Lifted in some countries"), "icon": "switch-horizontal", "tone": "info"})
    if effect["actor_level"] in (StandingLevel.REPEAT_OFFENDER, StandingLevel.SEVERE):
        chips.append({"label": StandingLevel(effect["actor_level"]).label, "icon": "repeat", "tone": "bad"})
    if effect.get("regional"):
        codes = ", ".join(effect["regions"])
        chips.append({"label": _("Regional: %(codes)s") % {"codes": codes}, "icon": "map-pin", "tone": "bad"})
    return chips


def of_item(file: ItemFile) -> list[dict[str, Any]]:
    """Everything with a time, newest first, for the timeline."""
    platform = file.platform
    events: list[dict[str, Any]] = [
        {
            "at": version.seen_at,
            "icon": "edit" if version.number > 1 else "send",
            "title": _("Edited: version %(n)d") % {"n": version.number}
            if version.number > 1
            else _("Published"),
            "by": platform.post.actor.name,
        }
        for version in platform.versions
    ]
    if file.reasons:
        events.append({"at": min(c.first for c in file.reasons), "icon": "flag", "title": _("First flag")})
    events += [_decided(d) for d in platform.decisions]
    events += [
        {
            "at": case.opened_at,
            "icon": "message-report",
            "tone": "warn",
            "title": _("Escalated: %(ground)s") % {"ground": case.get_ground_display()},
            "by": file.partners.get(case.opened_for) if case.opened_for else _("Policy desk"),
        }
        for case in platform.cases
    ]
    if platform.post.deleted_at:
        events.append({"at": platform.post.deleted_at, "icon": "trash", "title": _("Deleted by the author")})
    return sorted(events, key=lambda event: event["at"], reverse=True)


def _decided(decision: Any) -> dict[str, Any]:
    """A decision in words. People outside the own organisation are never named, only who published."""
    publishers = list(dict.fromkeys(a["publisher"] for a in decision.presentation.get("articles", ())))
    by = ", ".join(publishers)
    if decision.kind == DecisionKind.STANDING_VERDICT:
        if decision.ends:
            return {"at": decision.at, "icon": "arrow-back-up", "title": _("No verdict stands any more")}
        code = "disagree" if decision.contested else decision.outcome
        look = verdict_look(code)
        return {
            "at": decision.at,
            "icon": look.icon,
            "tone": "warn" if decision.contested else "info",
            "title": rated_by(code, by) if by else str(look.word),
        }
    icon, tone = _LOOKS.get(DecisionKind(decision.kind), ("gavel", "neutral"))
    words = DecisionKind(decision.kind).label
    return {
        "at": decision.at,
        "icon": icon,
        "tone": tone,
        "title": _("Ended: %(what)s") % {"what": words} if decision.ends else words,
        "text": decision.presentation.get("reason", "") if decision.kind == DecisionKind.NOT_ELIGIBLE else "",
    }
