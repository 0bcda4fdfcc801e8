"""/distribution: what must be done with posts now. Hot: no serializers around hundreds of posts."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence

from django.http import HttpResponse
from django.utils.http import parse_etags
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

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


IF_NONE_MATCH = OpenApiParameter(
    "If-None-Match", str, OpenApiParameter.HEADER, description="`ETag` of an earlier answer to the same body."
)
ETAG = OpenApiParameter(
    "ETag", str, OpenApiParameter.HEADER, response=[200, 304], description="Names this answer, to ask again."
)


class LookupView(ApiView):
    reads = True

    @extend_schema(
        summary="What to do with up to 1000 posts",
        description="It changes nothing, so `If-None-Match` works as with GET: while the answer would be the one "
        "that bore this `ETag`, 304 says so without a body.",
        parameters=[IF_NONE_MATCH, ETAG],
        request=LookupIn,
        responses={200: LookupOut, 304: OpenApiResponse(description="The same as before.")},
        examples=[sent(examples.LOOKUP), answered(examples.LOOKED_UP)],
    )
    def post(self, request: Request) -> HttpResponse:
        may_read_distribution(self.caller).require()
        asked = read(LookupIn, request)
        refs, region, preference = asked["posts"], asked.get("region", ""), asked["viewer_preference"]
        if region or preference != ViewerPreference.DEFAULT:
            answers = distribution.lookup(refs, region=region, preference=preference, now=self.now)
            shown: Iterable[bytes] = [_written(answer) for answer in answers]
        else:
            shown = self._of_everybody(refs)
        return _unless_known(request, b'{"posts":[%b]}' % b",".join(shown))

    def _of_everybody(self, refs: Sequence[str]) -> Iterator[bytes]:
        """What the cache knows is passed on as it is there; the rest is looked up."""
        known = distribution.known(refs, now=self.now)
        ids, served = known.ids, known.served
        others = [ref for ref in refs if ids[ref] not in served]
        looked_up = {a.ref: _written(a) for a in distribution.lookup(others, now=self.now)} if others else {}
        for ref in refs:
            if ref in looked_up:
                yield looked_up[ref]
                continue
            post_id = ids[ref]
            version, members = served[post_id]  # type: ignore[index]
            name = ref if ref == post_id else json.dumps(ref)[1:-1]
            head = f'{{"post":"{name}","id":"{post_id}","version":'.encode() + version
            yield b'%b,"state":"effect",%b}' % (head, members) if members else head + b',"state":"none"}'


def _unless_known(request: Request, body: bytes) -> HttpResponse:
    """The body under its ETag, or 304 to a caller who has it. Of the body, not of versions: time changes
    answers, too."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:24]}"'
    held = {tag.removeprefix("W/") for tag in parse_etags(request.headers.get("If-None-Match", ""))}
    if etag in held:
        return HttpResponse(status=304, headers={"ETag": etag})
    return HttpResponse(body, content_type="application/json", headers={"ETag": etag})


def _written(answer: Answer) -> bytes:
    document = {
        "post": answer.ref,
        "id": answer.post_id,
        "version": answer.version,
        "state": "effect" if answer.document else "none" if answer.post_id else "unknown",
        **(answer.document or {}),
    }
    return JSONRenderer().render(document)
