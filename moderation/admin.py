"""Django's admin as a place to look things up: for support staff, and nothing in it can be changed.

What changes something has a page of its own, where the rule, the audit row and the consequences are.
Members' flags are not here: who flagged whom is for reviewers only (field lesson ORG-04).
"""

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import Model
from django.http import HttpRequest
from django.utils.html import format_html

from moderation import models


def isolated(field: str, description: str = "") -> Any:
    """A column with text by people, kept from turning its neighbours round."""

    @admin.display(description=description or field.replace("_", " "), ordering=field)
    def shown(self: Any, row: Model) -> str:
        return format_html('<bdi dir="auto">{}</bdi>', getattr(row, field))

    return shown


class LookUp(admin.ModelAdmin):
    """Rows to look at. Nobody adds, changes or deletes one here, whatever permissions they hold."""

    show_full_result_count = False
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(models.User)
class UserLookUp(LookUp):
    list_display = ("email", "name", "is_active", "is_staff", "last_login")
    list_filter = ("is_active", "is_staff")
    search_fields = ("email", "display_name")
    ordering = ("-pk",)
    exclude = ("password", "user_permissions", "groups")
    name = isolated("display_name", "name")


@admin.register(models.RoleGrant)
class RoleGrantLookUp(LookUp):
    list_display = ("person", "role", "granted_at", "ended_at")
    list_filter = ("role",)
    list_select_related = ("person",)
    search_fields = ("person__email",)
    ordering = ("-pk",)


@admin.register(models.ApiClient)
class ApiClientLookUp(LookUp):
    list_display = ("shown_name", "prefix", "created_at", "expires_at", "revoked_at", "last_used_at")
    search_fields = ("name", "prefix")
    ordering = ("-pk",)
    exclude = ("secret_sha256",)
    shown_name = isolated("name")


@admin.register(models.Actor)
class ActorLookUp(LookUp):
    list_display = ("shown_name", "kind", "external_id", "added_at")
    list_filter = ("kind",)
    search_fields = ("name", "external_id")
    ordering = ("-pk",)
    raw_id_fields = ("person",)
    shown_name = isolated("name")


@admin.register(models.Post)
class PostLookUp(LookUp):
    """Posts without their words: what was removed is read at the desk, where looking is recorded."""

    list_display = ("external_id", "actor", "language", "published_at", "deleted_at")
    list_select_related = ("actor",)
    search_fields = ("external_id",)
    ordering = ("-pk",)
    raw_id_fields = ("actor", "current_version")


@admin.register(models.ReviewItem)
class ReviewItemLookUp(LookUp):
    list_display = ("id", "kind", "status", "outcome", "language", "due_at", "held_until")
    list_filter = ("status", "kind", "language")
    ordering = ("-pk",)
    raw_id_fields = ("post", "cluster", "displayed_version", "holder")


@admin.register(models.Decision)
class DecisionLookUp(LookUp):
    list_display = ("id", "kind", "outcome", "contested", "ends", "in_force_from", "in_force_until")
    list_filter = ("kind", "outcome")
    ordering = ("-pk",)
    raw_id_fields = ("cluster", "post", "post_version", "supersedes", "decided_by", "confirmed_by")


@admin.register(models.EffectiveState)
class EffectiveStateLookUp(LookUp):
    list_display = ("post_id", "version", "feed_bp", "removed", "valid_until", "computed_at")
    list_filter = ("removed",)
    ordering = ("-computed_at",)
    raw_id_fields = ("post",)


@admin.register(models.Strike)
class StrikeLookUp(LookUp):
    list_display = ("actor", "at", "counts_until", "policy_version_id")
    list_select_related = ("actor",)
    ordering = ("-pk",)
    raw_id_fields = ("actor", "cluster", "decision", "post")


@admin.register(models.Escalation)
class EscalationLookUp(LookUp):
    list_display = ("id", "ground", "status", "opened_at", "due_at", "decided_at")
    list_filter = ("status", "ground")
    ordering = ("-pk",)
    raw_id_fields = ("post", "post_version", "opened_by")


@admin.register(models.Outbox)
class OutboxLookUp(LookUp):
    list_display = ("id", "queue", "kind", "attempts", "available_at", "failed_at")
    list_filter = ("queue", "kind")
    ordering = ("available_at", "id")


@admin.register(models.PolicyVersion)
class PolicyVersionLookUp(LookUp):
    list_display = ("number", "valid_from", "author", "approver")
    ordering = ("-number",)


@admin.register(models.AuditRow)
class AuditRowLookUp(LookUp):
    list_display = ("id", "at", "event", "person", "role", "subject_kind", "subject")
    list_filter = ("event",)
    search_fields = ("=subject",)
    ordering = ("-pk",)


admin.site.unregister(Group)  # roles are granted on the people page
admin.site.site_header = admin.site.site_title = "Veracity"
admin.site.index_title = "Look things up"
