"""Who is asking, on every request: `request.caller`, rebuilt each time so that ended access ends at once;
and the page for a service's no that the view did not answer itself.
"""

from collections.abc import Callable

from django.contrib.auth import logout
from django.contrib.auth.signals import user_logged_in
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from moderation.errors import Conflict, DomainError, NotFound, NothingToTake, Refused
from moderation.services import callers

EPOCH = "access_epoch"
ACTING = "acting"


class CallerMiddleware:
    """Sets request.caller (None when nobody is signed in) and request.capacities, and the person's time zone."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.caller, request.capacities = None, []  # type: ignore[attr-defined]
        person = request.user
        if person.is_authenticated:
            if request.session.get(EPOCH) != person.access_epoch:
                logout(request)
            else:
                now = timezone.now()
                acting = request.session.get(ACTING, "")
                request.capacities = callers.capacities(person, now=now)  # type: ignore[attr-defined]
                request.caller = callers.choose(person, request.capacities, acting)  # type: ignore[attr-defined]
                timezone.activate(person.time_zone)
        try:
            return self.get_response(request)
        finally:
            timezone.deactivate()

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """403, 404 or 409 with the service's own sentence; anything else is a fault and stays one."""
        if isinstance(exception, NotFound):
            return render(request, "404.html", status=404)
        if isinstance(exception, Refused):
            return render(request, "403.html", {"reason": exception.message}, status=403)
        if isinstance(exception, Conflict | NothingToTake):
            return render(request, "409.html", {"reason": exception.message}, status=409)
        if isinstance(exception, DomainError):
            return render(request, "409.html", {"reason": exception.message}, status=400)
        return None


def remember_epoch(sender: object, request: HttpRequest, user: object, **_: object) -> None:
    """A session is good for the access epoch in which the person signed in."""
    request.session[EPOCH] = user.access_epoch  # type: ignore[attr-defined]


user_logged_in.connect(remember_epoch, dispatch_uid="moderation.epoch")
