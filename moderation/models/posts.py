"""Actors and what they published. A version is immutable; its erasable text lives beside it."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models import Q
from django.db.models.functions import Upper
from django.utils.translation import gettext_lazy as _

from moderation.enums import ActorKind
from moderation.ids import new_id


class Actor(models.Model):
    """Who published: an account, page, group or domain. Strikes count against actors."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    kind = models.CharField(max_length=8, choices=ActorKind)
    external_id = models.CharField(max_length=200)
    name = models.CharField(max_length=200)
    country = models.CharField(max_length=2, blank=True, default="")  # ISO 3166-1; "": not known
    person = models.ForeignKey("moderation.User", null=True, on_delete=models.PROTECT, related_name="actors")
    added_at = models.DateTimeField()

    class Meta:
        indexes = [GinIndex(OpClass(Upper("name"), name="gin_trgm_ops"), name="actor_by_words")]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "external_id"],
                name="actor_external_id_once_per_kind",
                violation_error_message=_("There is an actor of this kind with this external id."),
            )
        ]

    def __str__(self) -> str:
        return self.name


class Post(models.Model):
    """One publication. Its text is in versions; a deletion leaves this row as the tombstone."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    external_id = models.CharField(max_length=200, unique=True)
    actor = models.ForeignKey(Actor, on_delete=models.PROTECT, related_name="posts")
    language = models.CharField(max_length=8)
    regions = ArrayField(models.CharField(max_length=8), default=list)
    topic = models.CharField(max_length=32, blank=True, default="")
    published_at = models.DateTimeField(db_index=True)
    added_at = models.DateTimeField()
    current_version = models.ForeignKey("PostVersion", null=True, on_delete=models.PROTECT, related_name="+")
    deleted_at = models.DateTimeField(null=True)
    deleted_by = models.CharField(max_length=16, blank=True, default="")

    class Meta:
        indexes = [models.Index(fields=["actor", "id"], name="post_by_actor")]
        constraints = [
            models.CheckConstraint(
                condition=Q(deleted_at__isnull=True, deleted_by="")
                | (Q(deleted_at__isnull=False) & ~Q(deleted_by="")),
                name="post_deletion_says_by_whom",
                violation_error_message=_("A deletion says when and by whom."),
            )
        ]

    def __str__(self) -> str:
        return self.external_id


class PostVersion(models.Model):
    """What the post said at a time. Flags, ratings and decisions name the version they were made on."""

    append_only = True

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    post = models.ForeignKey(Post, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField()
    content_sha256 = models.CharField(max_length=64)
    seen_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["post", "number"],
                name="post_version_number_once",
                violation_error_message=_("The post has a version with this number."),
            )
        ]


class PostContent(models.Model):
    """The erasable part of a version: text, links and media as seen. Only redaction changes it."""

    version = models.OneToOneField(
        PostVersion, primary_key=True, on_delete=models.PROTECT, related_name="content"
    )
    text = models.TextField()
    links = models.JSONField(default=list)  # [url, …]
    media = models.JSONField(default=list)  # [{"url", "sha256", "alt"}, …]
    redacted_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            # `icontains` compares upper case.
            GinIndex(OpClass(Upper("text"), name="gin_trgm_ops"), name="post_by_words"),
            GinIndex(fields=["links"], opclasses=["jsonb_path_ops"], name="post_by_link"),
        ]


class PostReach(models.Model):
    """The newest figures of a post, and its speed: views per hour over the newest sampled stretch."""

    post = models.OneToOneField(Post, primary_key=True, on_delete=models.PROTECT, related_name="reach")
    at = models.DateTimeField()
    views = models.BigIntegerField(default=0)
    shares = models.BigIntegerField(default=0)
    comments = models.BigIntegerField(default=0)
    views_per_hour = models.FloatField(default=0)


class ReachSample(models.Model):
    """Figures of a post at a time; append-only, nothing refers to it."""

    append_only = True

    id = models.BigAutoField(primary_key=True)
    post_id = models.UUIDField()
    at = models.DateTimeField()
    views = models.BigIntegerField()
    shares = models.BigIntegerField()
    comments = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["post_id", "at"],
                name="reach_sample_once_per_time",
                violation_error_message=_("There is a sample for this time."),
            )
        ]
