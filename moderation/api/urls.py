"""Addresses of the platform's API, under /api/v1/. Longer ones come first: an external id may hold slashes."""

from django.urls import path, register_converter

from moderation.api import (
    changes,
    desk,
    distribution,
    docs,
    escalations,
    fan_outs,
    flags,
    policies,
    posts,
    reach,
    signals,
)
from moderation.http.converters import RefConverter

register_converter(RefConverter, "ref")

app_name = "api"
urlpatterns = [
    path("schema/", docs.SchemaView.as_view(), name="schema"),
    path("docs/", docs.DocsView.as_view(), name="docs"),
    path("posts", posts.PostsView.as_view(), name="posts"),
    path("posts/bulk", posts.PostsBulkView.as_view(), name="posts_bulk"),
    path("posts/<ref:post>/reach", reach.ReachView.as_view(), name="reach"),
    path("posts/<ref:post>", posts.PostView.as_view(), name="post"),
    path("reach/bulk", reach.ReachBulkView.as_view(), name="reach_bulk"),
    path("flags", flags.FlagsView.as_view(), name="flags"),
    path("flags/<uuid:flag_id>", flags.FlagView.as_view(), name="flag"),
    path("signals", signals.SignalsView.as_view(), name="signals"),
    path("distribution/lookup", distribution.LookupView.as_view(), name="lookup"),
    path("distribution/changes", changes.ChangesView.as_view(), name="changes"),
    path("distribution/snapshot", changes.SnapshotView.as_view(), name="snapshot"),
    path("escalations", escalations.EscalationsView.as_view(), name="escalations"),
    path("escalations/<uuid:case_id>", escalations.EscalationView.as_view(), name="escalation"),
    path("escalations/<uuid:case_id>/decide", desk.DecideView.as_view(), name="decide"),
    path("escalations/<uuid:case_id>/confirm", desk.ConfirmView.as_view(), name="confirm"),
    path("escalations/<uuid:case_id>/refuse", desk.RefuseView.as_view(), name="refuse"),
    path("escalations/<uuid:case_id>/hide", desk.HideView.as_view(), name="hide"),
    path("escalations/<uuid:case_id>/restore", desk.RestoreView.as_view(), name="restore"),
    path("fan-outs", fan_outs.FanOutsView.as_view(), name="fan_outs"),
    path("fan-outs/<uuid:fan_out_id>/pause", fan_outs.PauseView.as_view(), name="fan_out_pause"),
    path("fan-outs/<uuid:fan_out_id>/resume", fan_outs.ResumeView.as_view(), name="fan_out_resume"),
    path("policies", policies.PoliciesView.as_view(), name="policies"),
    path("policies/<int:number>", policies.PolicyView.as_view(), name="policy"),
    path("policies/drafts", policies.DraftsView.as_view(), name="policy_drafts"),
    path("policies/drafts/<uuid:draft_id>", policies.DraftView.as_view(), name="policy_draft"),
    path("policies/drafts/<uuid:draft_id>/dry-run", policies.DryRunView.as_view(), name="policy_dry_run"),
    path("policies/drafts/<uuid:draft_id>/propose", policies.ProposeView.as_view(), name="policy_propose"),
    path("policies/drafts/<uuid:draft_id>/approve", policies.ApproveView.as_view(), name="policy_approve"),
    path("policies/drafts/<uuid:draft_id>/refuse", policies.RefuseDraftView.as_view(), name="policy_refuse"),
    path(
        "policies/drafts/<uuid:draft_id>/withdraw",
        policies.WithdrawDraftView.as_view(),
        name="policy_withdraw",
    ),
]
