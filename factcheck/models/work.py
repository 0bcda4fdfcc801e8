"""A reviewer's work in progress: lease history and drafts."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from factcheck.enums import LeaseEnding, SkipReason
from moderation.ids import new_id


class Lease(models.Model):
    """One hold of an item by a person, and how it ended. The live lease itself is on the item row.

    A skip is per reviewer: it lasts until the item's version rises above `item_version`.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    item = models.ForeignKey("moderation.ReviewItem", on_delete=models.PROTECT, related_name="+")
    person = models.ForeignKey("moderation.User", on_delete=models.PROTECT, related_name="+")
    partner = models.ForeignKey("Partner", on_delete=models.PROTECT, related_name="leases")
    fence = models.PositiveIntegerField()
    item_version = models.PositiveIntegerField()
    taken_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    ending = models.CharField(max_length=12, choices=LeaseEnding, default=LeaseEnding.OPEN, blank=True)
    reason = models.CharField(max_length=16, choices=SkipReason, blank=True, default="")
    wake_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["person", "ending"], name="lease_by_person")]
        constraints = [
            models.UniqueConstraint(
                fields=["item", "fence"],
                name="lease_once_per_fence",
                violation_error_message=_("This hold is recorded already."),
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True, ending="") | (Q(ended_at__isnull=False) & ~Q(ending="")),
                name="lease_ended_says_how",
                violation_error_message=_("An ended lease says how it ended."),
            ),
        ]


class Draft(models.Model):
    """What a reviewer has typed for an item; kept when the lease is lost."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    item = models.ForeignKey("moderation.ReviewItem", on_delete=models.PROTECT, related_name="+")
    person = models.ForeignKey("moderation.User", on_delete=models.PROTECT, related_name="+")
    fields = models.JSONField(default=dict)
    saved_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["item", "person"],
                name="draft_once",
                violation_error_message=_("There is a draft already."),
            )
        ]
