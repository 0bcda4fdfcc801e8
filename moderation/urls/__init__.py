"""Addresses of the platform's pages, one file per area."""

from moderation.urls import desk, members, staff

urlpatterns = [*members.urlpatterns, *desk.urlpatterns, *staff.urlpatterns]
