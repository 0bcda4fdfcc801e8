"""/escalations: the policy desk. Nobody is named: a proposal is yours or another specialist's."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from moderation import enums
from moderation.api import examples
from moderation.enums import DeskAction, EscalationStatus, Ground
from moderation.errors import NotFound
from moderation.http import fields
from moderation.http.documents import (
    DecisionOut,
    FlagCountOut,
    FlagNoteOut,
    PostBrief,
    SignalOut,
    StrikeOut,
    VersionOut,
)
from moderation.http.fields import Moment
from moderation.http.pagination import Column, Ordering, PageQuery, moment, page_of, paginate
from moderation.http.schema import answered, sent
from moderation.http.shapes import Input, query, read
from moderation.http.views import ApiView
from moderation.models import Proposal
from moderation.permissions import may_escalate, may_see_desk
from moderation.selectors import casefile, desk
from moderation.selectors import posts as find
from moderation.selectors.casefile import CaseFile
from moderation.services import escalations

BY_DUE_TIME = Ordering("due", (Column("decided_last", int), Column("due_at", moment), Column("id")))


class EscalationIn(Input):
    post = fields.Ref()
    version = fields.Whole(
        required=False, min_value=1, help_text="The version that was seen; else the newest."
    )
    ground = fields.Choice(Ground.choices)
    note = fields.Text(max_length=fields.LONGEST_NOTE)
    regions = fields.Listed(fields.Region(), most=50, default=list, help_text="Where; none means everywhere.")


class ProposalOut(serializers.Serializer):
    id = serializers.UUIDField()
    action = serializers.ChoiceField(DeskAction.choices)
    ground = serializers.ChoiceField(Ground.choices)
    regions = serializers.ListField(child=serializers.CharField())
    explanation = serializers.CharField()
    policy_section = serializers.CharField()
    status = serializers.ChoiceField(enums.ProposalStatus.choices)
    proposed_at = Moment()
    judged_at = Moment(allow_null=True)
    reason = serializers.CharField(allow_blank=True, help_text="Why it was refused.")
    yours = serializers.BooleanField(help_text="You proposed it, so another specialist judges it.")


class CaseOut(serializers.Serializer):
    id = serializers.UUIDField()
    post = PostBrief()
    post_version = serializers.UUIDField(source="post_version_id")
    ground = serializers.ChoiceField(Ground.choices)
    regions = serializers.ListField(child=serializers.CharField())
    note = serializers.CharField(allow_blank=True)
    status = serializers.ChoiceField(EscalationStatus.choices)
    opened_for = serializers.UUIDField(allow_null=True, help_text="The organisation that escalated.")
    opened_at = Moment()
    due_at = Moment()
    decided_at = Moment(allow_null=True)
    version = serializers.IntegerField(help_text="Send it with a decision.")


class CaseFileOut(CaseOut):
    """Everything the desk sees. Of a child-safety case the content is withheld."""

    shown = serializers.UUIDField(help_text="The post version that members see: send it with a decision.")
    withheld = serializers.BooleanField()
    versions = VersionOut(many=True)
    flags = FlagCountOut(many=True)
    flag_notes = FlagNoteOut(many=True)
    signals = SignalOut(many=True)
    decisions = DecisionOut(many=True)
    proposals = ProposalOut(many=True)
    removed = serializers.BooleanField(help_text="Whether the post is removed everywhere now.")
    strikes = StrikeOut(many=True, help_text="The author's strikes that count now.")


class CasesQuery(PageQuery):
    status = serializers.ChoiceField(
        EscalationStatus.choices, required=False, help_text="Else open and proposed."
    )
    ground = serializers.ChoiceField(Ground.choices, default="")
    region = fields.Region(default="", help_text="Cases that name it, or name none.")


class EscalationsView(ApiView):
    @extend_schema(
        summary="Cases of the policy desk, soonest due first",
        parameters=[CasesQuery],
        responses=page_of(CaseOut, "CasePage"),
        examples=[answered(examples.page(examples.CASE))],
    )
    def get(self, request: Request) -> Response:
        may_see_desk(self.caller).require()
        asked = query(CasesQuery, request)
        rows = desk.cases(
            caller=self.caller,
            status=asked.get("status", ""),
            ground=asked["ground"],
            region=asked["region"],
        )
        return Response(paginate(rows, BY_DUE_TIME, asked).document(lambda case: CaseOut(case).data))

    @extend_schema(
        summary="Ask the desk to look",
        description="A case of its own: nothing but the desk closes it. Escalating twice makes one case (200).",
        request=EscalationIn,
        responses={200: CaseOut, 201: CaseOut},
        examples=[
            sent(examples.ESCALATION),
            answered(examples.CASE, status=201),
            answered(examples.CASE, "Open already"),
        ],
    )
    def post(self, request: Request) -> Response:
        may_escalate(self.caller).require()
        data = read(EscalationIn, request)
        version = find.version_seen(data.pop("post"), data.pop("version", None))
        if version is None:
            raise NotFound("There is no such post.")
        data["ground"] = Ground(data["ground"])
        case, added = escalations.open_case(version_id=version.pk, **data, **self.who)
        return Response(CaseOut(case).data, status=201 if added else 200)


class EscalationView(ApiView):
    @extend_schema(
        summary="One case with everything the desk sees",
        responses=CaseFileOut,
        examples=[answered(examples.CASE_FILE)],
    )
    def get(self, request: Request, case_id: Any) -> Response:
        may_see_desk(self.caller).require()
        file = read_file(case_id, self)
        escalations.look(file.case, **self.who)
        return Response(written(file, self))


def read_file(case_id: Any, view: ApiView) -> CaseFile:
    """Raises NotFound."""
    file = casefile.read(case_id, caller=view.caller, now=view.now)
    if file is None:
        raise NotFound("There is no such escalation.")
    return file


def written(file: CaseFile, view: ApiView) -> dict[str, Any]:
    content = not file.withheld
    return {
        **CaseOut(file.case).data,
        "shown": file.case.post.current_version_id,
        "withheld": file.withheld,
        "versions": VersionOut(file.versions if content else [], many=True).data,
        "flags": FlagCountOut(file.flags, many=True).data,
        "flag_notes": FlagNoteOut(file.flag_notes if content else [], many=True).data,
        "signals": SignalOut(file.signals, many=True).data,
        "decisions": DecisionOut(file.decisions, many=True).data,
        "proposals": [_proposal(p, view) for p in file.proposals],
        "removed": file.state.removed,
        "strikes": StrikeOut(file.history.strikes, many=True).data,
    }


def _proposal(proposal: Proposal, view: ApiView) -> dict[str, Any]:
    proposal.yours = proposal.proposed_by_id == view.caller.person_id  # type: ignore[attr-defined]
    return dict(ProposalOut(proposal).data)
