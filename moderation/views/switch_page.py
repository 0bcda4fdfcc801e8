"""What the page of programme switches shows: each switch in words, with its dry run and the steps that are open."""

import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from moderation import switch_words, workflow
from moderation.enums import SwitchStatus
from moderation.forms import NOTE_LIMIT
from moderation.forms_switches import SwitchForm
from moderation.models import FanOut, Switch
from moderation.permissions import may_administer, may_judge_switch, may_withdraw_switch
from moderation.selectors import organisations, switches
from moderation.services import dry_runs
from moderation.views import dry_run_words
from moderation.views.doors import Visit
from moderation.views.pages import cursor_page

PER_PAGE = 20
_STATUS = {
    SwitchStatus.PROPOSED: ("warn", "key"),
    SwitchStatus.ON: ("accent", "switch-horizontal"),
    SwitchStatus.OFF: ("neutral", "arrow-back-up"),
    SwitchStatus.REFUSED: ("bad", "x"),
    SwitchStatus.WITHDRAWN: ("neutral", "archive"),
}


def context(request: Visit, form: SwitchForm | None, *, now: datetime) -> dict[str, Any]:
    """The whole page."""
    listed = switches.listed()
    on = list(listed.filter(status=SwitchStatus.ON))
    waiting = list(listed.filter(status=SwitchStatus.PROPOSED))
    page = cursor_page(request, listed.exclude(status__in=(SwitchStatus.ON, SwitchStatus.PROPOSED)), PER_PAGE)
    names = organisations.names({s.organisation for s in (*on, *waiting, *page.rows) if s.organisation})
    running = {
        f.switch_id: f
        for f in FanOut.objects.filter(switch__in=on, finished_at__isnull=True).order_by("started_at")
    }
    return {
        "explained": [
            {"one": one, "label": one.kind.label, "on": sum(s.kind == one.kind for s in on)}
            for one in switch_words.EXPLAINED
        ],
        "on": [row(s, names, request) | {"progress": running.get(s.pk)} for s in on],
        "waiting": [row(s, names, request) for s in waiting],
        "ended": [row(s, names, request) for s in page.rows],
        "next_url": page.next_url,
        "form": form,
        "refusal_field": {"label": _("Why"), "name": "reason", "required": True, "maxlength": NOTE_LIMIT},
    }


def row(made: Switch, names: Mapping[uuid.UUID, str], request: Visit) -> dict[str, Any]:
    """One switch: its sentence, its keys, its dry run, and what this person may do with it."""
    partner = names.get(made.organisation, str(made.organisation)) if made.organisation else ""
    tone, icon = _STATUS[SwitchStatus(made.status)]
    judge = may_judge_switch(request.caller, made)
    administers = bool(may_administer(request.caller))
    proposed = made.status == SwitchStatus.PROPOSED
    tried = dry_runs.ended(made)
    figures = made.dry_run or {}
    return {
        "switch": made,
        "title": switch_words.title(made.kind, country=made.country, partner=partner, outcome=made.outcome),
        "icon": switch_words.ICONS[made.kind],  # type: ignore[index]
        "status": SwitchStatus(made.status).label,
        "status_tone": tone,
        "status_icon": icon,
        "yours": made.proposed_by_id == request.caller.person_id,
        "may_judge": bool(judge) and proposed,
        "may_confirm": bool(judge) and proposed and tried,
        "judge_refusal": judge.reason if proposed and not judge else "",
        "may_withdraw": bool(may_withdraw_switch(request.caller, made)) and proposed,
        "may_try": administers and proposed and tried,
        "may_return": administers and workflow.SWITCH.may(made.status, "return"),
        "confirming": switch_words.confirming(made.kind, figures) if proposed and tried else [],
        "returning": switch_words.returning(made.kind),
        **{f"{verb}_id": f"{verb}-{made.pk}" for verb in ("confirm", "refuse", "return")},
        "hidden": [{"name": "version", "value": made.version}],
        "stops": switch_words.stopped(figures["stops"]) if "stops" in figures else [],
        **dry_run_words.figures(made.dry_run if proposed else None),
    }
