"""Claims, which posts make them, and what they are recognised by."""

from django.contrib.postgres.indexes import GinIndex, HashIndex, OpClass
from django.db import models
from django.db.models.functions import Upper
from django.utils.translation import gettext_lazy as _

from factcheck.enums import MatchKind, MatchState
from moderation.ids import new_id


class Claim(models.Model):
    """The checkable statement. Its posts are the members of its cluster."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    cluster = models.OneToOneField("moderation.Cluster", on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    language = models.CharField(max_length=8)
    added_for = models.ForeignKey("Partner", on_delete=models.PROTECT, related_name="+")
    added_at = models.DateTimeField()

    class Meta:
        indexes = [
            GinIndex(OpClass(Upper("text"), name="gin_trgm_ops"), name="claim_by_words"),
        ]

    def __str__(self) -> str:
        return self.text[:80]


class Match(models.Model):
    """The link between a post version and a claim. A rejected pair never comes back."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    post_version = models.ForeignKey("moderation.PostVersion", on_delete=models.PROTECT, related_name="+")
    claim = models.ForeignKey(Claim, on_delete=models.PROTECT, related_name="matches")
    kind = models.CharField(max_length=8, choices=MatchKind)
    score = models.FloatField(default=1.0)  # 0..1
    fragment = models.TextField(blank=True, default="")  # the part of the text that makes the claim
    state = models.CharField(max_length=12, choices=MatchState)
    by = models.ForeignKey("moderation.User", null=True, on_delete=models.PROTECT, related_name="+")
    partner = models.ForeignKey("Partner", null=True, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["claim", "post_version"],
                name="match_once",
                violation_error_message=_("This post and claim are matched or rejected already."),
            )
        ]


class Fingerprint(models.Model):
    """What a post version is recognised by: digests of its folded text and of its lone link ("" when none)."""

    version = models.OneToOneField(
        "moderation.PostVersion", primary_key=True, on_delete=models.PROTECT, related_name="+"
    )
    text_key = models.CharField(max_length=64, blank=True, default="")
    link_key = models.CharField(max_length=64, blank=True, default="")

    class Meta:
        indexes = [
            HashIndex(fields=["text_key"], name="fingerprint_text"),
            HashIndex(fields=["link_key"], name="fingerprint_link"),
        ]
