"""Addresses of the platform's API, under /api/v1/. Longer ones come first: an external id may hold slashes."""

from django.urls import path, register_converter

from moderation.api import (
    changes,
    desk,
    distribution,
    docs,
    escalations,
    flags,
    policies,
    posts,
    reach,
    signals,
    switches,
    webhooks,
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
    path("switches", switches.SwitchesView.as_view(), name="switches"),
    path("switches/<uuid:switch_id>", switches.SwitchView.as_view(), name="switch"),
    path("switches/<uuid:switch_id>/dry-run", switches.SwitchDryRunView.as_view(), name="switch_dry_run"),
    path("switches/<uuid:switch_id>/confirm", switches.ConfirmSwitchView.as_view(), name="switch_confirm"),
    path("switches/<uuid:switch_id>/refuse", switches.RefuseSwitchView.as_view(), name="switch_refuse"),
    path("switches/<uuid:switch_id>/withdraw", switches.WithdrawSwitchView.as_view(), name="switch_withdraw"),
    path("switches/<uuid:switch_id>/return", switches.ReturnSwitchView.as_view(), name="switch_return"),
    path("webhooks", webhooks.WebhooksView.as_view(), name="webhooks"),
    path("webhooks/<uuid:webhook_id>", webhooks.WebhookView.as_view(), name="webhook"),
    path("webhooks/<uuid:webhook_id>/rotate", webhooks.RotateView.as_view(), name="webhook_rotate"),
    path("webhooks/<uuid:webhook_id>/disable", webhooks.DisableView.as_view(), name="webhook_disable"),
    path("webhooks/<uuid:webhook_id>/enable", webhooks.EnableView.as_view(), name="webhook_enable"),
    path("webhooks/<uuid:webhook_id>/test", webhooks.TestView.as_view(), name="webhook_test"),
    path("webhooks/<uuid:webhook_id>/deliveries", webhooks.DeliveriesView.as_view(), name="deliveries"),
    path("deliveries/<uuid:delivery_id>/resend", webhooks.ResendView.as_view(), name="delivery_resend"),
]
