"""/flags: members' reports, by themselves or told by the platform."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from moderation import enums
from moderation.api import examples
from moderation.enums import FlagReason
from moderation.errors import Invalid
from moderation.http import fields
from moderation.http.documents import Moment
from moderation.http.pagination import NEWEST_FIRST, PageQuery, page_of, paginate
from moderation.http.schema import answered, sent
from moderation.http.shapes import Input, query, read, written
from moderation.http.views import ApiView
from moderation.models import Flag
from moderation.permissions import may_flag, may_flag_for_others
from moderation.selectors import members
from moderation.services import flags


class FlagIn(Input):
    post = fields.Ref()
    version = fields.Whole(
        required=False, min_value=1, help_text="The number of the version that was seen; else the newest."
    )
    reason = fields.Choice(FlagReason.choices)
    note = fields.Text(max_length=fields.LONGEST_NOTE, allow_blank=True, default="")
    flagger = fields.ExternalId(
        required=False, help_text="The platform's id of the member it reports for; only for its API clients."
    )


class FlagOut(serializers.Serializer):
    id = serializers.UUIDField()
    post = serializers.UUIDField(source="post_id")
    version = serializers.IntegerField(source="post_version.number")
    reason = serializers.ChoiceField(FlagReason.choices)
    note = serializers.CharField(allow_blank=True)
    at = Moment()
    withdrawn_at = Moment(allow_null=True)
    outcome = serializers.ChoiceField(enums.FlagOutcome.choices, help_text="What the review found.")


class RaisedOut(FlagOut):
    queued = serializers.BooleanField(
        help_text="Whether it brought or joined an open item; else the version was reviewed lately."
    )


class MineQuery(PageQuery):
    mine = fields.Present(required=False, help_text="Only your own; there are no others to see.")
    flagger = serializers.CharField(
        max_length=fields.LONGEST_NAME,
        required=False,
        help_text="Which member's, for the platform's API clients.",
    )


class FlagsView(ApiView):
    @extend_schema(
        summary="Flag a post",
        description="A live flag by the same person on the same version is answered as it is, with 200. "
        "A post that was deleted meanwhile can still be flagged.",
        request=FlagIn,
        responses={200: RaisedOut, 201: RaisedOut},
        examples=[
            sent(examples.FLAG),
            answered(examples.FLAG_RAISED, status=201),
            answered(examples.FLAG_RAISED, "Flagged before"),
        ],
    )
    def post(self, request: Request) -> Response:
        may_flag(self.caller).require()
        data = read(FlagIn, request)
        if self.caller.person_id is None and "flagger" not in data:
            raise Invalid("Say which member flags.", field="flagger", code="required")
        raised = flags.raise_on_post(
            ref=data["post"],
            number=data.get("version"),
            reason=FlagReason(data["reason"]),
            note=data["note"],
            reporter_external_id=data.get("flagger"),
            caller=self.caller,
            now=self.now,
        )
        body = {**written(FlagOut, raised.flag), "queued": raised.queued}
        return Response(body, status=201 if raised.added else 200)

    @extend_schema(
        summary="Your own flags, newest first",
        parameters=[MineQuery],
        responses=page_of(FlagOut, "FlagPage"),
        examples=[answered(examples.page(examples.FLAG_OUT))],
    )
    def get(self, request: Request) -> Response:
        may_flag(self.caller).require()
        asked = query(MineQuery, request)
        if "flagger" in asked:
            may_flag_for_others(self.caller).require()
            rows = members.flags_told_for(asked["flagger"], caller=self.caller)
        elif self.caller.person_id is not None:
            rows = members.flags_of(self.caller)
        else:
            raise Invalid("Say which member's flags.", field="flagger", code="required")
        page = paginate(rows.select_related("post_version"), NEWEST_FIRST, asked)
        return Response(page.document(lambda flag: written(FlagOut, flag)))


class FlagView(ApiView):
    @extend_schema(
        summary="Withdraw a flag",
        description="It stays on record and counts no more. Twice changes nothing; an answered flag stays (409).",
        responses={200: FlagOut},
        examples=[answered({**examples.FLAG_OUT, "withdrawn_at": "2026-11-30T10:00:00Z"})],
    )
    def delete(self, request: Request, flag_id: str) -> Response:
        may_flag(self.caller).require()
        flag: Flag = flags.withdraw(flag_id, **self.who)  # type: ignore[arg-type]
        return Response(written(FlagOut, flag))
