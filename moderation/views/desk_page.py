"""What the desk's templates take: the list on the left, the case in the middle, the decision on the right."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from moderation import iso, workflow
from moderation.caller import Caller
from moderation.enums import EscalationStatus, FlagReason, Ground, ProposalStatus, Role
from moderation.errors import Conflict
from moderation.forms_desk import Act, DecisionForm, JudgeForm, SeenForm
from moderation.models import Proposal
from moderation.permissions import HIDDEN_BEFORE, RESTRICTED_BEFORE, may_judge_proposal, may_work_desk
from moderation.selectors import desk, policies
from moderation.selectors.casefile import CaseFile
from moderation.views import cards, desk_history, desk_words
from moderation.views.doors import Visit

PAGE = 25
LISTS = {
    "open": ("desk", gettext_lazy("Open")),
    "keys": ("desk_keys", gettext_lazy("Second key")),
    "decided": ("desk_decided", gettext_lazy("Decided")),
}
KEPT_PARAMETERS = ("list", "ground", "region", "page")

_VERBS = {
    Act.HIDE: "hide",
    Act.REMOVE: "propose",
    Act.RESTRICT: "restrict",
    Act.RESTRICT_LONGER: "propose",
    Act.KEEP: "keep",
    Act.RESTORE: "restore",
}
_HELP = {
    Act.HIDE: gettext_lazy("One key. At most 24 hours, once per version and ground."),
    Act.REMOVE: gettext_lazy("Two keys. Gone until the desk restores it."),
    Act.RESTRICT: gettext_lazy("One key. Behind a warning, then it ends by itself."),
    Act.RESTRICT_LONGER: gettext_lazy("Two keys. Behind a warning until the desk ends it."),
    Act.KEEP: gettext_lazy("One key. The post stands as it is; the case is closed."),
    Act.RESTORE: gettext_lazy("One key. What this case decided ends; the case is closed."),
}


@dataclass(frozen=True)
class Option:
    """An act that the case's state allows; `closed` says why it cannot be chosen all the same."""

    act: Act
    help: str | Promise
    closed: str | Promise = ""


def options(file: CaseFile, caller: Caller) -> list[Option]:
    """The acts to offer now, in the order of the form; none to whoever may only read."""
    if not may_work_desk(caller):
        return []
    closed = {
        Act.HIDE: HIDDEN_BEFORE if file.hidden_once else "",
        Act.RESTRICT: RESTRICTED_BEFORE if file.restricted_once else "",
    }
    return [
        Option(act, _HELP[act], closed.get(act, ""))
        for act in Act
        if workflow.ESCALATION.may(file.case.status, _VERBS[act])
    ]


# ── the list ───────────────────────────────────────────────────────────────────────────────────────


def lists(request: Visit, chosen: str, *, selected: uuid.UUID | None = None, now: datetime) -> dict[str, Any]:
    """The list `chosen` with its filters and its neighbours' counts."""
    caller, rules = request.caller, policies.at(now).data["desk"]
    ground, region = request.GET.get("ground", ""), request.GET.get("region", "")
    source = {"open": desk.cases, "keys": desk.wait_for_key, "decided": desk.decided}[chosen]
    page = Paginator(source(caller=caller, ground=ground, region=region), PAGE).get_page(
        request.GET.get("page")
    )
    counts = desk.counts(caller, now=now)
    numbers = {"open": counts.open, "keys": counts.keys, "decided": counts.decided}
    may_turn = caller.acts_as(Role.POLICY_SPECIALIST)
    kept = {name: value for name in KEPT_PARAMETERS if (value := request.GET.get(name, ""))} | {
        "list": chosen
    }
    query = "?" + urlencode(kept)
    return {
        "list_name": chosen,
        "list_title": LISTS[chosen][1],
        "list_url": reverse(LISTS[chosen][0]),
        "filtered": bool(ground or region),
        "rows": [
            desk_words.row(
                found,
                mine=may_turn
                and found.proposal is not None
                and found.proposal.proposed_by_id != caller.person_id,
                query=query,
                rules=rules,
                now=now,
            )
            for found in desk.dress(list(page.object_list), now=now)
        ],
        "counts": counts,
        "selected": selected,
        "hints": [
            {"keys": "j k", "label": _("move")},
            {"keys": "Enter", "label": _("open")},
            *([{"keys": "b v", "label": _("media")}] if selected else []),
        ],
        "query": query,
        "views": [
            {"label": label, "url": reverse(name), "active": key == chosen, "count": numbers[key]}
            for key, (name, label) in LISTS.items()
        ],
        "selects": [_ground_select(ground), _region_select(region)],
        "pager": {
            "previous": _page_url(kept, page.previous_page_number()) if page.has_previous() else "",
            "next": _page_url(kept, page.next_page_number()) if page.has_next() else "",
            "summary": _("%(from)d–%(to)d of %(all)d")
            % {"from": page.start_index(), "to": page.end_index(), "all": page.paginator.count},
        }
        if page.has_other_pages()
        else None,
    }


