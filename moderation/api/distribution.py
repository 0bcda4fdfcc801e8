"""/distribution: what must be done with posts now. Hot: no serializers around hundreds of posts."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api import examples
from moderation.enums import ViewerPreference
from moderation.http import fields
from moderation.http.documents import WhereEffect
from moderation.http.schema import answered, sent
from moderation.http.shapes import Input, read
from moderation.http.views import ApiView
from moderation.permissions import may_read_distribution
from moderation.selectors import distribution
from moderation.selectors.distribution import Answer


class LookupIn(Input):
    posts = fields.Refs(most=fields.MOST_LOOKED_UP, help_text="Ids, or `ext:` and the platform's own ids.")
    region = fields.Region(required=False, help_text="Where the viewer is; without it the worldwide effect.")
    viewer_preference = fields.Choice(ViewerPreference.choices, default=ViewerPreference.DEFAULT.value)


class LookedUpOut(WhereEffect):
    post = serializers.CharField(help_text="As it was asked.")
    id = serializers.UUIDField(allow_null=True)
    version = serializers.IntegerField(
        help_text="Rises with each change; keep the answer with the highest. The effect of time "
        "(`hidden_until`) does not raise it."
    )
    state = serializers.ChoiceField(
        ["effect", "none", "unknown"],
        help_text="`effect`: the members that follow hold. `none`: nothing is to be done. "
        "`unknown`: there is no such post.",
    )


class LookupOut(serializers.Serializer):
    posts = LookedUpOut(many=True, help_text="In the order of the request.")


class LookupView(ApiView):
    reads = True

    @extend_schema(
        summary="What to do with up to 1000 posts",
        request=LookupIn,
        responses=LookupOut,
        examples=[sent(examples.LOOKUP), answered(examples.LOOKED_UP)],
    )
    def post(self, request: Request) -> Response:
        may_read_distribution(self.caller).require()
        asked = read(LookupIn, request)
        answers = distribution.lookup(
            asked["posts"],
            region=asked.get("region", ""),
            preference=asked["viewer_preference"],
            now=self.now,
        )
        return Response({"posts": [_looked_up(answer) for answer in answers]})


def _looked_up(answer: Answer) -> dict[str, Any]:
    return {
        "post": answer.ref,
        "id": answer.post_id,
        "version": answer.version,
        "state": "effect" if answer.document else "none" if answer.post_id else "unknown",
        **(answer.document or {}),
    }
