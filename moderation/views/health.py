"""Liveness for load balancers and the launcher."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from moderation.services import health


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 when the database answers. Redis and the workers are reported: without them effects are late,
    never lost. `queues`: seconds since a worker last answered; the launcher replaces one that is deaf.
    `not_understood`: rows of work and messages that this release's workers do not know; more than none
    after a deployment or a roll-back asks for a person.
    """
    database, redis = health.database_answers(), health.redis_answers()
    found = {
        "database": database,
        "redis": redis,
        "queues": health.silences() if redis else {},
        "not_understood": health.not_understood().count() if database else None,
    }
    return JsonResponse(found, status=200 if database else 503)