def overview(*, now: datetime) -> dict[str, Any]:
    """What the desk looks at before it opens a case: the hides that run, and when the next one ends."""
    ends = desk.hidden_now(now=now)
    return {"hidden": len(ends), "next_end": desk_words.at(ends[0]) if ends else ""}


def list_of(file: CaseFile, request: Visit) -> str:
    """The list that stays on the left of a case: the one it was opened from, else the one it is in."""
    asked = request.GET.get("list", "")
    if asked in LISTS:
        return asked
    return "open" if file.case.decided_at is None else "decided"


def _page_url(kept: dict[str, str], number: int) -> str:
    return reverse(LISTS[kept["list"]][0]) + "?" + urlencode({**kept, "page": number})


def _ground_select(chosen: str) -> dict[str, Any]:
    return _select("ground", _("Ground"), _("All grounds"), list(Ground.choices), chosen)


def _region_select(chosen: str) -> dict[str, Any]:
    named = [(code, f"{iso.region_name(code) or code} ({code})") for code in desk.regions_named()]
    return _select("region", _("Region"), _("All regions"), named, chosen)


def _select(
    name: str, label: str, everything: str, choices: Sequence[tuple[str, Any]], chosen: str
) -> dict[str, Any]:
    return {
        "name": name,
        "label": label,
        "options": [
            {"value": value, "label": words, "selected": value == chosen}
            for value, words in [("", everything), *choices]
        ],
    }


# ── the case ───────────────────────────────────────────────────────────────────────────────────────


def case(file: CaseFile, *, now: datetime) -> dict[str, Any]:
    """The middle: context first, then why it came here, then what happened."""
    rules = policies.at(now).data
    current, judged = file.shown, file.case.post_version
    return {
        "file": file,
        "case": file.case,
        "state": dict(
            zip(("tone", "icon"), desk_words.STATES[EscalationStatus(file.case.status)], strict=True)
        ),
        "asked_by": desk_words.asked_by(file.row),
        "where": desk_words.places(file.case.regions),
        "post": _post(file),
        "edited_since": current.pk != judged.pk,
        "judged": judged,
        "current": current,
        "earlier": [
            {"number": new.number, "at": new.seen_at, "old": old.content.text, "new": new.content.text}
            for old, new in zip(file.versions, file.versions[1:], strict=False)
        ],
        "reasons": [
            {"code": group["reason"], "label": FlagReason(group["reason"]).label, "count": group["count"]}
            for group in file.flags
        ],
        "notes": [
            {
                "text": note.text,
                "at": note.at,
                "by": file.organisations.get(note.organisation, "") if note.organisation else "",
            }
            for note in file.notes
        ],
        "said": len(file.flag_notes) + len(file.notes) + len(file.signals),
        "effect": desk_words.effect(file),
        "hide": desk_words.hide(file.row, rules["desk"], now=now),
        "history": file.history,
        "next_level": file.history.next_level,
        "window_days": rules["strikes"]["window_days"],
        "events": desk_history.events(file, now=now),
        "other_cases": [_other(other) for other in file.other_cases],
        "similar": [_other(other) for other in file.similar_removals],
    }


