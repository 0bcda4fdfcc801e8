"""The queue: review items and the notes people leave on them."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from moderation.enums import ItemKind, ItemOutcome, ItemStatus
from moderation.ids import new_id


class ReviewItem(models.Model):
    """One entry that needs a human: about a post, or about a cluster once a match is confirmed.

    The lease is three columns of this row, flipped while it is locked: `holder`, `held_until` (judged
    when read) and `fence`, which rises with each new holder. `version` rises on what a decision depends
    on (shown content, membership by people, merge, closure), never on flags, reach, rank or lease.
    `rank` is Σ ln(factor) − opened_at/τ, see moderation.policy.priority.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    kind = models.CharField(max_length=16, choices=ItemKind, default=ItemKind.REVIEW)
    post = models.ForeignKey("Post", null=True, on_delete=models.PROTECT, related_name="items")
    cluster = models.ForeignKey("Cluster", null=True, on_delete=models.PROTECT, related_name="items")
    displayed_version = models.ForeignKey("PostVersion", on_delete=models.PROTECT, related_name="+")
    status = models.CharField(max_length=8, choices=ItemStatus, default=ItemStatus.OPEN)
    outcome = models.CharField(max_length=16, choices=ItemOutcome, default=ItemOutcome.NONE, blank=True)
    language = models.CharField(max_length=8)
    countries = ArrayField(models.CharField(max_length=8), default=list)
    topic = models.CharField(max_length=32, blank=True, default="")
    opened_at = models.DateTimeField()
    due_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    picked = models.BooleanField(default=False)  # opened by a partner, without a flag
    touched = models.BooleanField(default=False)  # somebody has held it

    flaggers = models.PositiveIntegerField(default=0)  # distinct live reporters, counted in batches
    reasons = models.JSONField(default=dict)  # reason -> distinct live reporters
    signals = models.PositiveIntegerField(default=0)
    factors = models.JSONField(default=list)  # [{"factor", "value", "words"}, …]
    rank = models.FloatField(default=0)
    version = models.PositiveIntegerField(default=1)

    holder = models.ForeignKey("User", null=True, on_delete=models.PROTECT, related_name="+")
    held_for = models.UUIDField(null=True)  # the organisation the holder acts in
    held_since = models.DateTimeField(null=True)
    held_until = models.DateTimeField(null=True)
    fence = models.PositiveIntegerField(default=0)

    class Meta:
        indexes = [
            models.Index(
                fields=["language", "-rank", "id"], condition=Q(status="open"), name="item_open_by_rank"
            ),
            models.Index(fields=["due_at"], condition=Q(status="open"), name="item_open_by_due"),
            models.Index(
                fields=["holder"], condition=Q(status="open", holder__isnull=False), name="item_held_by"
            ),
            models.Index(fields=["displayed_version", "closed_at"], name="item_by_version"),
            GinIndex(fields=["countries"], name="item_countries"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "post"],
                condition=Q(status="open", post__isnull=False),
                name="item_open_once_per_post",
                violation_error_message=_("The post is in the queue already."),
            ),
            models.UniqueConstraint(
                fields=["kind", "cluster"],
                condition=Q(status="open", cluster__isnull=False),
                name="item_open_once_per_cluster",
                violation_error_message=_("The claim is in the queue already."),
            ),
            models.CheckConstraint(
                condition=Q(post__isnull=False, cluster__isnull=True)
                | Q(post__isnull=True, cluster__isnull=False),
                name="item_is_about_post_or_cluster",
                violation_error_message=_("An item is about one post or one cluster."),
            ),
            models.CheckConstraint(
                condition=Q(
                    holder__isnull=True,
                    held_since__isnull=True,
                    held_until__isnull=True,
                    held_for__isnull=True,
                )
                | Q(holder__isnull=False, held_since__isnull=False, held_until__isnull=False),
                name="item_lease_all_or_none",
                violation_error_message=_("A lease names its holder and both times."),
            ),
            models.CheckConstraint(
                condition=Q(status="open", closed_at__isnull=True, outcome="")
                | (Q(status="closed", closed_at__isnull=False, holder__isnull=True) & ~Q(outcome="")),
                name="item_closed_says_how",
                violation_error_message=_("A closed item has an outcome and no holder."),
            ),
        ]


class ItemNote(models.Model):
    """An internal note on an item, signed by the organisation."""

    append_only = True

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    item = models.ForeignKey(ReviewItem, on_delete=models.PROTECT, related_name="notes")
    author = models.ForeignKey("User", on_delete=models.PROTECT, related_name="+")
    organisation = models.UUIDField(null=True)
    text = models.TextField()
    at = models.DateTimeField()
