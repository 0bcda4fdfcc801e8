"""How the programme's things are written in answers. A rating shows its partner, never the person."""

import math
import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from factcheck.enums import MatchKind, MatchState, Verdict
from factcheck.models import Claim, Rating
from factcheck.selectors import dossier
from moderation import enums
from moderation.caller import Caller
from moderation.http.documents import ActorOut, FactorOut, MediaOut
from moderation.http.fields import Moment
from moderation.http.shapes import written
from moderation.selectors import items as find
from moderation.selectors import reach
from moderation.services import queue

if TYPE_CHECKING:
    from moderation.models import ReviewItem


class OrganisationOut(serializers.Serializer):
    id = serializers.UUIDField()
    name = serializers.CharField()


class LeaseOut(serializers.Serializer):
    held = serializers.BooleanField()
    yours = serializers.BooleanField()
    organisation = OrganisationOut(allow_null=True, help_text="Who holds it; never which person.")
    since = Moment(allow_null=True)
    until = Moment(allow_null=True)


class DisplayedOut(serializers.Serializer):
    """The post that an item shows, in the version that a decision is made on."""

    id = serializers.UUIDField(source="post.pk")
    external_id = serializers.CharField(source="post.external_id")
    actor = ActorOut(source="post.actor")
    published_at = Moment(source="post.published_at")
    deleted_at = Moment(source="post.deleted_at", allow_null=True)
    version = serializers.IntegerField(source="number")
    version_id = serializers.UUIDField(source="pk")
    text = serializers.CharField(source="content.text")
    links = serializers.ListField(child=serializers.CharField(), source="content.links")
    media = MediaOut(many=True, source="content.media")


class ItemOut(serializers.Serializer):
    """Written with the context that `written_items` gives."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(enums.ItemKind.choices)
    status = serializers.ChoiceField(enums.ItemStatus.choices)
    outcome = serializers.ChoiceField(enums.ItemOutcome.choices, allow_blank=True)
    version = serializers.IntegerField(
        help_text="Send it with a decision. It rises when what the decision rests on changes."
    )
    language = serializers.CharField()
    countries = serializers.ListField(child=serializers.CharField())
    topic = serializers.CharField(allow_blank=True)
    opened_at = Moment()
    due_at = Moment()
    closed_at = Moment(allow_null=True)
    picked = serializers.BooleanField(help_text="Opened by a partner, without a flag.")
    priority = serializers.SerializerMethodField(help_text="The factors multiplied; age comes on top.")
    factors = FactorOut(many=True)
    flaggers = serializers.IntegerField(help_text="Distinct people with a live flag.")
    reasons = serializers.DictField(child=serializers.IntegerField(), help_text="People by reason.")
    signals = serializers.IntegerField()
    claim = serializers.SerializerMethodField(help_text="The claim it is about, once there is one.")
    post = DisplayedOut(source="displayed_version")
    lease = serializers.SerializerMethodField()

    @extend_schema_field(float)
    def get_priority(self, item: "ReviewItem") -> float:
        return round(math.prod(factor["value"] for factor in item.factors), 4)

    @extend_schema_field(serializers.UUIDField(allow_null=True))
    def get_claim(self, item: "ReviewItem") -> uuid.UUID | None:
        return self.context["claims"].get(item.cluster_id)

    @extend_schema_field(LeaseOut)
    def get_lease(self, item: "ReviewItem") -> dict[str, Any]:
        caller, now = self.context["caller"], self.context["now"]
        held = queue.is_held(item, now)
        yours = held and (item.holder_id, item.held_for) == (caller.person_id, caller.organisation_id)
        name = self.context["partners"].get(item.held_for)
        document = {
            "held": held,
            "yours": yours,
            "organisation": {"id": item.held_for, "name": name} if held and name else None,
            "since": item.held_since if held else None,
            "until": item.held_until if held else None,
        }
        return written(LeaseOut, document)


class EvidenceOut(serializers.Serializer):
    url = serializers.CharField()
    title = serializers.CharField(allow_blank=True, required=False)


class RatingOut(serializers.Serializer):
    id = serializers.UUIDField()
    claim = serializers.UUIDField(source="claim_id")
    partner = OrganisationOut()
    verdict = serializers.ChoiceField(Verdict.choices)
    headline = serializers.CharField()
    explanation = serializers.CharField()
    article_url = serializers.CharField(source="article.url", allow_null=True)
    evidence = EvidenceOut(many=True)
    countries = serializers.ListField(child=serializers.CharField())
    language = serializers.CharField()
    post_version = serializers.UUIDField(source="post_version_id", help_text="The version it was made on.")
    at = Moment()
    supersedes = serializers.UUIDField(source="supersedes_id", allow_null=True)
    superseded_by = serializers.UUIDField(source="superseded_by.pk", allow_null=True)
    withdrawn_at = Moment(source="withdrawal.at", allow_null=True)
    state = serializers.SerializerMethodField()

    @extend_schema_field(serializers.ChoiceField(["in_force", "superseded", "withdrawn"]))
    def get_state(self, rating: Rating) -> str:
        if hasattr(rating, "superseded_by"):
            return "superseded"
        return "withdrawn" if hasattr(rating, "withdrawal") else "in_force"


class MatchOut(serializers.Serializer):
    id = serializers.UUIDField()
    claim = serializers.UUIDField(source="claim_id")
    post = serializers.UUIDField(source="post_version.post_id")
    post_version = serializers.UUIDField(source="post_version_id")
    kind = serializers.ChoiceField(MatchKind.choices)
    score = serializers.FloatField()
    fragment = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(MatchState.choices)
    at = Moment()


class ClaimOut(serializers.Serializer):
    """Written with `ratings` by claim id in the context."""

    id = serializers.UUIDField()
    text = serializers.CharField()
    language = serializers.CharField()
    added_at = Moment()
    ratings = serializers.SerializerMethodField(help_text="In force, one per partner, earliest first.")

    @extend_schema_field(RatingOut(many=True))
    def get_ratings(self, claim: Claim) -> list[dict[str, Any]]:
        given: Sequence[Rating] = self.context["ratings"].get(claim.pk, ())
        return [dict(RatingOut(rating).data) for rating in given]


class MeasuredOut(serializers.Serializer):
    """Views of the claim's posts around one rating, from reach samples alone."""

    rating = serializers.UUIDField()
    at = Moment(help_text="When the rating took effect; a post that joined later counts from then on.")
    posts = serializers.IntegerField()
    sampled_posts = serializers.IntegerField(help_text="Of these, posts with at least one sample.")
    samples = serializers.IntegerField()
    views_before = serializers.IntegerField()
    views_between = serializers.IntegerField(
        help_text="Counted from the last sample before the effect to the first one after it: nobody measured "
        "on which side they fall."
    )
    views_after = serializers.IntegerField()
    share_after_least = serializers.FloatField(allow_null=True, help_text="0..1; null without views.")
    share_after_most = serializers.FloatField(allow_null=True, help_text="With all of `views_between`.")
    seconds_to_rating = serializers.FloatField(
        allow_null=True, help_text="From a post's first flag to its effect, weighted by its views."
    )