def _other(case: Any) -> dict[str, Any]:
    tone, icon = desk_words.STATES[EscalationStatus(case.status)]
    withheld = case.ground == Ground.CHILD_SAFETY
    return {
        "url": reverse("desk_case", args=[case.pk]),
        "ground": case.get_ground_display(),
        "status": case.get_status_display(),
        "tone": tone,
        "icon": icon,
        "text": "" if withheld else case.post_version.content.text,
        "lang": case.post.language,
        "at": case.decided_at or case.opened_at,
        "regions": case.regions,
    }


def _post(file: CaseFile) -> dict[str, Any]:
    """The post as members see it now, whole; nothing of it where it is withheld."""
    post = file.case.post
    shown = {
        "actor": {
            "name": post.actor.name,
            "kind": post.actor.kind,
            "initials": cards.initials(post.actor.name),
        },
        "published_at": post.published_at,
        "lang": post.language,
        "edited": file.shown.number > 1,
        "media_id": "case-media",
    }
    return shown if file.withheld else shown | cards.content(file.shown.content)


# ── the decision ───────────────────────────────────────────────────────────────────────────────────


def decision(
    file: CaseFile, caller: Caller, *, form: DecisionForm | None = None, judge: JudgeForm | None = None
) -> dict[str, Any]:
    """The right side: the two keys, and the acts that are open. `form` and `judge` hold what was typed."""
    offered = options(file, caller)
    waiting = next((p for p in file.proposals if p.status == ProposalStatus.WAITING), None)
    if form is None:
        form = DecisionForm(initial=_initial(file), acts=[o.act for o in offered])
    else:
        form = _as_it_is_now(form, file)
    return {
        "options": offered,
        "may_act": any(not option.closed for option in offered),
        "form": form,
        "chosen": form["act"].value() or "",
        "proposal": waiting,
        "keys": _keys(waiting) if waiting else None,
        "judge": _as_it_is_now(judge, file) if judge is not None else JudgeForm(initial=_seen(file)),
        "may_judge": may_judge_proposal(caller, waiting) if waiting else None,
        "may_work": may_work_desk(caller),
    }


def _initial(file: CaseFile) -> dict[str, Any]:
    codes = ", ".join(file.case.regions)
    return {**_seen(file), "ground": file.case.ground, "where": "regions" if codes else "", "regions": codes}


def _seen(file: CaseFile) -> dict[str, Any]:
    return {"version": file.case.version, "shown": file.case.post.current_version_id}


def _as_it_is_now(form: Any, file: CaseFile) -> Any:
    """The same words, to be sent again knowing the case as it is now."""
    form.data = form.data.copy()
    for name, value in _seen(file).items():
        form.data[name] = str(value)
    return form


def _keys(proposal: Proposal) -> dict[str, Any]:
    removal = proposal.action == "remove"
    where = desk_words.in_places(proposal.regions)
    return {
        "action": (_("Remove %(where)s") if removal else _("Restrict %(where)s until the desk ends it"))
        % {"where": where},
        "removal": removal,
        "first": {
            "name": desk_words.bdi(proposal.proposed_by),
            "organisation": proposal.get_ground_display() + " · " + proposal.policy_section,
            "at": proposal.proposed_at,
            "words": desk_words.quoted(proposal.explanation),
        },
    }


def what_changed(file: CaseFile, refusal: Conflict, form: SeenForm, *, now: datetime) -> dict[str, Any]:
    """What a specialist is told whose page was overtaken, and what they had typed."""
    shown = next((v for v in file.versions if v.pk == form.cleaned_data.get("shown")), file.shown)
    return {
        "message": refusal.message,
        "status": file.case.get_status_display(),
        "event": desk_history.events(file, now=now)[0],
        "old": shown.content.text,
        "new": file.shown.content.text,
        "edited": shown.pk != file.shown.pk and not file.withheld,
        "typed": form.data.get("explanation") or form.data.get("reason") or "",
    }
