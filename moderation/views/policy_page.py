"""What the pages about policies show: versions in time, rules as a table, a draft with its dry run and its steps."""

import hashlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.http import HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from moderation import policy, policy_words, workflow
from moderation.caller import Caller
from moderation.enums import PolicyStatus, Surface
from moderation.forms import NOTE_LIMIT
from moderation.forms_policy import PolicyForm
from moderation.models import PolicyDraft
from moderation.permissions import may_change_policy_draft, may_judge_policy_draft
from moderation.selectors.policies import Held
from moderation.services import dry_runs
from moderation.views import dry_run_words
from moderation.views.doors import Visit

NO_CONTENT = 204

_STATES = {
    "in_force": (gettext_lazy("In force"), "good", "circle-check"),
    "scheduled": (gettext_lazy("Begins later"), "info", "clock"),
    "over": (gettext_lazy("Over"), "neutral", "archive"),
    "never": (gettext_lazy("Never begins: a newer version begins earlier"), "neutral", "ban"),
}
_STATUS = {
    PolicyStatus.DRAFT: ("neutral", "edit"),
    PolicyStatus.PROPOSED: ("warn", "key"),
    PolicyStatus.APPROVED: ("good", "circle-check"),
    PolicyStatus.REFUSED: ("bad", "x"),
    PolicyStatus.WITHDRAWN: ("neutral", "archive"),
}
_EFFECTS = (
    "label",
    "interstitial",
    "warn_before_share",
    "strike",
    "article",
    "ads",
    "recommendations",
    "monetisation",
)


def versions(history: Iterable[Held], *, now: datetime) -> list[dict[str, Any]]:
    """Each version with its state and what it changed, newest first."""
    held = list(history)
    rows = []
    for place, row in enumerate(held):
        before = held[place + 1].version.data if place + 1 < len(held) else row.version.data
        word, tone, icon = _STATES[row.state(now)]
        rows.append(
            {
                "version": row.version,
                "begins": row.begins,
                "ends": row.ends,
                "word": word,
                "tone": tone,
                "icon": icon,
                "changes": changes(before, row.version.data),
            }
        )
    return rows


def changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[dict[str, str]]:
    """Each difference in words. Where a country has no rule of its own, the world's is its rule."""
    rows = []
    worlds = policy.leaves(before), policy.leaves(after)
    for c in policy.difference(before, after):
        was, becomes = c.before, c.after
        if c.path.startswith("countries."):
            of_world = ".".join(["verdicts", *c.path.split(".")[2:]])
            was = worlds[0].get(of_world) if was is None else was
            becomes = worlds[1].get(of_world) if becomes is None else becomes
        if was != becomes:
            rows.append(
                {
                    "name": policy_words.name(c.path),
                    "before": policy_words.value(c.path, was),
                    "after": policy_words.value(c.path, becomes),
                }
            )
    return rows


def matrix(data: Mapping[str, Any]) -> dict[str, Any]:
    """The rules as a table: a row per verdict, and per country that has its own."""
    rules = [("", code, data["verdicts"][code]) for code in policy_words.verdicts(data["verdicts"])]
    rules += [
        (policy_words.name(f"countries.{country}"), code, own[code])
        for country, own in sorted(data["countries"].items())
        for code in policy_words.verdicts(own)
    ]
    return {
        "columns": [s.label for s in Surface] + [policy_words.name(name) for name in _EFFECTS],
        "rows": [
            {
                "verdict": code,
                "country": country,
                "cells": [
                    *(
                        policy_words.value(f"verdicts.{code}.multiplier.{s}", rule["multiplier"][s])
                        for s in Surface
                    ),
                    *(policy_words.value(name, rule[name]) if name in rule else "–" for name in _EFFECTS),
                ],
            }
            for country, code, rule in rules
        ],
    }


