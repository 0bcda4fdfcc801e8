"""The way into a page: only people who are signed in, whatever they act as."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.utils.translation import ngettext
from django_htmx.http import HttpResponseClientRedirect
from django_htmx.middleware import HtmxDetails

from moderation.caller import Caller
from moderation.http import limits
from moderation.http.problems import Problem
from moderation.models import User
from moderation.services.callers import Capacity
from moderation.views.once import MASK, once

SAFE = ("GET", "HEAD", "OPTIONS")


class Visit(HttpRequest):
    """A request by somebody who is signed in, as CallerMiddleware leaves it."""

    user: User
    caller: Caller
    capacities: list[Capacity]
    htmx: HtmxDetails


def signed_in(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Send whoever is not signed in to the sign-in page and back; hold back who asks too often.

    A form that is sent twice is carried out once. What is shown is nobody else's to cache; a view that says for how long it may be kept has its word.
    """

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        visit = cast(Visit, request)
        if visit.caller is None:
            here = visit.htmx.current_url_abs_path if visit.htmx else None
            answer: HttpResponse = redirect_to_login(here or request.get_full_path())
            return HttpResponseClientRedirect(answer["Location"]) if visit.htmx else answer
        try:
            limits.spend(visit.caller, request, kind="read" if request.method in SAFE else "write")
        except Problem as problem:
            return _held_back(visit, problem)
        if request.method == "POST" and not getattr(view, "repeatable", False):
            response = once(lambda: view(visit, *args, **kwargs), visit)
        else:
            response = view(visit, *args, **kwargs)
        if not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_cache=True)
        patch_vary_headers(response, ["HX-Request"])
        return response

    return checked


def _held_back(request: Visit, problem: Problem) -> HttpResponse:
    """Too much was asked in a minute: when it goes on, and everything that was typed, ready to be sent again."""
    seconds = int(problem.headers["Retry-After"])
    if request.htmx:
        # Nothing is swapped: the form stays as it is, and the toast says why.
        words = ngettext(
            "Not sent: that was more than a person does in a minute. Try again in %(n)d second; nothing is lost.",
            "Not sent: that was more than a person does in a minute. Try again in %(n)d seconds; nothing is lost.",
            seconds,
        ) % {"n": seconds}
        answer = HttpResponse(status=problem.status)
        answer["HX-Trigger"] = json.dumps({"toast": {"tone": "warn", "text": words, "seconds": seconds}})
    else:
        typed = [(n, v) for n, given in request.POST.lists() for v in given if n != MASK]
        context = {"typed": typed, "is_act": request.method not in SAFE, "seconds": seconds}
        answer = render(request, "429.html", context, status=problem.status)
    answer["Retry-After"] = problem.headers["Retry-After"]
    return answer
