"""/items/{id}/ratings and not-eligible: what a reviewer decides, on the version they saw."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from factcheck.api import examples
from factcheck.api.documents import RatingOut
from factcheck.enums import NOT_ELIGIBLE, Verdict
from factcheck.models import Rating
from factcheck.permissions import may_see_queue
from factcheck.services import ratings
from factcheck.services.claims import ClaimDraft
from factcheck.services.ratings import RatingDraft
from moderation.http import fields
from moderation.http.documents import DecisionOut
from moderation.http.schema import answered, sent
from moderation.http.shapes import Input, read
from moderation.http.views import ApiView
from moderation.services.queue import ItemRef

# “Not eligible” passes here, so that the service can say what it is instead (422, not_a_rating).
VERDICTS = [*Verdict.choices, (NOT_ELIGIBLE, "Refused: use not-eligible")]


class ClaimIn(Input):
    """An existing claim, or the text of a new one. May be left out where the item has its claim."""

    id = fields.Id(required=False)
    text = fields.Text(max_length=fields.LONGEST_NOTE, required=False)
    fragment = fields.Text(
        max_length=fields.LONGEST_NOTE,
        allow_blank=True,
        default="",
        help_text="The words that make the claim.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "id" in attrs and "text" in attrs:
            raise ValidationError({"text": ["Name a known claim or write a new one."]}, code="invalid")
        return attrs


class EvidenceIn(Input):
    url = fields.Link()
    title = fields.Text(max_length=200, allow_blank=True, default="")


class VerdictIn(Input):
    verdict = fields.Choice(VERDICTS)
    headline = fields.Text(max_length=200)
    explanation = fields.Text()
    article_url = fields.Link(
        required=False, help_text="On the partner's own domain. Needed unless satire or true."
    )
    evidence = fields.Listed(EvidenceIn(), most=fields.MOST_LINKS, default=list)
    countries = fields.Listed(fields.Region(countries_only=True), most=50, default=list)
    language = fields.Language(required=False, help_text="Of headline and article; else the item's.")


class RatingIn(VerdictIn):
    version = fields.Whole(min_value=1, help_text="The item's version that was read.")
    claim = ClaimIn(required=False)


class NotEligibleIn(Input):
    version = fields.Whole(min_value=1, help_text="The item's version that was read.")
    reason = fields.Text(max_length=fields.LONGEST_NOTE)


class NotEligibleOut(serializers.Serializer):
    decision = DecisionOut()


class RatingsView(ApiView):
    @extend_schema(
        summary="Rate the claim",
        description="In force at once. Closes the item. A stale version, a lost lease or a rating your partner "
        "has in force already is a 409.",
        request=RatingIn,
        responses={201: RatingOut},
        examples=[sent(examples.RATING_IN), answered(examples.RATING, status=201)],
    )
    def post(self, request: Request, item_id: Any) -> Response:
        may_see_queue(self.caller).require()
        data = read(RatingIn, request)
        claim = ClaimDraft(**data.pop("claim", {}))
        ref = ItemRef(item_id, data.pop("version"))
        rating = ratings.submit(ref, RatingDraft(claim=claim, **data), **self.who)
        return Response(RatingOut(written_anew(rating)).data, status=201)


class NotEligibleView(ApiView):
    @extend_schema(
        summary="Close the item as not eligible for rating",
        description="Opinion, unverifiable, out of scope. A decision on the post version, without effect.",
        request=NotEligibleIn,
        responses={201: NotEligibleOut},
        examples=[
            sent({"version": 1, "reason": "An opinion; there is nothing to check."}),
            answered({"decision": examples.NOT_ELIGIBLE}, status=201),
        ],
    )
    def post(self, request: Request, item_id: Any) -> Response:
        may_see_queue(self.caller).require()
        data = read(NotEligibleIn, request)
        ref = ItemRef(item_id, data["version"])
        decision = ratings.not_eligible(ref, reason=data["reason"], **self.who)
        return Response({"decision": DecisionOut(decision).data}, status=201)


def written_anew(rating: Rating) -> Rating:
    """The rating with what an answer shows of it."""
    return Rating.objects.select_related("partner", "article", "withdrawal", "superseded_by").get(
        pk=rating.pk
    )
