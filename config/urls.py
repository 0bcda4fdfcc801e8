"""Addresses. The programme's are mounted only where it is installed."""

from django.apps import apps
from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("accounts/", include("allauth.account.urls")),
    path("admin/", admin.site.urls),
    path("api/v1/", include("moderation.api.urls")),
    path("", include("moderation.urls")),
]
if apps.is_installed("factcheck"):
    urlpatterns += [
        path("api/v1/", include("factcheck.api.urls")),
        path("", include("factcheck.urls")),
    ]
handler403 = "moderation.views.errors.forbidden"
handler404 = "moderation.views.errors.not_found"
handler500 = "moderation.views.errors.server_error"
