"""Webhooks: who is told, what is to be told, and how far each telling has come."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from moderation.enums import DisabledReason, StandingLevel, WebhookEventType
from moderation.ids import new_id


class WebhookEndpoint(models.Model):
    """An address that is told of events; the platform's own, or of one organisation and then of its events.

    Secrets sign, so they are kept as they are (ADR 0005). Until `previous_until` the previous one signs
    too. The lane is held by one worker at a time: `held_until` (judged when read) and `fence`, which rises
    with each holder. After a failure the whole lane rests until `rests_until`.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=120)
    url = models.CharField(max_length=2000)
    event_types = ArrayField(models.CharField(max_length=32, choices=WebhookEventType))
    organisation = models.UUIDField(null=True)
    secret = models.CharField(max_length=80, blank=True)  # "" once the endpoint is removed
    previous_secret = models.CharField(max_length=80, blank=True, default="")
    previous_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey("User", null=True, on_delete=models.PROTECT, related_name="+")
    disabled_at = models.DateTimeField(null=True)
    disabled_reason = models.CharField(max_length=12, choices=DisabledReason, blank=True, default="")
    removed_at = models.DateTimeField(null=True)

    held_until = models.DateTimeField(null=True)
    fence = models.PositiveBigIntegerField(default=0)
    rests_until = models.DateTimeField(null=True)
    failures = models.PositiveIntegerField(default=0)  # in a row
    failing_since = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(disabled_at__isnull=True, disabled_reason="")
                | (Q(disabled_at__isnull=False) & ~Q(disabled_reason="")),
                name="webhook_disabled_says_why",
                violation_error_message=_("A disabled endpoint has a reason."),
            ),
            models.CheckConstraint(
                condition=Q(previous_until__isnull=True, previous_secret="")
                | (Q(previous_until__isnull=False) & ~Q(previous_secret="")),
                name="webhook_previous_secret_ends",
                violation_error_message=_("A previous secret has an end."),
            ),
            models.CheckConstraint(
                condition=Q(failures=0, failing_since__isnull=True)
                | Q(failures__gt=0, failing_since__isnull=False),
                name="webhook_failing_says_since_when",
                violation_error_message=_("An endpoint that fails has a time since when."),
            ),
        ]


class WebhookEvent(models.Model):
    """Something that happened, written in its transaction while somebody subscribes to its type.

    `id` is the receiver's `webhook-id`; `version` rises per object, so that disorder can be told. Told
    from `available_at` on: a rating waits for its undo. `spread_at`: when its deliveries were made.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    type = models.CharField(max_length=32, choices=WebhookEventType)
    object_id = models.UUIDField()
    version = models.PositiveBigIntegerField()
    data = models.JSONField()
    organisation = models.UUIDField(null=True)  # whose doing it is, if one organisation's
    at = models.DateTimeField()
    available_at = models.DateTimeField()
    spread_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["available_at"], condition=Q(spread_at__isnull=True), name="event_not_spread"
            ),
            models.Index(fields=["at"], name="event_by_age"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["object_id", "type", "version"],
                name="event_once_per_version",
                violation_error_message=_("This version has its event already."),
            )
        ]


class WebhookDelivery(models.Model):
    """One event to one endpoint: waiting (`next_at`), done, or given up (`dead_at`).

    `rank` 0 goes before 1: what people wait for is not held up by a flood of effects.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    endpoint = models.ForeignKey(WebhookEndpoint, on_delete=models.PROTECT, related_name="deliveries")
    event = models.ForeignKey(WebhookEvent, on_delete=models.PROTECT, related_name="deliveries")
    rank = models.PositiveSmallIntegerField()
    created_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(null=True)
    last_at = models.DateTimeField(null=True)
    last_status = models.PositiveSmallIntegerField(null=True)  # of the receiver's answer, if there was one
    last_error = models.CharField(
        max_length=300, blank=True, default=""
    )  # in our words, never the receiver's
    done_at = models.DateTimeField(null=True)
    dead_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["endpoint", "rank", "next_at"],
                condition=Q(next_at__isnull=False),
                name="delivery_waiting",
            ),
            models.Index(fields=["endpoint", "-id"], name="delivery_by_endpoint"),
            models.Index(
                fields=["endpoint", "-id"], condition=Q(dead_at__isnull=False), name="delivery_dead"
            ),
            models.Index(
                fields=["created_at"], condition=Q(next_at__isnull=False), name="delivery_waiting_by_age"
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["event", "endpoint"],
                name="delivery_once",
                violation_error_message=_("This event has its delivery to the endpoint already."),
            ),
            models.CheckConstraint(
                condition=Q(next_at__isnull=False, done_at__isnull=True, dead_at__isnull=True)
                | Q(next_at__isnull=True, done_at__isnull=False, dead_at__isnull=True)
                | Q(next_at__isnull=True, done_at__isnull=True, dead_at__isnull=False),
                name="delivery_in_one_state",
                violation_error_message=_("A delivery waits, is done, or was given up."),
            ),
        ]


class ActorStanding(models.Model):
    """The level that was last told of an actor, so that a change can be. Never what is enforced: the level
    is what the strikes counting now imply, whenever it is asked for."""

    actor = models.OneToOneField("Actor", primary_key=True, on_delete=models.PROTECT, related_name="standing")
    level = models.CharField(max_length=16, choices=StandingLevel, default=StandingLevel.NONE)
    version = models.PositiveBigIntegerField(default=0)
    until = models.DateTimeField(null=True)  # when the next of its strikes stops counting
    judged_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["until"], condition=Q(until__isnull=False), name="standing_that_ends")
        ]
