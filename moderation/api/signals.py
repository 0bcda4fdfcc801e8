"""/signals: machines' hints."""

import json
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api import examples
from moderation.errors import NotFound
from moderation.http import fields
from moderation.http.documents import SignalOut
from moderation.http.schema import answered, sent
from moderation.http.shapes import Input, read
from moderation.http.views import ApiView
from moderation.permissions import may_send_signals
from moderation.selectors import posts as find
from moderation.services import signals

LONGEST_DETAILS = 4_096  # bytes as JSON


class SignalIn(Input):
    post = fields.Ref()
    version = fields.Whole(required=False, min_value=1, help_text="The version it is about; else the newest.")
    source = fields.Text(max_length=80)  # type: ignore[assignment]
    kind = fields.Text(max_length=40)
    score = fields.Fraction()
    at = fields.Moment(past=True)
    details = fields.Details(default=dict)

    def validate_details(self, value: dict[str, Any]) -> dict[str, Any]:
        if len(json.dumps(value)) > LONGEST_DETAILS:
            raise serializers.ValidationError("At most 4 KiB of details.", code="too_large")
        return value


class ReceivedOut(SignalOut):
    post = serializers.UUIDField()


class SignalsView(ApiView):
    @extend_schema(
        summary="A machine's hint about a post",
        description="Puts the post in the queue. The same source, kind and time again changes nothing (200).",
        request=SignalIn,
        responses={200: ReceivedOut, 201: ReceivedOut},
        examples=[
            sent(examples.SIGNAL),
            answered(examples.SIGNAL_RECEIVED, status=201),
            answered(examples.SIGNAL_RECEIVED, "Known already"),
        ],
    )
    def post(self, request: Request) -> Response:
        may_send_signals(self.caller).require()
        data = read(SignalIn, request)
        version = find.version_seen(data.pop("post"), data.pop("version", None))
        if version is None:
            raise NotFound("There is no such post.")
        signal, added = signals.receive(version_id=version.pk, **data, **self.who)
        body = {**SignalOut(signal).data, "post": signal.post_id}
        return Response(body, status=201 if added else 200)
