"""A cluster is "posts about one thing". A decision on it reaches every post in it."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from moderation.ids import new_id


class Cluster(models.Model):
    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    added_at = models.DateTimeField()


class ClusterMember(models.Model):
    """A post version in a cluster, from when until when. A rejected match ends it; it never comes back."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, related_name="members")
    post_version = models.ForeignKey("PostVersion", on_delete=models.PROTECT, related_name="memberships")
    post = models.ForeignKey("Post", on_delete=models.PROTECT, related_name="memberships")
    joined_at = models.DateTimeField()
    left_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["cluster", "post"], condition=Q(left_at__isnull=True), name="member_live_by_cluster"
            ),
            models.Index(fields=["post"], condition=Q(left_at__isnull=True), name="member_live_by_post"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["cluster", "post_version"],
                condition=Q(left_at__isnull=True),
                name="member_once_per_version",
                violation_error_message=_("This version is in the cluster already."),
            )
        ]
