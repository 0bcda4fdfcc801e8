"""Ratings: the partners' rows. Append-only; a revision supersedes, a withdrawal ends."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models import Q
from django.db.models.functions import Upper
from django.utils.translation import gettext_lazy as _

from factcheck.enums import ArticleStatus, Verdict
from moderation.ids import new_id


class Article(models.Model):
    """A published fact-check on the partner's own domain."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    partner = models.ForeignKey("Partner", on_delete=models.PROTECT, related_name="articles")
    url = models.URLField(max_length=2000)
    status = models.CharField(max_length=12, choices=ArticleStatus, default=ArticleStatus.UNCHECKED)
    added_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["partner", "url"],
                name="article_once",
                violation_error_message=_("This article is known already."),
            )
        ]


class Rating(models.Model):
    """A partner's verdict on a claim, made on the post version displayed at submit."""

    append_only = True

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    claim = models.ForeignKey("Claim", on_delete=models.PROTECT, related_name="ratings")
    partner = models.ForeignKey("Partner", on_delete=models.PROTECT, related_name="ratings")
    item = models.ForeignKey("moderation.ReviewItem", null=True, on_delete=models.PROTECT, related_name="+")
    post_version = models.ForeignKey("moderation.PostVersion", on_delete=models.PROTECT, related_name="+")
    verdict = models.CharField(max_length=16, choices=Verdict)
    headline = models.CharField(max_length=200)
    explanation = models.TextField()
    article = models.ForeignKey(Article, null=True, on_delete=models.PROTECT, related_name="ratings")
    evidence = models.JSONField(default=list)  # [{"url", "title"}, …]
    countries = ArrayField(models.CharField(max_length=8), default=list)
    language = models.CharField(max_length=8)
    rated_by = models.ForeignKey("moderation.User", on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
    supersedes = models.OneToOneField(
        "self", null=True, on_delete=models.PROTECT, related_name="superseded_by"
    )

    class Meta:
        indexes = [
            models.Index(fields=["partner", "-id"], name="rating_by_partner"),
            GinIndex(OpClass(Upper("headline"), name="gin_trgm_ops"), name="rating_by_words"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(verdict__in=["satire", "true"]) | Q(article__isnull=False),
                name="rating_has_article",
                violation_error_message=_("This verdict needs an article on your own domain."),
            )
        ]


class Withdrawal(models.Model):
    """The end of a rating. `undone` marks one within 30 s by the rater: it leaves no trace outside."""

    append_only = True

    rating = models.OneToOneField(
        Rating, primary_key=True, on_delete=models.PROTECT, related_name="withdrawal"
    )
    reason = models.TextField()
    undone = models.BooleanField(default=False)
    withdrawn_by = models.ForeignKey("moderation.User", on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField()
