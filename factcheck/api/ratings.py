"""/ratings/{id}: never edited; a revision supersedes, a withdrawal ends."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from factcheck.api import examples
from factcheck.api.documents import RatingOut
from factcheck.api.verdicts import VerdictIn, written_anew
from factcheck.models import Rating
from factcheck.permissions import may_read_ratings, may_see_queue
from factcheck.services import ratings
from factcheck.services.ratings import RatingDraft
from moderation.errors import NotFound
from moderation.http import fields
from moderation.http.schema import answered, sent
from moderation.http.shapes import Input, NothingIn, read
from moderation.http.views import ApiView

NOTHING = "There is no such rating."


class WithdrawalIn(Input):
    reason = fields.Text(max_length=fields.LONGEST_NOTE)


class RatingView(ApiView):
    @extend_schema(
        summary="One rating, by whichever partner",
        description="One that its rater took back within the undo time exists for its own partner only.",
        responses=RatingOut,
        examples=[answered(examples.RATING)],
    )
    def get(self, request: Request, rating_id: Any) -> Response:
        may_read_ratings(self.caller).require()
        rating = (
            Rating.objects.select_related("partner", "article", "withdrawal", "superseded_by")
            .filter(pk=rating_id)
            .first()
        )
        undone = rating is not None and hasattr(rating, "withdrawal") and rating.withdrawal.undone
        if rating is None or (undone and rating.partner_id != self.caller.organisation_id):
            raise NotFound(NOTHING)
        return Response(RatingOut(rating).data)


class ReviseView(ApiView):
    @extend_schema(
        summary="Revise your partner's rating",
        description="A new rating that supersedes this one, in force at once. A lapsed partner may only soften.",
        request=VerdictIn,
        responses={201: RatingOut},
        examples=[sent(examples.VERDICT_IN), answered(examples.RATING, status=201)],
    )
    def post(self, request: Request, rating_id: Any) -> Response:
        may_see_queue(self.caller).require()
        draft = RatingDraft(**read(VerdictIn, request))
        rating = ratings.revise(rating_id, draft, **self.who)
        return Response(RatingOut(written_anew(rating)).data, status=201)


class WithdrawView(ApiView):
    @extend_schema(
        summary="Withdraw your partner's rating",
        request=WithdrawalIn,
        responses=RatingOut,
        examples=[
            sent({"reason": "The town corrected its figures."}),
            answered(examples.RATING_WITHDRAWN),
        ],
    )
    def post(self, request: Request, rating_id: Any) -> Response:
        may_see_queue(self.caller).require()
        reason = read(WithdrawalIn, request)["reason"]
        rating = ratings.withdraw(rating_id, reason=reason, **self.who).rating
        return Response(RatingOut(written_anew(rating)).data)


class UndoView(ApiView):
    @extend_schema(
        summary="Take back the rating you just made",
        description="Within 30 seconds. It leaves no trace outside, and the claim's item is yours again.",
        request=None,
        responses=RatingOut,
        examples=[answered(examples.RATING_WITHDRAWN)],
    )
    def post(self, request: Request, rating_id: Any) -> Response:
        may_see_queue(self.caller).require()
        read(NothingIn, request)
        rating = ratings.undo(rating_id, **self.who).rating
        return Response(RatingOut(written_anew(rating)).data)
