"""Addresses of the programme's API, under /api/v1/."""

from django.urls import path

from factcheck.api import (
    claims,
    items,
    leases,
    matches,
    partners,
    people,
    queue,
    ratings,
    remarks,
    verdicts,
)

app_name = "programme_api"
urlpatterns = [
    path("queue", queue.QueueView.as_view(), name="queue"),
    path("queue/take", queue.TakeNextView.as_view(), name="take_next"),
    path("queue/summary", queue.QueueSummaryView.as_view(), name="summary"),
    path("items", items.ItemsView.as_view(), name="items"),
    path("items/<uuid:item_id>", items.ItemView.as_view(), name="item"),
    path("items/<uuid:item_id>/take", leases.TakeView.as_view(), name="take"),
    path("items/<uuid:item_id>/renew", leases.RenewView.as_view(), name="renew"),
    path("items/<uuid:item_id>/release", leases.ReleaseView.as_view(), name="release"),
    path("items/<uuid:item_id>/skip", leases.SkipView.as_view(), name="skip"),
    path("items/<uuid:item_id>/snooze", leases.SnoozeView.as_view(), name="snooze"),
    path("items/<uuid:item_id>/escalate", remarks.EscalateView.as_view(), name="escalate"),
    path("items/<uuid:item_id>/notes", remarks.NotesView.as_view(), name="notes"),
    path("items/<uuid:item_id>/not-eligible", verdicts.NotEligibleView.as_view(), name="not_eligible"),
    path("items/<uuid:item_id>/ratings", verdicts.RatingsView.as_view(), name="ratings"),
    path("ratings/<uuid:rating_id>", ratings.RatingView.as_view(), name="rating"),
    path("ratings/<uuid:rating_id>/revise", ratings.ReviseView.as_view(), name="revise"),
    path("ratings/<uuid:rating_id>/withdraw", ratings.WithdrawView.as_view(), name="withdraw"),
    path("ratings/<uuid:rating_id>/undo", ratings.UndoView.as_view(), name="undo"),
    path("claims", claims.ClaimsView.as_view(), name="claims"),
    path("claims/<uuid:claim_id>", claims.ClaimView.as_view(), name="claim"),
    path("claims/<uuid:claim_id>/matches", claims.ClaimMatchesView.as_view(), name="matches"),
    path("matches/<uuid:match_id>/confirm", matches.ConfirmMatchView.as_view(), name="confirm_match"),
    path("matches/<uuid:match_id>/reject", matches.RejectMatchView.as_view(), name="reject_match"),
    path("partners", partners.PartnersView.as_view(), name="partners"),
    path("partners/<uuid:partner_id>", partners.PartnerView.as_view(), name="partner"),
    path("partners/<uuid:partner_id>/certifications", partners.CertificationsView.as_view(), name="certify"),
    path("partners/<uuid:partner_id>/suspend", partners.SuspendPartnerView.as_view(), name="suspend"),
    path("partners/<uuid:partner_id>/resume", partners.ResumePartnerView.as_view(), name="resume"),
    path("partners/<uuid:partner_id>/invitations", people.InvitationsView.as_view(), name="invitations"),
    path(
        "partners/<uuid:partner_id>/invitations/<uuid:invitation_id>",
        people.InvitationView.as_view(),
        name="invitation",
    ),
    path("partners/<uuid:partner_id>/people", people.PeopleView.as_view(), name="people"),
    path(
        "partners/<uuid:partner_id>/people/<uuid:membership_id>",
        people.MembershipView.as_view(),
        name="membership",
    ),
    path(
        "partners/<uuid:partner_id>/people/<uuid:membership_id>/suspend",
        people.SuspendMembershipView.as_view(),
        name="suspend_membership",
    ),
    path(
        "partners/<uuid:partner_id>/people/<uuid:membership_id>/resume",
        people.ResumeMembershipView.as_view(),
        name="resume_membership",
    ),
]
