"""/policies: versions by their number; /policies/drafts: what may become the next one."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from moderation import policy
from moderation.api import examples
from moderation.enums import PolicyStatus
from moderation.errors import NotFound
from moderation.http import fields
from moderation.http.fields import Moment
from moderation.http.pagination import NEWEST_FIRST, PageQuery, page_of, paginate
from moderation.http.schema import answered, sent
from moderation.http.shapes import Input, query, read
from moderation.http.views import ApiView
from moderation.models import PolicyDraft
from moderation.permissions import may_administer, may_read_everything
from moderation.selectors import policies
from moderation.selectors.policies import Held
from moderation.services import policies as service

STATES = ("never", "scheduled", "in_force", "over")


class ChangedOut(serializers.Serializer):
    path = serializers.CharField(help_text="Such as `verdicts.false.multiplier.feed`.")
    before = serializers.JSONField(allow_null=True)
    after = serializers.JSONField(allow_null=True)


class PolicyOut(serializers.Serializer):
    number = serializers.IntegerField()
    state = serializers.ChoiceField(STATES, help_text="`never`: a newer version begins earlier.")
    begins = Moment(allow_null=True)
    ends = Moment(allow_null=True)
    reason = serializers.CharField(allow_blank=True)
    approved_at = Moment(allow_null=True, help_text="Null for version 1, which the product brings.")


class PolicyDataOut(PolicyOut):
    data = fields.Details(  # type: ignore[assignment]
        help_text="Numbers and rules, see docs/domain.md 4-6; multipliers in basis points."
    )
    changes = ChangedOut(many=True, help_text="What differs from the version before.")


class PoliciesOut(serializers.Serializer):
    results = PolicyOut(many=True)


class DraftBrief(serializers.Serializer):
    id = serializers.UUIDField()
    base = serializers.IntegerField(source="base_id", help_text="The version it was drafted on.")
    status = serializers.ChoiceField(PolicyStatus.choices)
    reason = serializers.CharField(allow_blank=True)
    valid_from = Moment(allow_null=True, help_text="Null: as soon as it is approved.")
    at = Moment()
    version = serializers.IntegerField(help_text="Send it with the next step.")
    became = serializers.IntegerField(source="became_id", allow_null=True, help_text="The version's number.")
    refusal = serializers.CharField(allow_blank=True)
    yours = serializers.BooleanField(help_text="You wrote it, so another administrator judges it.")


class DraftOut(DraftBrief):
    data = fields.Details()  # type: ignore[assignment]
    changes = ChangedOut(many=True)
    dry_run = fields.Details(
        allow_null=True, help_text="Figures of the last dry run; `ended_at` is null while it runs."
    )


class DraftIn(Input):
    base = fields.Whole(min_value=1, help_text="The latest version's number.")
    data = fields.Details(  # type: ignore[assignment]
        required=False, help_text="The whole policy; else what `base` says."
    )
    reason = fields.Text(max_length=fields.LONGEST_NOTE, allow_blank=True, default="")
    valid_from = fields.Moment(allow_null=True, default=None)


class DraftChangeIn(Input):
    version = fields.Whole(min_value=1)
    data = fields.Details()  # type: ignore[assignment]
    reason = fields.Text(max_length=fields.LONGEST_NOTE, allow_blank=True)
    valid_from = fields.Moment(allow_null=True)


class StepIn(Input):
    version = fields.Whole(min_value=1, help_text="The draft's version that was read.")


class RefuseIn(StepIn):
    reason = fields.Text(max_length=fields.LONGEST_NOTE)


class PoliciesView(ApiView):
    @extend_schema(
        summary="Policy versions, newest first",
        responses=PoliciesOut,
        examples=[answered({"results": [examples.POLICY]})],
    )
    def get(self, request: Request) -> Response:
        may_read_everything(self.caller).require()
        return Response({"results": [PolicyOut(_version(h, self)).data for h in policies.history()]})

    @extend_schema(
        summary="Draft the next version",
        request=DraftIn,
        responses={201: DraftOut},
        examples=[sent(examples.POLICY_DRAFT_IN), answered(examples.POLICY_DRAFT, status=201)],
    )
    def post(self, request: Request) -> Response:
        may_administer(self.caller).require()
        made = service.draft(**read(DraftIn, request), **self.who)
        return Response(_written(made, self), status=201)


class PolicyView(ApiView):
    @extend_schema(
        summary="One version with its numbers",
        responses=PolicyDataOut,
        examples=[answered(examples.POLICY_DATA)],
    )
    def get(self, request: Request, number: int) -> Response:
        may_read_everything(self.caller).require()
        held = {h.version.number: h for h in policies.history()}
        if number not in held:
            raise NotFound("There is no such policy version.")
        data = held[number].version.data
        before = held[number - 1].version.data if number > 1 else data
        return Response(
            {
                **PolicyOut(_version(held[number], self)).data,
                "data": data,
                "changes": ChangedOut(policy.difference(before, data), many=True).data,
            }
        )


class DraftsView(ApiView):
    @extend_schema(
        summary="Drafts, newest first",
        parameters=[PageQuery],
        responses=page_of(DraftBrief, "PolicyDraftPage"),
        examples=[answered(examples.page(examples.POLICY_DRAFT_BRIEF))],
    )
    def get(self, request: Request) -> Response:
        may_read_everything(self.caller).require()
        page = paginate(policies.drafts(), NEWEST_FIRST, query(PageQuery, request))
        return Response(page.document(lambda made: _brief(made, self)))


class DraftView(ApiView):
    @extend_schema(summary="One draft", responses=DraftOut, examples=[answered(examples.POLICY_DRAFT)])
    def get(self, request: Request, draft_id: Any) -> Response:
        may_read_everything(self.caller).require()
        made = policies.drafts().filter(pk=draft_id).first()
        if made is None:
            raise NotFound("There is no such draft.")
        return Response(_written(made, self))

    @extend_schema(
        summary="Write other numbers into a draft",
        request=DraftChangeIn,
        responses=DraftOut,
        examples=[sent(examples.POLICY_DRAFT_CHANGE), answered(examples.POLICY_DRAFT)],
    )
    def put(self, request: Request, draft_id: Any) -> Response:
        may_administer(self.caller).require()
        return Response(_written(service.change(draft_id, **read(DraftChangeIn, request), **self.who), self))


class DryRunView(ApiView):
    @extend_schema(
        summary="Find out what a draft would change",
        description="Answers at once; read the draft until its `dry_run.ended_at` is there.",
        request=StepIn,
        responses={202: DraftOut},
        examples=[sent(examples.POLICY_STEP), answered(examples.POLICY_DRAFT, status=202)],
    )
    def post(self, request: Request, draft_id: Any) -> Response:
        may_administer(self.caller).require()
        made = service.dry_run(draft_id, **read(StepIn, request), **self.who)
        return Response(_written(made, self), status=202)


class ProposeView(ApiView):
    @extend_schema(
        summary="Hand a draft to another administrator",
        request=StepIn,
        responses=DraftOut,
        examples=[sent(examples.POLICY_STEP), answered(examples.POLICY_DRAFT)],
    )
    def post(self, request: Request, draft_id: Any) -> Response:
        may_administer(self.caller).require()
        return Response(_written(service.propose(draft_id, **read(StepIn, request), **self.who), self))


class ApproveView(ApiView):
    @extend_schema(
        summary="The second administrator's word: the draft becomes a version",
        request=StepIn,
        responses={201: PolicyOut},
        examples=[sent(examples.POLICY_STEP), answered(examples.POLICY, status=201)],
    )
    def post(self, request: Request, draft_id: Any) -> Response:
        may_administer(self.caller).require()
        version = service.approve(draft_id, **read(StepIn, request), **self.who)
        held = next(h for h in policies.history() if h.version.number == version.number)
        return Response(PolicyOut(_version(held, self)).data, status=201)


class RefuseDraftView(ApiView):
    @extend_schema(
        summary="The second administrator says no",
        request=RefuseIn,
        responses=DraftOut,
        examples=[sent(examples.POLICY_REFUSAL), answered(examples.POLICY_DRAFT)],
    )
    def post(self, request: Request, draft_id: Any) -> Response:
        may_administer(self.caller).require()
        return Response(_written(service.refuse(draft_id, **read(RefuseIn, request), **self.who), self))


class WithdrawDraftView(ApiView):
    @extend_schema(
        summary="Give a draft up",
        request=StepIn,
        responses=DraftOut,
        examples=[sent(examples.POLICY_STEP), answered(examples.POLICY_DRAFT)],
    )
    def post(self, request: Request, draft_id: Any) -> Response:
        may_administer(self.caller).require()
        return Response(_written(service.withdraw(draft_id, **read(StepIn, request), **self.who), self))


def _version(held: Held, view: ApiView) -> dict[str, Any]:
    return {
        "number": held.version.number,
        "state": held.state(view.now),
        "begins": held.begins,
        "ends": held.ends,
        "reason": held.version.reason,
        "approved_at": held.version.at,
    }


def _brief(made: PolicyDraft, view: ApiView) -> dict[str, Any]:
    made.yours = made.author_id == view.caller.person_id  # type: ignore[attr-defined]
    return dict(DraftBrief(made).data)


def _written(made: PolicyDraft, view: ApiView) -> dict[str, Any]:
    return {
        **_brief(made, view),
        "data": made.data,
        "changes": ChangedOut(policy.difference(made.base.data, made.data), many=True).data,
        "dry_run": made.dry_run,
    }
