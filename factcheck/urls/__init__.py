"""Addresses of the programme's pages, one file per area."""

from factcheck.urls import partners, triage

app_name = "factcheck"
urlpatterns = [*triage.urlpatterns, *partners.urlpatterns]
