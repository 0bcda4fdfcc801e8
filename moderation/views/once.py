"""A form that is sent twice, by a double click or a reload, is carried out once.

Each rendering of a page masks the CSRF token anew, so the token names the form that somebody saw: the same
token with the same fields at the same address is the same act. Its answer is kept (services.repeats), as the
API keeps that of an `Idempotency-Key`; the act sent again gets it instead of being done again.
"""

import hashlib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import psycopg
from django.contrib import messages
from django.contrib.messages.storage.base import BaseStorage
from django.db import OperationalError, transaction
from django.http import HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from moderation.services import repeats

if TYPE_CHECKING:
    from moderation.views.doors import Visit

MASK = "csrfmiddlewaretoken"  # the field that {% csrf_token %} writes
CREATED = 201  # a page that shows once what was made
Act = Callable[[], HttpResponseBase]


def repeatable(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """For what a page sends by itself and again and again (drafts, previews): nothing of it is kept."""
    view.repeatable = True  # type: ignore[attr-defined]
    return view


def once(act: Act, request: "Visit") -> HttpResponseBase:
    """Carry `act` out, or answer as it was answered before. Only what was done is kept: a redirect, or 201.

    A refused form (422, 409) keeps what it stored, its draft for instance, and may be sent again.
    """
    if MASK not in request.POST:
        return act()
    fields = repr(sorted(request.POST.lists())).encode()
    digest = hashlib.sha256(b"\n".join([request.path.encode(), fields])).hexdigest()
    try:
        with transaction.atomic():
            kept = repeats.begin(request.caller.key, f"form:{digest}", digest, now=timezone.now())
            if kept.status and kept.body is not None:
                return _again(request, kept.status, kept.body)
            answer = act()
            if answer.status_code == CREATED or 300 <= answer.status_code < 400:
                waiting = cast(BaseStorage, messages.get_messages(request))
                said = [[m.level, str(m), m.extra_tags] for m in waiting]
                waiting.used = False  # they are still for the next page
                place = answer.headers.get("Location", "")
                repeats.keep(kept, status=answer.status_code, body=_written(place, said))
            return answer
    except OperationalError as error:
        if not isinstance(error.__cause__, psycopg.errors.LockNotAvailable):
            raise
        reason = _("It is still being done. Wait a moment, then look whether it was.")
        return render(request, "409.html", {"reason": reason}, status=409)


def _written(place: str, said: list[list[object]]) -> bytes:
    return json.dumps({"place": place, "said": said}).encode()


def _again(request: "Visit", status: int, kept: dict[str, Any]) -> HttpResponseBase:
    """The first answer's address and words: a browser that sent a form twice shows the second answer only."""
    for level, words, tags in kept["said"]:
        messages.add_message(request, level, words, extra_tags=tags or "")
    if status == CREATED:
        words = _(
            "This form was sent twice and carried out once. What the first answer showed is not shown again."
        )
        messages.warning(request, words)
        return HttpResponseRedirect(kept["place"] or request.get_full_path())
    return HttpResponseRedirect(kept["place"])
