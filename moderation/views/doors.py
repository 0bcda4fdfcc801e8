"""The way into a page: only people who are signed in, whatever they act as."""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import cache_control
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from moderation.caller import Caller
from moderation.models import User
from moderation.services.callers import Capacity


class Visit(HttpRequest):
    """A request by somebody who is signed in, as CallerMiddleware leaves it."""

    user: User
    caller: Caller
    capacities: list[Capacity]
    htmx: HtmxDetails


def signed_in(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Send whoever is not signed in to the sign-in page and back. What is shown is nobody else's to cache."""

    @cache_control(private=True, no_cache=True)
    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        visit = cast(Visit, request)
        if visit.caller is None:
            here = visit.htmx.current_url_abs_path if visit.htmx else None
            answer: HttpResponse = redirect_to_login(here or request.get_full_path())
            return HttpResponseClientRedirect(answer["Location"]) if visit.htmx else answer
        response = view(visit, *args, **kwargs)
        patch_vary_headers(response, ["HX-Request"])
        return response

    return checked
