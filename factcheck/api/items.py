"""/items: one review item with everything the page shows, and a partner's own pick."""

from typing import TYPE_CHECKING, Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from factcheck.api import examples
from factcheck.api.documents import ClaimOut, ItemOut, MatchOut, OrganisationOut, written_items
from factcheck.permissions import may_see_queue
from factcheck.selectors import dossier, queue
from factcheck.selectors.dossier import ItemFile
from factcheck.services import claims, leases
from moderation import enums
from moderation.http import fields
from moderation.http.documents import (
    DecisionOut,
    EffectOut,
    FlagCountOut,
    FlagNoteOut,
    SampleOut,
    SignalOut,
    StrikeOut,
    VersionOut,
)
from moderation.http.fields import Moment
from moderation.http.schema import answered, sent
from moderation.http.shapes import Input, read
from moderation.http.views import ApiView
from moderation.selectors import distribution

if TYPE_CHECKING:
    from moderation.models import ItemNote


class PickIn(Input):
    """One of both."""

    post = fields.Ref(required=False)
    claim = fields.Id(required=False, help_text="A claim that another partner rated.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if len(attrs) != 1:
            raise ValidationError({"post": ["Name either a post or a claim."]}, code="required")
        return attrs


class NoteOut(serializers.Serializer):
    """An internal note, signed by the organisation."""

    id = serializers.UUIDField()
    organisation = OrganisationOut(allow_null=True)
    text = serializers.CharField()
    at = Moment()


class CaseBrief(serializers.Serializer):
    """What the policy desk was asked about the post."""

    id = serializers.UUIDField()
    ground = serializers.ChoiceField(enums.Ground.choices)
    status = serializers.ChoiceField(enums.EscalationStatus.choices)
    opened_at = Moment()


class StandingOut(serializers.Serializer):
    level = serializers.ChoiceField(enums.StandingLevel.choices)
    strikes = StrikeOut(many=True, help_text="Those that count now.")
    posts = serializers.IntegerField()
    removals = serializers.IntegerField()


class AlikeOut(serializers.Serializer):
    """A rated claim that shares words with the text; a person decides whether it is the same."""

    claim = ClaimOut()
    share = serializers.FloatField(help_text="Of the claim's words, how many the text has, 0 to 1.")


class ItemFileOut(ItemOut):
    posts = serializers.IntegerField(help_text="How many posts it is about.")
    versions = VersionOut(many=True, help_text="Of the displayed post, oldest first.")
    flags = FlagCountOut(many=True)
    flag_notes = FlagNoteOut(many=True)
    signal_list = SignalOut(many=True)
    reach = SampleOut(many=True, help_text="Of the displayed post, oldest first.")
    decisions = DecisionOut(many=True, help_text="Newest first.")
    state_version = serializers.IntegerField()
    effect = EffectOut(allow_null=True)
    standing = StandingOut(help_text="Of the post's author.")
    claims = ClaimOut(many=True, help_text="What the post claims, with every partner's rating in force.")
    matches = MatchOut(many=True, help_text="Why: how the displayed version came to these claims.")
    alike = AlikeOut(many=True)
    cases = CaseBrief(many=True)
    notes = NoteOut(many=True)


class ItemsView(ApiView):
    @extend_schema(
        summary="Pick a post nobody flagged, or a claim that another partner rated",
        description="Opens the item, or answers with the one that is open.",
        request=PickIn,
        responses=ItemOut,
        examples=[sent({"post": "ext:status/1067"}), answered(examples.ITEM)],
    )
    def post(self, request: Request) -> Response:
        may_see_queue(self.caller).require()
        asked = read(PickIn, request)
        item = claims.pick(post_ref=asked.get("post", ""), claim_id=asked.get("claim"), **self.who)
        return Response(written_items([item], **self.who)[0])


class ItemView(ApiView):
    @extend_schema(
        summary="One item with everything about it",
        responses=ItemFileOut,
        examples=[answered(examples.ITEM_FILE)],
    )
    def get(self, request: Request, item_id: Any) -> Response:
        acts = may_see_queue(self.caller)
        item = leases.look_again(item_id, **self.who) if acts else queue.readable(item_id, caller=self.caller)
        return Response(self._written(dossier.of_item(item, **self.who)))

    def _written(self, file: ItemFile) -> dict[str, Any]:
        known = file.platform
        made = {match.claim_id: match.claim for match in file.made}
        if file.claim is not None:
            made = {file.claim.pk: file.claim, **made}
        now = distribution.lookup([str(known.post.pk)], now=self.now)[0]
        history = {
            "level": file.actor.level["level"],
            "strikes": file.actor.strikes,
            "posts": file.actor.posts,
            "removals": file.actor.removals,
        }
        alike = {like.claim.pk: like.ratings for like in file.alike}
        return {
            **written_items([known.item], **self.who)[0],
            "posts": known.posts,
            "versions": VersionOut(known.versions, many=True).data,
            "flags": FlagCountOut(known.flags, many=True).data,
            "flag_notes": FlagNoteOut(known.notes_of_flags, many=True).data,
            "signal_list": SignalOut(known.signals, many=True).data,
            "reach": SampleOut(known.reach, many=True).data,
            "decisions": DecisionOut(known.decisions, many=True).data,
            "state_version": now.version,
            "effect": now.document,
            "standing": StandingOut(history).data,
            "claims": [ClaimOut(c, context={"ratings": file.ratings}).data for c in made.values()],
            "matches": MatchOut(file.made, many=True).data,
            "alike": [
                {"claim": ClaimOut(like.claim, context={"ratings": alike}).data, "share": like.share}
                for like in file.alike
            ],
            "cases": CaseBrief(known.cases, many=True).data,
            "notes": [written_note(note, dict(file.partners)) for note in known.notes],
        }


def written_note(note: "ItemNote", partners: dict[Any, str]) -> dict[str, Any]:
    name = partners.get(note.organisation)
    signed = {"id": note.organisation, "name": name} if name else None
    row = {"id": note.pk, "organisation": signed, "text": note.text, "at": note.at}
    return dict(NoteOut(row).data)
