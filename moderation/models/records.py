"""Notices, the audit log, and answers kept for repeated requests."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from moderation.enums import NoticeKind
from moderation.ids import new_id


class Notice(models.Model):
    """What a person is told, once. Pushed when `due_at` has come and nothing has overtaken it."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    kind = models.CharField(max_length=16, choices=NoticeKind)
    # Foreign keys without an index of their own: a decision over 100 000 posts writes as many of these rows,
    # and the indexes below answer every question.
    actor = models.ForeignKey(
        "Actor", null=True, on_delete=models.PROTECT, related_name="notices", db_index=False
    )
    reporter = models.ForeignKey(
        "Reporter", null=True, on_delete=models.PROTECT, related_name="notices", db_index=False
    )
    post = models.ForeignKey(
        "Post", null=True, on_delete=models.PROTECT, related_name="notices", db_index=False
    )
    decision = models.ForeignKey(
        "Decision", null=True, on_delete=models.PROTECT, related_name="notices", db_index=False
    )
    data = models.JSONField(default=dict)
    at = models.DateTimeField()
    due_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)
    cancelled_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["due_at"],
                condition=Q(sent_at__isnull=True, cancelled_at__isnull=True),
                name="notice_waiting",
            ),
            models.Index(fields=["actor", "-id"], name="notice_by_actor"),
        ]
        constraints = [
            models.UniqueConstraint(
                # (the post first: a fan-out goes through posts in order, and so through this index)
                fields=["post", "decision", "kind", "actor"],
                condition=Q(actor__isnull=False),
                name="notice_once",
                violation_error_message=_("This person is told already."),
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                condition=Q(actor__isnull=False, reporter__isnull=True)
                | Q(actor__isnull=True, reporter__isnull=False),
                name="notice_has_one_recipient",
                violation_error_message=_("A notice goes to an actor or to a reporter."),
            ),
        ]


class AuditRow(models.Model):
    """Who did what: ids and codes only, no foreign keys, so that it outlives everything."""

    append_only = True

    id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField()
    event = models.CharField(max_length=32)
    person = models.UUIDField(null=True)
    role = models.CharField(max_length=24)
    organisation = models.UUIDField(null=True)
    client = models.UUIDField(null=True)
    subject_kind = models.CharField(max_length=24)
    subject = models.CharField(max_length=40)
    data = models.JSONField(default=dict)

    class Meta:
        indexes = [models.Index(fields=["subject", "id"], name="audit_by_subject")]


class AuditSeal(models.Model):
    """The hash chain over audit rows: hash = SHA-256(previous hash, row)."""

    append_only = True

    position = models.BigIntegerField(primary_key=True)
    row_id = models.BigIntegerField(unique=True)
    previous = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)


class IdempotencyKey(models.Model):
    """The first answer to a write, for whoever sends the same request again within 24 h."""

    id = models.BigAutoField(primary_key=True)
    caller = models.CharField(max_length=80)
    key = models.CharField(max_length=200)
    request_sha256 = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(default=0)
    body = models.JSONField(null=True)
    at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["caller", "key"],
                name="idempotency_key_once_per_caller",
                violation_error_message=_("This key was used already."),
            )
        ]
