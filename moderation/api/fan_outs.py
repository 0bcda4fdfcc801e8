"""/fan-outs: decisions on their way to many posts; an administrator may let one wait."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api import examples
from moderation.http.fields import Moment
from moderation.http.pagination import NEWEST_FIRST, PageQuery, page_of, paginate
from moderation.http.schema import answered
from moderation.http.shapes import query
from moderation.http.views import ApiView
from moderation.models import FanOut
from moderation.permissions import may_read_everything
from moderation.services import fan_outs


class FanOutOut(serializers.Serializer):
    id = serializers.UUIDField()
    cluster = serializers.UUIDField(source="cluster_id", allow_null=True, help_text="Of a decision.")
    actor = serializers.UUIDField(source="actor_id", allow_null=True, help_text="Of a changed standing.")
    policy = serializers.IntegerField(source="policy_id", allow_null=True, help_text="Version that began.")
    switch = serializers.UUIDField(source="switch_id", allow_null=True, help_text="Turned on or returned.")
    total = serializers.IntegerField(help_text="Posts, as far as known.")
    done = serializers.IntegerField()
    started_at = Moment()
    finished_at = Moment(allow_null=True)
    superseded_by = serializers.UUIDField(
        source="superseded_by_id",
        allow_null=True,
        help_text="The newer one over the same posts that ended it.",
    )
    paused_at = Moment(allow_null=True)


class FanOutsView(ApiView):
    @extend_schema(
        summary="Fan-outs, newest first",
        parameters=[PageQuery],
        responses=page_of(FanOutOut, "FanOutPage"),
        examples=[answered(examples.page(examples.FAN_OUT))],
    )
    def get(self, request: Request) -> Response:
        may_read_everything(self.caller).require()
        page = paginate(FanOut.objects.order_by("-id"), NEWEST_FIRST, query(PageQuery, request))
        return Response(page.document(lambda found: FanOutOut(found).data))


class PauseView(ApiView):
    @extend_schema(
        summary="Let a running fan-out wait",
        description="No further batch begins. Posts it did not reach are late until it goes on or a newer "
        "decision passes over them; half a decision is never left for good, so there is no cancel.",
        request=None,
        responses=FanOutOut,
        examples=[answered({**examples.FAN_OUT, "paused_at": "2026-11-30T10:06:04Z"})],
    )
    def post(self, request: Request, fan_out_id: Any) -> Response:
        return Response(FanOutOut(fan_outs.pause(fan_out_id, **self.who)).data)


class ResumeView(ApiView):
    @extend_schema(
        summary="Let a paused fan-out go on",
        request=None,
        responses=FanOutOut,
        examples=[answered(examples.FAN_OUT)],
    )
    def post(self, request: Request, fan_out_id: Any) -> Response:
        return Response(FanOutOut(fan_outs.resume(fan_out_id, **self.who)).data)
