"""The policy desk: cases, and proposals that wait for the second key."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from moderation.enums import DeskAction, EscalationStatus, Ground, ProposalStatus
from moderation.ids import new_id


class Escalation(models.Model):
    """A request for removal: a case of its own beside the review item, closed only by the desk."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    post = models.ForeignKey("Post", on_delete=models.PROTECT, related_name="escalations")
    post_version = models.ForeignKey("PostVersion", on_delete=models.PROTECT, related_name="+")
    ground = models.CharField(max_length=24, choices=Ground)
    regions = ArrayField(models.CharField(max_length=8), default=list)
    note = models.TextField(blank=True, default="")
    status = models.CharField(max_length=12, choices=EscalationStatus, default=EscalationStatus.OPEN)
    opened_by = models.ForeignKey("User", null=True, on_delete=models.PROTECT, related_name="+")
    opened_for = models.UUIDField(null=True)  # the organisation
    opened_at = models.DateTimeField()
    due_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)
    version = models.PositiveIntegerField(default=1)

    class Meta:
        indexes = [
            models.Index(
                fields=["due_at"], condition=Q(status__in=["open", "proposed"]), name="escalation_open_by_due"
            )
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["post", "ground"],
                condition=Q(status__in=["open", "proposed"]),
                name="escalation_open_once_per_ground",
                violation_error_message=_("The desk has an open case for this post and ground."),
            ),
            models.CheckConstraint(
                condition=Q(status__in=["open", "proposed"], decided_at__isnull=True)
                | Q(status__in=["removed", "restricted", "kept"], decided_at__isnull=False),
                name="escalation_decided_says_when",
                violation_error_message=_("A decided case has the time of its decision."),
            ),
        ]


class Proposal(models.Model):
    """One specialist's proposal; another one confirms or refuses it."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    escalation = models.ForeignKey(Escalation, on_delete=models.PROTECT, related_name="proposals")
    action = models.CharField(max_length=8, choices=DeskAction)
    ground = models.CharField(max_length=24, choices=Ground)
    regions = ArrayField(models.CharField(max_length=8), default=list)
    explanation = models.TextField()
    policy_section = models.CharField(max_length=80)
    status = models.CharField(max_length=12, choices=ProposalStatus, default=ProposalStatus.WAITING)
    proposed_by = models.ForeignKey("User", on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()
    judged_by = models.ForeignKey("User", null=True, on_delete=models.PROTECT, related_name="+")
    judged_at = models.DateTimeField(null=True)
    reason = models.TextField(blank=True, default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["escalation"],
                condition=Q(status="waiting"),
                name="proposal_waiting_once",
                violation_error_message=_("A proposal waits for its second key already."),
            ),
            models.CheckConstraint(
                condition=Q(judged_by__isnull=True) | ~Q(judged_by=F("proposed_by")),
                name="proposal_judge_is_another_person",
                violation_error_message=_("Another specialist must confirm: you proposed this."),
            ),
            models.CheckConstraint(
                condition=Q(status="waiting", judged_by__isnull=True, judged_at__isnull=True)
                | Q(status__in=["confirmed", "refused"], judged_by__isnull=False, judged_at__isnull=False),
                name="proposal_judged_by_and_at",
                violation_error_message=_("A judged proposal says by whom and when."),
            ),
        ]
