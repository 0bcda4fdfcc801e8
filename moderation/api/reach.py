"""/posts/{id}/reach and /reach/bulk: figures at a time, from which the speed of a post follows."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api import examples
from moderation.api.posts import FiguresIn
from moderation.errors import NotFound
from moderation.http import fields
from moderation.http.problems import refusal
from moderation.http.schema import RefusalOut, answered, sent
from moderation.http.shapes import Input, check, read
from moderation.http.views import ApiView
from moderation.permissions import may_write_posts
from moderation.selectors import posts as find
from moderation.services import posts
from moderation.services.posts import Reach

NOTHING = "There is no such post."


class SampleIn(FiguresIn):
    post = fields.Ref()


class SamplesIn(Input):
    samples = fields.Unchecked(SampleIn(), most=fields.MOST_AT_ONCE)


class RecordedOut(serializers.Serializer):
    recorded = serializers.IntegerField(help_text="How many samples were new.")


class RefusedSampleOut(serializers.Serializer):
    index = serializers.IntegerField()
    error = RefusalOut()


class RecordedManyOut(RecordedOut):
    refused = RefusedSampleOut(many=True, help_text="The entries that were not taken; all others were.")


class ReachView(ApiView):
    @extend_schema(
        summary="Figures of a post at a time",
        description="A second sample for the same time changes nothing.",
        request=FiguresIn,
        responses=RecordedOut,
        examples=[sent(examples.FIGURES), answered({"recorded": 1})],
    )
    def post(self, request: Request, post: str) -> Response:
        may_write_posts(self.caller).require()
        found = find.known([post])
        if not found:
            raise NotFound(NOTHING)
        sample = Reach(found[post], **read(FiguresIn, request))
        return Response({"recorded": posts.record_reach([sample], **self.who)})


class ReachBulkView(ApiView):
    body_limit = fields.BULK_BODY

    @extend_schema(
        summary="Up to 500 samples of figures",
        request=SamplesIn,
        responses=RecordedManyOut,
        examples=[
            sent({"samples": [{"post": "ext:status/1067", **examples.FIGURES}]}),
            answered({"recorded": 1, "refused": []}),
        ],
    )
    def post(self, request: Request) -> Response:
        may_write_posts(self.caller).require()
        taken: dict[int, dict[str, Any]] = {}
        refused: list[dict[str, Any]] = []
        for index, entry in enumerate(read(SamplesIn, request)["samples"]):
            try:
                taken[index] = check(SampleIn, entry)
            except ValidationError as error:
                refused.append({"index": index, "error": refusal(error)})
        known = find.known({sample["post"] for sample in taken.values()})
        samples = []
        for index, sample in taken.items():
            ref = sample.pop("post")
            if ref in known:
                samples.append(Reach(known[ref], **sample))
            else:
                refused.append({"index": index, "error": refusal(NotFound(NOTHING))})
        recorded = posts.record_reach(samples, **self.who) if samples else 0
        return Response({"recorded": recorded, "refused": sorted(refused, key=lambda r: r["index"])})
