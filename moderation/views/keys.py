"""API keys: made with scopes and an end, shown once, revoked at once."""

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from moderation.enums import Scope
from moderation.errors import Invalid
from moderation.forms import KeyForm
from moderation.models import ApiClient, User
from moderation.permissions import may_administer, may_read_everything
from moderation.selectors import people as found
from moderation.services import api_clients, callers, people
from moderation.views.doors import Visit, signed_in
from moderation.views.pages import asked, cursor_page

PER_PAGE = 50


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def keys(request: Visit) -> HttpResponse:
    """The keys, and for administrators a form for another one. The answer that shows a new key is kept by nobody."""
    administers = may_administer(request.caller)
    (administers if request.method == "POST" else may_read_everything(request.caller)).require()
    person = people.by_email(asked(request.POST, "person_email"))
    form = KeyForm(request.POST or None, capacities=_capacities(person))
    made = _make(request, form, person) if request.method == "POST" and form.is_valid() else None
    if made is not None:
        form = KeyForm()
    page = cursor_page(request, found.keys(), PER_PAGE)
    answer = render(
        request,
        "moderation/keys.html",
        {
            "form": form,
            "made": made,
            "keys": [_row(key) for key in page.rows],
            "next_url": page.next_url,
            "may_administer": administers,
        },
        status=201 if made is not None else 422 if form.is_bound else 200,
    )
    if made is not None:
        answer["Cache-Control"] = "no-store"
    return answer


@require_POST
@signed_in
def revoke(request: Visit, key_id: uuid.UUID) -> HttpResponse:
    """End a key at once."""
    api_clients.revoke(key_id, caller=request.caller, now=timezone.now())
    messages.success(request, _("The key is revoked. The next request with it is refused."))
    return redirect("keys")


def _make(request: Visit, form: KeyForm, person: User | None) -> dict[str, Any] | None:
    """The new client and its key; None, with the error on its field, where it cannot be made."""
    data, now = form.cleaned_data, timezone.now()
    held = _capacities(person)
    if data["person_email"] and person is None:
        form.add_error("person_email", _("Nobody here has this address."))
    elif person is not None and not held:
        form.add_error("person_email", _("This account is turned off."))
    elif len(held) > 1 and not data["acting"]:
        form.add_error("acting", _("This person holds several roles: choose the one the key acts in."))
    if form.errors:
        return None
    acting = data["acting"] or (held[0][0] if held else "")
    try:
        client, key = api_clients.create(
            name=data["name"],
            scopes=[Scope(scope) for scope in data["scopes"]],
            person=person,
            acting=acting,
            expires_at=form.expires_at(now),
            caller=request.caller,
            now=now,
        )
    except Invalid as error:
        form.add_error(error.field if error.field in form.fields else None, error.message)
        return None
    return {"client": client, "key": key}


def _capacities(person: User | None) -> list[tuple[str, str]]:
    if person is None:
        return []
    held = callers.capacities(person, now=timezone.now())
    return [(c.value, capacity_words(c)) for c in held]


def capacity_words(capacity: callers.Capacity) -> str:
    organisation = f" · {capacity.organisation.name}" if capacity.organisation else ""
    return f"{capacity.role.label}{organisation}"


def _row(key: ApiClient) -> dict[str, Any]:
    now = timezone.now()
    expired = key.expires_at is not None and key.expires_at <= now
    state = "revoked" if key.revoked_at else "expired" if expired else "live"
    return {
        "key": key,
        "state": state,
        "word": {
            "revoked": _("Revoked"),
            "expired": _("Expired"),
            "live": _("In use") if key.last_used_at else _("Never used"),
        }[state],
        "tone": {"revoked": "neutral", "expired": "warn", "live": "good"}[state],
        "icon": {"revoked": "ban", "expired": "hourglass", "live": "key"}[state],
        "dialog_id": str(key.pk),
        "mark": f"{api_clients.KEY_MARK}_{key.prefix}_…",
        "consequences": [
            _("Every program that uses it is refused from the next request on."),
            _("It cannot be brought back; make a new key instead."),
        ],
    }
