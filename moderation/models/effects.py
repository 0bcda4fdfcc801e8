"""Effective state out: what is served, how it reaches the cache and the change feed."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from moderation.enums import OutboxKind
from moderation.ids import new_id


class EffectiveState(models.Model):
    """What the platform must do with a post now. Every post has a row; version 0 is "never any effect".

    `document` is the answer of the lookup (see moderation.policy.effective_state) or null for no effect.
    Past `valid_until` the document must be computed again before it is used. `feed_bp` and `removed`
    repeat what ranking needs in SQL; one writer, recompute, keeps them equal.
    """

    post = models.OneToOneField("Post", primary_key=True, on_delete=models.PROTECT, related_name="state")
    version = models.PositiveBigIntegerField(default=0)
    document = models.JSONField(null=True)
    feed_bp = models.PositiveIntegerField(default=10_000)
    removed = models.BooleanField(default=False)
    valid_until = models.DateTimeField(null=True)
    computed_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(
                fields=["valid_until"], condition=Q(valid_until__isnull=False), name="state_that_ends"
            )
        ]


class Outbox(models.Model):
    """Work that a committed transaction still owes. The consumer deletes the row in the work's transaction."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    queue = models.CharField(max_length=16)
    kind = models.CharField(max_length=24, choices=OutboxKind)
    target = models.UUIDField()
    payload = models.JSONField(default=dict)
    at = models.DateTimeField()
    available_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    failed_at = models.DateTimeField(null=True)  # gave up; listed on the system page
    error = models.TextField(blank=True, default="")

    class Meta:
        indexes = [
            models.Index(
                fields=["queue", "available_at", "id"],
                condition=Q(failed_at__isnull=True),
                name="outbox_waiting",
            ),
            models.Index(
                fields=["target", "kind"], condition=Q(failed_at__isnull=True), name="outbox_by_target"
            ),
            models.Index(fields=["-failed_at"], condition=Q(attempts__gt=0), name="outbox_tried"),
        ]


class FanOut(models.Model):
    """Progress of one decision, standing or policy over many posts. A newer one over the same posts ends it."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    cluster = models.ForeignKey("Cluster", null=True, on_delete=models.PROTECT, related_name="fan_outs")
    actor = models.ForeignKey("Actor", null=True, on_delete=models.PROTECT, related_name="fan_outs")
    policy = models.OneToOneField(
        "PolicyVersion", null=True, on_delete=models.PROTECT, related_name="fan_out"
    )
    switch = models.ForeignKey("Switch", null=True, on_delete=models.PROTECT, related_name="fan_outs")
    total = models.PositiveIntegerField()
    done = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    superseded_by = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+")
    paused_at = models.DateTimeField(null=True)
    paused_by = models.ForeignKey("User", null=True, on_delete=models.PROTECT, related_name="+")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(superseded_by__isnull=True) | Q(finished_at__isnull=False),
                name="fan_out_superseded_is_over",
                violation_error_message=_("A newer one ends a fan-out."),
            ),
            models.CheckConstraint(
                condition=Q(paused_at__isnull=True, paused_by__isnull=True)
                | Q(paused_at__isnull=False, paused_by__isnull=False, finished_at__isnull=True),
                name="fan_out_paused_by_somebody",
                violation_error_message=_("Somebody pauses a fan-out that still runs."),
            ),
        ]


class FeedPending(models.Model):
    """A committed change that has no position yet."""

    id = models.BigAutoField(primary_key=True)
    post_id = models.UUIDField()
    version = models.PositiveBigIntegerField()
    document = models.JSONField(null=True)
    at = models.DateTimeField()


class ChangeFeed(models.Model):
    """Effective-state changes in one order that no reader can miss a part of. The oldest are forgotten."""

    position = models.BigIntegerField(primary_key=True)
    post_id = models.UUIDField()
    version = models.PositiveBigIntegerField()
    document = models.JSONField(null=True)
    at = models.DateTimeField()


class Strike(models.Model):
    """An actor's offence. It counts while `counts_until` is ahead and the decision on its cluster in force
    still strikes: nothing is counted up or down."""

    append_only = True

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    actor = models.ForeignKey("Actor", on_delete=models.PROTECT, related_name="strikes")
    cluster = models.ForeignKey("Cluster", on_delete=models.PROTECT, related_name="strikes")
    decision = models.ForeignKey("Decision", on_delete=models.PROTECT, related_name="strikes")
    post = models.ForeignKey("Post", on_delete=models.PROTECT, related_name="strikes")
    policy_version = models.ForeignKey("PolicyVersion", on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    counts_until = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["actor", "counts_until"], name="strike_by_actor")]
