from django.urls import path

from moderation.views import health

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
]