def rest(data: Mapping[str, Any]) -> list[dict[str, str]]:
    """Everything beside the verdicts, in words."""
    found = policy.leaves({k: v for k, v in data.items() if k not in ("verdicts", "countries")})
    return [
        {"name": policy_words.name(path), "value": policy_words.value(path, value)}
        for path, value in found.items()
        if value is not None
    ]


def changes_now(made: PolicyDraft) -> bool:
    return workflow.POLICY.may(made.status, "change")


def draft_row(made: PolicyDraft, caller: Caller) -> dict[str, Any]:
    """A draft in a list."""
    tone, icon = _STATUS[PolicyStatus(made.status)]
    n = len(policy.difference(made.base.data, made.data))
    return {
        "draft": made,
        "url": reverse("policies-draft", args=[made.pk]),
        "status": PolicyStatus(made.status).label,
        "tone": tone,
        "icon": icon,
        "yours": made.author_id == caller.person_id,
        "changed": ngettext("%(n)d change", "%(n)d changes", n) % {"n": n},
        "waits_for_you": made.status == PolicyStatus.PROPOSED and bool(may_judge_policy_draft(caller, made)),
    }


def draft(request: Visit, made: PolicyDraft, form: PolicyForm | None) -> dict[str, Any]:
    """The page of one draft."""
    judge = may_judge_policy_draft(request.caller, made)
    author = may_change_policy_draft(request.caller, made)
    return {
        **draft_row(made, request.caller),
        "form": form,
        "groups": [(_GROUPS[key], key, sections) for key, sections in form.sections()] if form else [],
        "changes": changes(made.base.data, made.data),
        "may_withdraw": bool(author) and workflow.POLICY.may(made.status, "withdraw"),
        "may_judge": bool(judge) and workflow.POLICY.may(made.status, "approve"),
        "judge_refusal": "" if judge else judge.reason,
        "hidden": [{"name": "version", "value": made.version}],
        "refusal_field": {"label": _("Why"), "name": "reason", "required": True, "maxlength": NOTE_LIMIT},
        "proposed": made.status == PolicyStatus.PROPOSED,
        "approval": [
            _("It begins %(when)s.") % {"when": made.valid_from}
            if made.valid_from
            else _("It begins at once."),
            _("Every post that it touches is computed again; the system page shows how far that is."),
            _("A return is one more version, as easily made."),
        ],
        **_dry_run(request, made),
    }


def dry_run_part(request: Visit, made: PolicyDraft) -> HttpResponse:
    """The dry run alone, for polling: 204 while nothing changed."""
    html = render_to_string("moderation/policy_draft.html#dry_run", _dry_run(request, made), request=request)
    version = hashlib.sha256(html.encode()).hexdigest()[:16]
    if request.GET.get("version") == version:
        return HttpResponse(status=NO_CONTENT)
    return HttpResponse(html, headers={"X-Version": version})


_GROUPS = {
    "verdicts": gettext_lazy("What each verdict does"),
    "countries": gettext_lazy("Other rules in one country"),
    "rest": gettext_lazy("Everything else"),
}


def _not_yet(made: PolicyDraft) -> str:
    """Why a draft cannot be proposed yet; empty when it can."""
    if not policy.difference(made.base.data, made.data):
        return _("Nothing differs from version %(number)d yet.") % {"number": made.base_id}
    if not made.reason.strip():
        return _("Say why, and save.")
    return "" if dry_runs.ended(made) else _("Wait for a dry run that ended.")


def _dry_run(request: Visit, made: PolicyDraft) -> dict[str, Any]:
    may_run = bool(may_change_policy_draft(request.caller, made)) and workflow.POLICY.may(
        made.status, "dry run"
    )
    shared = {
        "draft": made,
        "may_run": may_run,
        "may_propose": may_run and workflow.POLICY.may(made.status, "propose"),
        "propose_refusal": _not_yet(made),
    }
    return {**shared, **dry_run_words.figures(made.dry_run)}
