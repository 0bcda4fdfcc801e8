"""Liveness for load balancers and the launcher."""

from django.http import HttpRequest, JsonResponse

from moderation.services import health


def healthz(request: HttpRequest) -> JsonResponse:
    """200 when the database answers. Redis is reported, but the product works without it."""
    database, redis = health.database_answers(), health.redis_answers()
    return JsonResponse({"database": database, "redis": redis}, status=200 if database else 503)
