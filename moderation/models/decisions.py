"""Decisions in: append-only rows that change what is served."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from moderation.enums import DecisionKind, Ground
from moderation.ids import new_id


class Decision(models.Model):
    """A row that changes what is served. Never updated: a newer row `supersedes` it.

    In force at t: in_force_from <= t < in_force_until (if set), not superseded by a row that has begun,
    and not itself an ending. A withdrawal, a restoration, an early end is a row with `ends` true.
    `outcome` is opaque here; the policy data map it to effects. `presentation` is a copy for showing:
    "articles" (each verdict, publisher, headline, url, language), or a desk's "explanation".
    `organisations`: whose ratings a standing verdict rests on.
    """

    append_only = True

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    kind = models.CharField(max_length=20, choices=DecisionKind)
    cluster = models.ForeignKey("Cluster", null=True, on_delete=models.PROTECT, related_name="decisions")
    post = models.ForeignKey("Post", null=True, on_delete=models.PROTECT, related_name="decisions")
    post_version = models.ForeignKey("PostVersion", null=True, on_delete=models.PROTECT, related_name="+")
    outcome = models.CharField(max_length=32, blank=True, default="")
    contested = models.BooleanField(default=False)
    ends = models.BooleanField(default=False)
    ground = models.CharField(max_length=24, choices=Ground, blank=True, default="")
    regions = ArrayField(models.CharField(max_length=8), default=list)
    presentation = models.JSONField(default=dict)
    organisations = ArrayField(models.UUIDField(), default=list)
    in_force_from = models.DateTimeField()
    in_force_until = models.DateTimeField(null=True)
    supersedes = models.OneToOneField(
        "self", null=True, on_delete=models.PROTECT, related_name="superseded_by"
    )
    source = models.CharField(max_length=32)
    source_key = models.CharField(max_length=120)
    policy_version = models.ForeignKey("PolicyVersion", on_delete=models.PROTECT, related_name="+")
    decided_by = models.ForeignKey("User", null=True, on_delete=models.PROTECT, related_name="+")
    confirmed_by = models.ForeignKey("User", null=True, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["cluster"], condition=Q(cluster__isnull=False), name="decision_by_cluster"),
            models.Index(fields=["post"], condition=Q(post__isnull=False), name="decision_by_post"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["source", "source_key"],
                name="decision_once_per_source_key",
                violation_error_message=_("This decision is recorded already."),
            ),
            models.CheckConstraint(
                condition=Q(cluster__isnull=False, post__isnull=True)
                | Q(cluster__isnull=True, post__isnull=False),
                name="decision_has_one_target",
                violation_error_message=_("A decision is about one post or one cluster."),
            ),
            models.CheckConstraint(
                condition=Q(ends=False) | Q(supersedes__isnull=False),
                name="decision_ending_names_what_it_ends",
                violation_error_message=_("An ending names the decision it ends."),
            ),
            models.CheckConstraint(
                condition=~Q(kind="removal", ends=False) | Q(confirmed_by__isnull=False),
                name="removal_has_second_key",
                violation_error_message=_("A removal needs a second specialist."),
            ),
            models.CheckConstraint(
                condition=Q(confirmed_by__isnull=True)
                | (Q(decided_by__isnull=False) & ~Q(confirmed_by=models.F("decided_by"))),
                name="decision_second_key_is_another_person",
                violation_error_message=_("The second key is another person."),
            ),
            models.CheckConstraint(
                condition=~Q(kind="hide", ends=False) | Q(in_force_until__isnull=False),
                name="hide_ends_by_itself",
                violation_error_message=_("An emergency hide ends by itself."),
            ),
        ]
