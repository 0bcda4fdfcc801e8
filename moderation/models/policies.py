"""Policy versions, and drafts that become one by a second administrator's approval."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from moderation.enums import PolicyStatus
from moderation.ids import new_id


class PolicyVersion(models.Model):
    """Numbers and rules as data (domain 4-6). A version is never changed.

    Of those that have begun, the one with the highest number holds: a newer version that begins earlier
    keeps an older one from ever beginning.
    """

    append_only = True

    number = models.PositiveIntegerField(primary_key=True)
    data = models.JSONField()
    valid_from = models.DateTimeField()
    reason = models.TextField(blank=True, default="")
    author = models.ForeignKey("User", null=True, on_delete=models.PROTECT, related_name="+")
    approver = models.ForeignKey("User", null=True, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(null=True)  # of the approval; null for version 1, which the product brings

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(approver__isnull=True) | ~Q(approver=F("author")),
                name="policy_approver_is_another_person",
                violation_error_message=_("Another administrator must approve: you wrote this."),
            )
        ]


class PolicyDraft(models.Model):
    """A policy that may become the version after `base`. Its dry run tells what it would change."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    base = models.ForeignKey(PolicyVersion, on_delete=models.PROTECT, related_name="drafts")
    data = models.JSONField()
    reason = models.TextField(blank=True, default="")
    valid_from = models.DateTimeField(null=True)  # null: as soon as it is approved
    status = models.CharField(max_length=12, choices=PolicyStatus, default=PolicyStatus.DRAFT)
    version = models.PositiveIntegerField(default=1)
    author = models.ForeignKey("User", on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    judged_by = models.ForeignKey("User", null=True, on_delete=models.PROTECT, related_name="+")
    judged_at = models.DateTimeField(null=True)
    refusal = models.TextField(blank=True, default="")
    became = models.OneToOneField(PolicyVersion, null=True, on_delete=models.PROTECT, related_name="draft")
    dry_run = models.JSONField(null=True)  # see moderation.services.dry_runs

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(judged_by__isnull=True) | ~Q(judged_by=F("author")),
                name="policy_draft_judge_is_another_person",
                violation_error_message=_("Another administrator must judge: you wrote this."),
            ),
            models.CheckConstraint(
                condition=Q(status="approved", became__isnull=False)
                | (~Q(status="approved") & Q(became__isnull=True)),
                name="policy_draft_approved_became_a_version",
                violation_error_message=_("An approved draft names the version it became."),
            ),
        ]
