"""Partners for administrators, people for leads, invitations for whoever is invited."""

from django.urls import path

from factcheck.views import partners, people

urlpatterns = [
    path("partners/", partners.partners_page, name="partners"),
    path("partners/new/", partners.add, name="partners_add"),
    path("partners/<slug:slug>/", partners.one, name="partners_one"),
    path("partners/<slug:slug>/edit/", partners.edit, name="partners_edit"),
    path("partners/<slug:slug>/certify/", partners.certify, name="partners_certify"),
    path("partners/<slug:slug>/suspend/", partners.suspend, name="partners_suspend"),
    path("partners/<slug:slug>/resume/", partners.resume, name="partners_resume"),
    path("partners/<slug:slug>/invite/", partners.invite, name="partners_invite"),
    path("partner/people/", people.people_page, name="people"),
    path("partner/people/<uuid:membership_id>/<slug:verb>/", people.act, name="people_act"),
    path("partner/invitations/<uuid:invitation_id>/revoke/", people.revoke, name="people_revoke"),
    path("invitations/<str:token>/", people.invitation, name="invitation"),
]
