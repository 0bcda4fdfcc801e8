"""Cases of the policy desk, and what its forms send."""

import re
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from moderation.caller import Caller
from moderation.enums import DeskAction, Ground
from moderation.models import Escalation, Post, Proposal
from moderation.services import escalations
from moderation.services.escalations import CaseRef
from tests.factories.platform import Clock


def opened(
    post: Post,
    *,
    by: Caller,
    clock: Clock,
    ground: Ground = Ground.INCITES_VIOLENCE,
    note: str = "Names a place and an hour.",
    regions: tuple[str, ...] = (),
) -> Escalation:
    assert post.current_version_id is not None
    case, _ = escalations.open_case(
        version_id=post.current_version_id, ground=ground, note=note, regions=regions, caller=by, now=clock()
    )
    return case


def proposed(case: Escalation, *, by: Caller, clock: Clock) -> Proposal:
    return escalations.propose(
        CaseRef(case.pk, Escalation.objects.get(pk=case.pk).version),
        action=DeskAction.REMOVE,
        ground=Ground.INCITES_VIOLENCE,
        explanation="Calls for an attack.",
        policy_section="Violence 1",
        caller=by,
        now=clock(),
    )


def page_of(case: Escalation) -> str:
    return reverse("desk_case", args=[case.pk])


def decide(
    client: Client,
    case: Escalation,
    act: str,
    *,
    step: str = "confirmed",
    headers: dict[str, str] | None = None,
    **changes: Any,
) -> HttpResponse:
    """What the form sends, as the page of the case has it now; confirmed unless `step` says otherwise."""
    now = Escalation.objects.select_related("post").get(pk=case.pk)
    body = {
        "version": now.version,
        "shown": str(now.post.current_version_id),
        "act": act,
        "ground": now.ground,
        "where": "everywhere",
        "regions": "",
        "policy_section": "Violence 1",
        "explanation": "Your post calls for an attack.",
        "step": step,
        **changes,
    }
    return client.post(reverse("desk_decide", args=[case.pk]), body, headers=headers)


def judge(
    client: Client, proposal: Proposal, verdict: str, *, step: str = "confirmed", **changes: Any
) -> HttpResponse:
    """What the second key's form sends."""
    case = Escalation.objects.select_related("post").get(pk=proposal.escalation_id)
    body = {
        "version": case.version,
        "shown": str(case.post.current_version_id),
        "verdict": verdict,
        "step": step,
        "reason": "It reports the call.",
        **changes,
    }
    return client.post(reverse("desk_judge", args=[case.pk, proposal.pk]), body)


def words(response: HttpResponse) -> str:
    """The page's text, as somebody reads it."""
    body = re.sub(r"<(script|style|template)\b.*?</\1>", " ", response.content.decode(), flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())
