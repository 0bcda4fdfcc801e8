"""/items/{id}/escalate and notes: what is said about an item beside deciding it."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from factcheck.api import examples
from factcheck.api.items import NoteOut, written_note
from factcheck.permissions import may_see_queue
from factcheck.selectors import dossier
from factcheck.services import leases
from moderation import enums
from moderation.enums import Ground
from moderation.http import fields
from moderation.http.fields import Moment
from moderation.http.schema import answered, sent
from moderation.http.shapes import Input, read
from moderation.http.views import ApiView
from moderation.services import escalations, notes


class EscalateIn(Input):
    ground = fields.Choice(Ground.choices)
    note = fields.Text(max_length=fields.LONGEST_NOTE)
    regions = fields.Listed(fields.Region(), most=50, default=list, help_text="Where; none means everywhere.")


class EscalatedOut(serializers.Serializer):
    """The desk's case, as far as a reviewer follows it."""

    id = serializers.UUIDField()
    post = serializers.UUIDField(source="post_id")
    ground = serializers.ChoiceField(Ground.choices)
    status = serializers.ChoiceField(enums.EscalationStatus.choices)
    opened_at = Moment()
    due_at = Moment()
    version = serializers.IntegerField()


class EscalateView(ApiView):
    @extend_schema(
        summary="Ask the policy desk to look",
        description="A case of its own: the item stays as it is, yours or free. Twice makes one case (200).",
        request=EscalateIn,
        responses={200: EscalatedOut, 201: EscalatedOut},
        examples=[
            sent(examples.ESCALATION),
            answered(examples.ESCALATED, status=201),
            answered(examples.ESCALATED, "Open already"),
        ],
    )
    def post(self, request: Request, item_id: Any) -> Response:
        may_see_queue(self.caller).require()
        data = read(EscalateIn, request)
        item = leases.visible(item_id, caller=self.caller)
        case, added = escalations.open_case(
            version_id=item.displayed_version_id,
            ground=Ground(data["ground"]),
            note=data["note"],
            regions=data["regions"],
            **self.who,
        )
        return Response(EscalatedOut(case).data, status=201 if added else 200)


class NoteIn(Input):
    text = fields.Text(max_length=fields.LONGEST_NOTE)


class NotesView(ApiView):
    @extend_schema(
        summary="Leave a note for whoever works on the item later",
        request=NoteIn,
        responses={201: NoteOut},
        examples=[
            sent({"text": "The town hall calls back at three."}),
            answered(examples.NOTE, status=201),
        ],
    )
    def post(self, request: Request, item_id: Any) -> Response:
        may_see_queue(self.caller).require()
        text = read(NoteIn, request)["text"]
        leases.visible(item_id, caller=self.caller)
        note = notes.add(item_id, text=text, **self.who)
        return Response(written_note(note, dossier.names([note.organisation])), status=201)
