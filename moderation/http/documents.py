"""How the platform's things are written in answers: posts, effects, decisions, items."""

from typing import Any

from rest_framework import serializers

from moderation import enums
from moderation.http.fields import Moment


class ActorOut(serializers.Serializer):
    id = serializers.UUIDField()
    kind = serializers.ChoiceField(enums.ActorKind.choices)
    external_id = serializers.CharField()
    name = serializers.CharField()
    country = serializers.CharField(allow_blank=True, help_text="ISO 3166-1; empty: not known.")


class MediaOut(serializers.Serializer):
    url = serializers.CharField()
    sha256 = serializers.CharField(required=False)
    alt = serializers.CharField(required=False)


class VersionOut(serializers.Serializer):
    """What the post said at a time, as it was sent."""

    id = serializers.UUIDField()
    number = serializers.IntegerField()
    seen_at = Moment()
    text = serializers.CharField(source="content.text")
    links = serializers.ListField(child=serializers.CharField(), source="content.links")
    media = MediaOut(many=True, source="content.media")


class ReachOut(serializers.Serializer):
    at = Moment()
    views = serializers.IntegerField()
    shares = serializers.IntegerField()
    comments = serializers.IntegerField()
    views_per_hour = serializers.FloatField(help_text="Over the newest sampled stretch.")


class ArticleOut(serializers.Serializer):
    verdict = serializers.CharField()
    publisher = serializers.CharField()
    headline = serializers.CharField()
    url = serializers.CharField(allow_blank=True)
    language = serializers.CharField()


class EffectOut(serializers.Serializer):
    """What must be done with a post now. Multipliers are what is left of future distribution, 0 to 1."""

    multipliers = serializers.DictField(child=serializers.FloatField(), help_text="By surface.")
    label = serializers.ChoiceField(  # type: ignore[assignment]
        ["context", "disputed", "warning"], allow_null=True
    )
    interstitial = serializers.BooleanField(help_text="Cover it until the viewer clicks through.")
    warn_before_share = serializers.BooleanField()
    ads = serializers.BooleanField(help_text="May it be advertised?")
    recommendations = serializers.BooleanField(help_text="May it be recommended?")
    monetisation = serializers.BooleanField()
    removed = serializers.BooleanField()
    ground = serializers.ChoiceField(enums.Ground.choices, allow_null=True, help_text="Why it is removed.")
    hidden_until = serializers.CharField(
        allow_null=True, help_text="When an emergency hide ends by itself, if nothing else removes it."
    )
    regional = serializers.BooleanField(help_text="Some regions differ: ask with `region`.")
    articles = ArticleOut(many=True)
    contested = serializers.BooleanField(help_text="Fact-checkers disagree.")
    made_on_earlier_version = serializers.BooleanField(help_text="The post was edited since it was rated.")
    provisional = serializers.BooleanField(help_text="Demoted before review.")
    actor_level = serializers.ChoiceField(enums.StandingLevel.choices)
    policy_version = serializers.IntegerField()
    because = serializers.ListField(child=serializers.CharField(), help_text="Ids of decisions in force.")
    lifted = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Ids of verdicts in force that a programme switch leaves without effect; absent for none.",
    )

    def to_representation(self, instance: dict[str, Any]) -> dict[str, Any]:
        return instance  # a document of the lookup is JSON already


class WhereEffect(EffectOut):
    """The members of an effect, there only where there is one."""

    def get_fields(self) -> dict[str, serializers.Field]:
        fields = super().get_fields()
        for name in fields.keys() & EffectOut._declared_fields.keys():
            fields[name].required = False
        return fields


class PostOut(serializers.Serializer):
    id = serializers.UUIDField()
    external_id = serializers.CharField()
    actor = ActorOut()
    language = serializers.CharField()
    regions = serializers.ListField(child=serializers.CharField())
    topic = serializers.CharField(allow_blank=True)
    published_at = Moment()
    added_at = Moment()
    deleted_at = Moment(allow_null=True)
    deleted_by = serializers.CharField(allow_blank=True)
    version = VersionOut(source="current_version")


class PostBrief(serializers.Serializer):
    """A post in a list, with its newest text."""

    id = serializers.UUIDField()
    external_id = serializers.CharField()
    actor = ActorOut()
    published_at = Moment()
    deleted_at = Moment(allow_null=True)


class FlagCountOut(serializers.Serializer):
    reason = serializers.ChoiceField(enums.FlagReason.choices)
    count = serializers.IntegerField(help_text="Distinct people.")


class FlagNoteOut(serializers.Serializer):
    """A flag's note, without who wrote it."""

    reason = serializers.ChoiceField(enums.FlagReason.choices)
    note = serializers.CharField()
    at = Moment()


class SignalOut(serializers.Serializer):
    id = serializers.UUIDField()
    source = serializers.CharField()  # type: ignore[assignment]
    kind = serializers.CharField()
    score = serializers.FloatField()
    at = Moment()
    details = serializers.DictField()


class SampleOut(serializers.Serializer):
    at = Moment()
    views = serializers.IntegerField()
    shares = serializers.IntegerField()
    comments = serializers.IntegerField()


class DecisionOut(serializers.Serializer):
    """What was decided about a post or a claim; never by which person."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(enums.DecisionKind.choices)
    outcome = serializers.CharField(allow_blank=True)
    contested = serializers.BooleanField()
    ends = serializers.BooleanField(help_text="It ends the decision in `supersedes`.")
    ground = serializers.CharField(allow_blank=True)
    regions = serializers.ListField(child=serializers.CharField())
    presentation = serializers.DictField(help_text="What is shown with it: articles, an explanation.")
    in_force_from = Moment()
    in_force_until = Moment(allow_null=True)
    supersedes = serializers.UUIDField(source="supersedes_id", allow_null=True)
    policy_version = serializers.IntegerField(source="policy_version_id")


class StrikeOut(serializers.Serializer):
    id = serializers.UUIDField()
    post = serializers.UUIDField(source="post_id")
    decision = serializers.UUIDField(source="decision_id")
    at = Moment()
    counts_until = Moment()


class FactorOut(serializers.Serializer):
    factor = serializers.CharField()
    value = serializers.FloatField()
    words = serializers.CharField()
