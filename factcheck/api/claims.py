"""/claims: what was checked, by whom, and which posts say it."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from factcheck.api import examples
from factcheck.api.documents import ClaimOut, MatchOut, MeasuredClaimOut, written_measured
from factcheck.enums import MatchState, Verdict
from factcheck.models import Match
from factcheck.permissions import may_read_ratings
from factcheck.selectors import claims, ratings
from moderation.errors import NotFound
from moderation.http import fields
from moderation.http.pagination import NEWEST_FIRST, PageQuery, page_of, paginate
from moderation.http.schema import answered
from moderation.http.shapes import query
from moderation.http.views import ApiView

NOTHING = "There is no such claim."


class ClaimsQuery(PageQuery):
    q = serializers.CharField(
        min_length=2,
        max_length=200,
        required=False,
        help_text="Every word must stand in the claim or in a rating's headline, upper or lower case alike. "
        "A plain substring search: it knows no synonyms and does not rank.",
    )
    language = fields.Language(required=False)
    verdict = serializers.ChoiceField(Verdict.choices, required=False, help_text="Of a rating in force.")


class ClaimsView(ApiView):
    @extend_schema(
        summary="Find claims, newest first",
        parameters=[ClaimsQuery],
        responses=page_of(ClaimOut, "ClaimPage"),
        examples=[answered(examples.page(examples.CLAIM))],
    )
    def get(self, request: Request) -> Response:
        may_read_ratings(self.caller).require()
        asked = query(ClaimsQuery, request)
        found = claims.search(
            asked.get("q", ""), language=asked.get("language", ""), verdict=asked.get("verdict", "")
        )
        page = paginate(found, NEWEST_FIRST, asked)
        context = {"ratings": ratings.in_force_on([claim.pk for claim in page.rows])}
        return Response(page.document(lambda claim: ClaimOut(claim, context=context).data))


class ClaimView(ApiView):
    @extend_schema(
        summary="One claim with every partner's rating in force and its measured effect",
        responses=MeasuredClaimOut,
        examples=[answered(examples.MEASURED_CLAIM)],
    )
    def get(self, request: Request, claim_id: Any) -> Response:
        may_read_ratings(self.caller).require()
        claim = claims.get(claim_id)
        if claim is None:
            raise NotFound(NOTHING)
        given = ratings.in_force_on([claim.pk]).get(claim.pk, ())
        return Response(written_measured(claim, given, now=self.now))


class MatchesQuery(PageQuery):
    state = serializers.ChoiceField(MatchState.choices, required=False)


class ClaimMatchesView(ApiView):
    @extend_schema(
        summary="Which posts make the claim, newest match first",
        parameters=[MatchesQuery],
        responses=page_of(MatchOut, "MatchPage"),
        examples=[answered(examples.page(examples.MATCH))],
    )
    def get(self, request: Request, claim_id: Any) -> Response:
        may_read_ratings(self.caller).require()
        asked = query(MatchesQuery, request)
        if claims.get(claim_id) is None:
            raise NotFound(NOTHING)
        found = Match.objects.filter(claim_id=claim_id).select_related("post_version")
        if "state" in asked:
            found = found.filter(state=asked["state"])
        return Response(paginate(found, NEWEST_FIRST, asked).document(lambda match: MatchOut(match).data))
