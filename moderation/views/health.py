"""Liveness for load balancers and the launcher."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from moderation.services import health


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 when the database answers. Redis and the workers are reported: without them effects are late,
    never lost. `queues`: seconds since a worker last answered; the launcher replaces one that is deaf.
    """
    database, redis = health.database_answers(), health.redis_answers()
    found = {"database": database, "redis": redis, "queues": health.silences() if redis else {}}
    return JsonResponse(found, status=200 if database else 503)
