"""What members and machines say about a post."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from moderation.enums import FlagOutcome, FlagReason
from moderation.ids import new_id


class Reporter(models.Model):
    """Who flags: one of our people, or a member of the platform known by external id."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    person = models.OneToOneField("User", null=True, on_delete=models.PROTECT, related_name="reporter")
    external_id = models.CharField(max_length=200, null=True, unique=True)  # noqa: DJ001 (unique)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(person__isnull=False, external_id__isnull=True)
                | Q(person__isnull=True, external_id__isnull=False),
                name="reporter_is_person_or_external",
                violation_error_message=_("A reporter is one of our people or has an external id."),
            )
        ]


class Flag(models.Model):
    """A member's report on a post version. Withdrawn flags stay, and count no more."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    post = models.ForeignKey("Post", on_delete=models.PROTECT, related_name="flags")
    post_version = models.ForeignKey("PostVersion", on_delete=models.PROTECT, related_name="flags")
    reporter = models.ForeignKey(Reporter, on_delete=models.PROTECT, related_name="flags")
    reason = models.CharField(max_length=24, choices=FlagReason)
    note = models.TextField(blank=True, default="")
    at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=12, choices=FlagOutcome, default=FlagOutcome.PENDING)

    class Meta:
        indexes = [models.Index(fields=["reporter", "-id"], name="flag_by_reporter")]
        constraints = [
            models.UniqueConstraint(
                fields=["post_version", "reporter"],
                condition=Q(withdrawn_at__isnull=True),
                name="flag_live_once_per_reporter",
                violation_error_message=_("You have flagged this post already."),
            )
        ]


class Signal(models.Model):
    """A machine's hint about a post version. `score` is 0..1."""

    append_only = True

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    post = models.ForeignKey("Post", on_delete=models.PROTECT, related_name="signals")
    post_version = models.ForeignKey("PostVersion", on_delete=models.PROTECT, related_name="signals")
    source = models.CharField(max_length=80)
    kind = models.CharField(max_length=40)
    score = models.FloatField()
    at = models.DateTimeField()
    received_at = models.DateTimeField()
    details = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["post_version", "source", "kind", "at"],
                name="signal_once",
                violation_error_message=_("This signal is here already."),
            ),
            models.CheckConstraint(
                condition=Q(score__gte=0, score__lte=1),
                name="signal_score_0_1",
                violation_error_message=_("A score is between 0 and 1."),
            ),
        ]
