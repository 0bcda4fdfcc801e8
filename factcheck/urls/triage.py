"""Triage, own work, claims and their ratings."""

from django.urls import path

from factcheck.views import claims, items, pick, ratings, triage, verbs, work

urlpatterns = [
    path("triage/", triage.triage, name="triage"),
    path("triage/live/", triage.live, name="triage_live"),
    path("triage/next/", triage.take_next, name="triage_next"),
    path("triage/article/", items.article, name="triage_article"),
    path("triage/<uuid:item_id>/", items.item, name="triage_item"),
    path("triage/<uuid:item_id>/draft/", items.draft, name="triage_draft"),
    path("triage/<uuid:item_id>/consequences/", items.consequences, name="triage_consequences"),
    path("triage/<uuid:item_id>/take/", verbs.take, name="triage_take"),
    path("triage/<uuid:item_id>/renew/", verbs.renew, name="triage_renew"),
    path("triage/<uuid:item_id>/release/", verbs.release, name="triage_release"),
    path("triage/<uuid:item_id>/skip/", verbs.skip, name="triage_skip"),
    path("triage/<uuid:item_id>/snooze/", verbs.snooze, name="triage_snooze"),
    path("triage/<uuid:item_id>/escalate/", verbs.escalate, name="triage_escalate"),
    path("triage/<uuid:item_id>/notes/", verbs.note, name="triage_note"),
    path("triage/<uuid:item_id>/same-claim/", verbs.same_claim, name="triage_same_claim"),
    path("triage/<uuid:item_id>/no-longer/", verbs.no_longer, name="triage_no_longer"),
    path("work/", work.work, name="work"),
    path("claims/", claims.search, name="claims"),
    path("claims/<uuid:claim_id>/", claims.claim, name="claims_one"),
    path("claims/<uuid:claim_id>/progress/", claims.progress, name="claims_progress"),
    path("claims/<uuid:claim_id>/rate/", claims.rate_too, name="claims_rate"),
    path("matches/<uuid:match_id>/confirm/", claims.confirm, name="matches_confirm"),
    path("matches/<uuid:match_id>/reject/", claims.reject, name="matches_reject"),
    path("ratings/<uuid:rating_id>/undo/", ratings.undo, name="ratings_undo"),
    path("ratings/<uuid:rating_id>/revise/", ratings.revise, name="ratings_revise"),
    path("ratings/<uuid:rating_id>/withdraw/", ratings.withdraw, name="ratings_withdraw"),
    path("posts/pick/", pick.pick, name="posts_pick"),
]
