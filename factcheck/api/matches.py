"""/matches/{id}: a reviewer's word on whether a post makes a claim. A rejected pair never comes back."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from factcheck.api import examples
from factcheck.api.documents import MatchOut
from factcheck.models import Match
from factcheck.permissions import may_see_queue
from factcheck.services import matches
from moderation.errors import NotFound
from moderation.http.schema import answered
from moderation.http.shapes import NothingIn, read
from moderation.http.views import ApiView


class ConfirmMatchView(ApiView):
    @extend_schema(
        summary="The post makes this claim",
        request=None,
        responses=MatchOut,
        examples=[answered(examples.MATCH)],
    )
    def post(self, request: Request, match_id: Any) -> Response:
        may_see_queue(self.caller).require()
        read(NothingIn, request)
        match = Match.objects.select_related("claim", "post_version__post").filter(pk=match_id).first()
        if match is None:
            raise NotFound("There is no such match.")
        return Response(MatchOut(matches.confirm(match.claim, match.post_version, **self.who)).data)


class RejectMatchView(ApiView):
    @extend_schema(
        summary="The post does not make this claim",
        description="It leaves the claim: the rating's effect ends for it, and it is not matched again.",
        request=None,
        responses=MatchOut,
        examples=[answered({**examples.MATCH, "state": "rejected"})],
    )
    def post(self, request: Request, match_id: Any) -> Response:
        may_see_queue(self.caller).require()
        read(NothingIn, request)
        return Response(MatchOut(matches.reject(match_id, **self.who)).data)
