"""/escalations/{id}/…: what the policy desk decides. A removal takes two specialists."""

from typing import Any, TypedDict

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api import examples
from moderation.api.escalations import CaseFileOut, read_file, written
from moderation.enums import DeskAction, Ground
from moderation.errors import NotFound
from moderation.http import fields
from moderation.http.schema import answered, sent
from moderation.http.shapes import Input, read
from moderation.http.views import ApiView
from moderation.models import Proposal
from moderation.permissions import may_work_desk
from moderation.services import escalations
from moderation.services.escalations import CaseRef


class OnCase(Input):
    version = fields.Whole(min_value=1, help_text="The case's version that was read.")
    shown = fields.Id(
        required=False, help_text="The post version that was read: an edit since then is a 409."
    )
    explanation = fields.Text(help_text="In words the author can read.")


class DecisionIn(OnCase):
    """`remove` and a `lasting` restriction wait for a second specialist; a restriction by one key holds 7 days."""

    action = fields.Choice(DeskAction.choices)
    ground = fields.Choice(Ground.choices, required=False, help_text="Else the case's own.")
    policy_section = fields.Text(max_length=80, required=False, help_text="Needed unless the post is kept.")
    regions = fields.Listed(fields.Region(), most=50, default=list, help_text="Where; none means everywhere.")
    lasting = fields.Truth(default=False, help_text="A restriction without an end.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs["action"] != DeskAction.KEEP and "policy_section" not in attrs:
            raise ValidationError({"policy_section": ["Name the section of the policy."]}, code="required")
        return attrs


class JudgementIn(Input):
    proposal = fields.Id(help_text="The proposal that was read.")
    shown = fields.Id(
        required=False, help_text="The post version that was read: an edit since then is a 409."
    )


class RefusalIn(Input):
    proposal = fields.Id()
    reason = fields.Text(max_length=fields.LONGEST_NOTE)


class _Said(TypedDict):
    explanation: str
    policy_section: str
    regions: list[str]


class DeskView(ApiView):
    """A decision on a case, answered with the case as it is then."""

    def ref(self, case_id: Any, data: dict[str, Any]) -> CaseRef:
        return CaseRef(case_id, data["version"], data.get("shown"))

    def answer(self, case_id: Any) -> Response:
        return Response(written(read_file(case_id, self), self))

    def require_proposal_of(self, case_id: Any, proposal_id: Any) -> None:
        """Raises NotFound if the case has no such proposal."""
        if not Proposal.objects.filter(pk=proposal_id, escalation_id=case_id).exists():
            raise NotFound("There is no such proposal.")


class DecideView(DeskView):
    @extend_schema(
        summary="Decide, or propose what takes a second key",
        request=DecisionIn,
        responses=CaseFileOut,
        examples=[sent(examples.DECISION), answered(examples.CASE_FILE)],
    )
    def post(self, request: Request, case_id: Any) -> Response:
        may_work_desk(self.caller).require()
        data = read(DecisionIn, request)
        ref, action = self.ref(case_id, data), DeskAction(data["action"])
        if action == DeskAction.KEEP:
            escalations.keep(ref, explanation=data["explanation"], **self.who)
            return self.answer(case_id)
        said = _Said(
            explanation=data["explanation"],
            policy_section=data["policy_section"],
            regions=data["regions"],
        )
        if action == DeskAction.RESTRICT and not data["lasting"]:
            escalations.restrict(ref, **said, **self.who)
        else:
            ground = Ground(data.get("ground") or read_file(case_id, self).case.ground)
            escalations.propose(ref, action=action, ground=ground, **said, **self.who)
        return self.answer(case_id)


class ConfirmView(DeskView):
    @extend_schema(
        summary="The second key: a proposal takes effect",
        request=JudgementIn,
        responses=CaseFileOut,
        examples=[sent({"proposal": examples.PROPOSAL_ID}), answered(examples.CASE_FILE)],
    )
    def post(self, request: Request, case_id: Any) -> Response:
        may_work_desk(self.caller).require()
        data = read(JudgementIn, request)
        self.require_proposal_of(case_id, data["proposal"])
        escalations.confirm(data["proposal"], shown=data.get("shown"), **self.who)
        return self.answer(case_id)


class RefuseView(DeskView):
    @extend_schema(
        summary="The second key says no",
        request=RefusalIn,
        responses=CaseFileOut,
        examples=[
            sent({"proposal": examples.PROPOSAL_ID, "reason": "It quotes the call to condemn it."}),
            answered(examples.CASE_FILE),
        ],
    )
    def post(self, request: Request, case_id: Any) -> Response:
        may_work_desk(self.caller).require()
        data = read(RefusalIn, request)
        self.require_proposal_of(case_id, data["proposal"])
        escalations.refuse(data["proposal"], reason=data["reason"], **self.who)
        return self.answer(case_id)


class HideView(DeskView):
    @extend_schema(
        summary="Hide the post at once, for 24 hours at most",
        description="One key; once per post version and ground, ever.",
        request=OnCase,
        responses=CaseFileOut,
        examples=[sent(examples.ON_CASE), answered(examples.CASE_FILE)],
    )
    def post(self, request: Request, case_id: Any) -> Response:
        may_work_desk(self.caller).require()
        data = read(OnCase, request)
        escalations.hide(self.ref(case_id, data), explanation=data["explanation"], **self.who)
        return self.answer(case_id)


class RestoreView(DeskView):
    @extend_schema(
        summary="Take a removal or restriction back",
        request=OnCase,
        responses=CaseFileOut,
        examples=[sent(examples.ON_CASE), answered(examples.CASE_FILE)],
    )
    def post(self, request: Request, case_id: Any) -> Response:
        may_work_desk(self.caller).require()
        data = read(OnCase, request)
        escalations.restore(self.ref(case_id, data), explanation=data["explanation"], **self.who)
        return self.answer(case_id)
