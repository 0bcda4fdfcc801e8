"""Programme switches: what an administrator turns on with a second key, and back in one step."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from moderation.enums import SwitchKind, SwitchStatus
from moderation.ids import new_id


class Switch(models.Model):
    """One programme switch (domain 4), in force from `confirmed_at` until just before `ended_at`.

    It covers what fits all of its `country` (ISO 3166-1: of the partner whose ratings stop, of the viewer for
    whom effects are lifted, of the actor whose strikes are cleared), `organisation` and `outcome`; an empty
    one fits everything. It is read wherever effects, strikes and permissions are worked out and changes no
    other row, so its return leaves nothing behind.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    kind = models.CharField(max_length=16, choices=SwitchKind)
    country = models.CharField(max_length=2, blank=True, default="")
    organisation = models.UUIDField(null=True)
    outcome = models.CharField(max_length=32, blank=True, default="")
    reason = models.TextField()
    status = models.CharField(max_length=12, choices=SwitchStatus, default=SwitchStatus.PROPOSED)
    version = models.PositiveIntegerField(default=1)
    proposed_by = models.ForeignKey("User", on_delete=models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()
    confirmed_by = models.ForeignKey("User", null=True, on_delete=models.PROTECT, related_name="+")
    confirmed_at = models.DateTimeField(null=True)
    # Whoever returned, refused or withdrew it.
    ended_by = models.ForeignKey("User", null=True, on_delete=models.PROTECT, related_name="+")
    ended_at = models.DateTimeField(null=True)
    refusal = models.TextField(blank=True, default="")
    dry_run = models.JSONField(null=True)  # see moderation.services.dry_runs

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=~Q(kind="stop_ratings", country="", organisation__isnull=True, outcome=""),
                name="switch_never_stops_every_rating",
                violation_error_message=_("Say for which country, partner or verdict ratings stop."),
            ),
            models.CheckConstraint(
                condition=Q(confirmed_by__isnull=True) | ~Q(confirmed_by=F("proposed_by")),
                name="switch_second_key_is_another_person",
                violation_error_message=_("Another administrator must confirm: you proposed this."),
            ),
            models.CheckConstraint(
                condition=~Q(status="refused") | ~Q(ended_by=F("proposed_by")),
                name="switch_refused_by_another_person",
                violation_error_message=_("Another administrator must judge: you proposed this."),
            ),
            models.CheckConstraint(
                condition=Q(status__in=["on", "off"], confirmed_by__isnull=False, confirmed_at__isnull=False)
                | (~Q(status__in=["on", "off"]) & Q(confirmed_by__isnull=True, confirmed_at__isnull=True)),
                name="switch_on_has_second_key",
                violation_error_message=_("A switch goes on with a second key."),
            ),
            models.CheckConstraint(
                condition=Q(status__in=["proposed", "on"], ended_by__isnull=True, ended_at__isnull=True)
                | (~Q(status__in=["proposed", "on"]) & Q(ended_by__isnull=False, ended_at__isnull=False)),
                name="switch_ended_says_by_whom",
                violation_error_message=_("A switch that ended says when and by whom."),
            ),
            models.UniqueConstraint(
                fields=["kind", "country", "organisation", "outcome"],
                condition=Q(status__in=["proposed", "on"]),
                name="switch_once_per_scope",
                violation_error_message=_("This switch is on, or waits for its second key."),
                nulls_distinct=False,
            ),
        ]