class MeasuredClaimOut(ClaimOut):
    measured = MeasuredOut(many=True, help_text="One for each rating in force.")


def written_measured(claim: Claim, given: "Iterable[Rating]", *, now: datetime) -> dict[str, Any]:
    """A claim with what was measured around each of its ratings in force."""
    given = list(given)
    rows = []
    for rating in given:
        found = reach.measured(claim.cluster_id, rating.at, now=now)
        least, most = found.share_after or (None, None)
        rows.append(
            {
                "rating": rating.pk,
                "at": rating.at,
                "posts": found.posts,
                "sampled_posts": found.sampled,
                "samples": found.samples,
                "views_before": found.before,
                "views_between": found.between,
                "views_after": found.after,
                "share_after_least": least,
                "share_after_most": most,
                "seconds_to_rating": found.seconds_to_rating,
            }
        )
    document = dict(ClaimOut(claim, context={"ratings": {claim.pk: given}}).data)
    return {**document, "measured": [dict(MeasuredOut(row).data) for row in rows]}


def written_items(items: "Iterable[ReviewItem]", *, caller: Caller, now: datetime) -> list[dict[str, Any]]:
    """Items as lists and the answers to decisions show them, in two queries for all at most; one more for
    an item that was not read to be shown."""
    rows = list(items)
    for item in rows:
        find.read_shown(item)
    clusters = [item.cluster_id for item in rows if item.cluster_id]
    own = {caller.organisation.id: caller.organisation.name} if caller.organisation else {}
    context = {
        "caller": caller,
        "now": now,
        "claims": dict(Claim.objects.filter(cluster_id__in=clusters).values_list("cluster_id", "pk")),
        "partners": own | dossier.names([i.held_for for i in rows if i.held_for not in own]),
    }
    shape = ItemOut(context=context)
    return [shape.to_representation(item) for item in rows]
