"""Webhooks: who is told of what, and how each delivery went. Administrators change, auditors read."""

import uuid
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from moderation.enums import DeliveryState, DisabledReason, WebhookEventType
from moderation.errors import Conflict, Invalid
from moderation.forms_webhooks import RotateForm, WebhookForm
from moderation.models import WebhookDelivery, WebhookEndpoint
from moderation.permissions import Answer, may_administer, may_read_everything
from moderation.selectors import organisations
from moderation.selectors import webhooks as found
from moderation.services import deliveries, webhooks
from moderation.views.doors import Visit, signed_in
from moderation.views.once import CREATED
from moderation.views.pages import asked, cursor_page

PER_PAGE = 50
_LOOKS = {
    DeliveryState.WAITING: ("clock", "info"),
    DeliveryState.DELIVERED: ("check", "good"),
    DeliveryState.DEAD: ("alert-triangle", "bad"),
}


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def endpoints(request: Visit) -> HttpResponse:
    """The endpoints, and a form for another one. The answer that shows a secret is kept by nobody."""
    may = may_administer(request.caller)
    (may if request.method == "POST" else may_read_everything(request.caller)).require()
    form = WebhookForm(request.POST if request.method == "POST" else None)
    made = _make(request, form) if form.is_bound and form.is_valid() else None
    if made is not None:
        form = WebhookForm()
    page = cursor_page(request, found.endpoints(), PER_PAGE)
    counts = found.counts([row.pk for row in page.rows])
    names = organisations.names({row.organisation for row in page.rows if row.organisation})
    answer = render(
        request,
        "moderation/webhooks.html",
        {
            "form": form,
            "made": made,
            "rows": [_row(row, counts.get(row.pk, {}), names) for row in page.rows],
            "next_url": page.next_url,
            "may": may,
        },
        status=CREATED if made is not None else 422 if form.is_bound else 200,
    )
    if made is not None:
        answer["Cache-Control"] = "no-store"
    return answer


@require_GET
@signed_in
def one(request: Visit, webhook_id: uuid.UUID) -> HttpResponse:
    """One endpoint and its deliveries, all of them or those in one state."""
    may_read_everything(request.caller).require()
    return _page(request, found.endpoint(webhook_id))


@require_POST
@signed_in
def rotate(request: Visit, webhook_id: uuid.UUID) -> HttpResponse:
    """A new secret, shown by this answer and never again."""
    may_administer(request.caller).require()
    form = RotateForm(request.POST)
    if not form.is_valid():
        return _page(request, found.endpoint(webhook_id), rotating=form, status=422)
    endpoint, secret = webhooks.rotate(
        webhook_id, overlap=form.cleaned_data["overlap"], caller=request.caller, now=timezone.now()
    )
    answer = _page(request, endpoint, secret=secret, status=CREATED)
    answer["Cache-Control"] = "no-store"
    answer["Location"] = reverse("webhooks-one", args=[endpoint.pk])
    return answer


@require_POST
@signed_in
def act(request: Visit, webhook_id: uuid.UUID, verb: str) -> HttpResponse:
    """Test, switch off, switch on, remove."""
    may_administer(request.caller).require()
    who: dict[str, Any] = {"caller": request.caller, "now": timezone.now()}
    if verb == "remove":
        webhooks.remove(webhook_id, **who)
        messages.success(request, _("The webhook and its secrets are removed."))
        return redirect("webhooks")
    try:
        if verb == "test":
            deliveries.ping(webhook_id, **who)
            messages.success(request, _("A test is on its way; it is the first of the deliveries below."))
        elif verb == "disable":
            webhooks.disable(webhook_id, **who)
            messages.success(request, _("Switched off. What happens from now on is not told."))
        else:
            webhooks.enable(webhook_id, **who)
            messages.success(request, _("Switched on. What waited goes out now."))
    except Conflict as error:  # somebody was first
        messages.warning(request, error.message)
    return redirect("webhooks-one", webhook_id)


@require_POST
@signed_in
def resend(request: Visit, delivery_id: uuid.UUID) -> HttpResponse:
    """Deliver again, under the same id."""
    may_administer(request.caller).require()
    delivery = deliveries.resend(delivery_id, caller=request.caller, now=timezone.now())
    messages.success(request, _("It is sent again, under the same id."))
    return redirect("webhooks-one", delivery.endpoint_id)


def _make(request: Visit, form: WebhookForm) -> dict[str, Any] | None:
    """The new endpoint and its secret; None, with the error on its field, where it cannot be made."""
    try:
        endpoint, secret = webhooks.add(**form.cleaned_data, caller=request.caller, now=timezone.now())
    except Invalid as error:
        form.add_error(error.field if error.field in form.fields else None, error.message)
        return None
    return {"endpoint": endpoint, "secret": secret}


def _page(
    request: Visit,
    endpoint: WebhookEndpoint,
    *,
    secret: str = "",
    rotating: RotateForm | None = None,
    status: int = 200,
) -> HttpResponse:
    state = asked(request.GET, "state", 12)
    if state not in ("", *DeliveryState.values):
        raise Http404
    counts = found.counts([endpoint.pk]).get(endpoint.pk, {})
    page = cursor_page(request, found.deliveries(endpoint.pk, state), PER_PAGE)
    names = organisations.names([endpoint.organisation] if endpoint.organisation else [])
    may = may_administer(request.caller)
    return render(
        request,
        "moderation/webhook.html",
        {
            **_row(endpoint, counts, names),
            "secret": secret,
            "rotating": rotating or RotateForm(),
            "deliveries": [_delivery(row, endpoint, may) for row in page.rows],
            "next_url": page.next_url,
            "tabs": _tabs(state, counts),
            "state_asked": state,
            "may": may,
            "overlapping": endpoint.previous_until is not None and endpoint.previous_until > timezone.now(),
            "waiting": (waiting := counts.get("waiting", 0)),
            "consequences": {
                "disable": [
                    _("Nothing is sent any more, and what happens meanwhile is not told later."),
                    _waits(waiting),
                ],
                "remove": [
                    _("The secrets are forgotten; this cannot be taken back."),
                    _("Nothing is sent any more.") + " " + _waits(waiting),
                ],
            },
        },
        status=status,
    )


def _row(endpoint: WebhookEndpoint, counts: dict[str, int], names: dict[uuid.UUID, str]) -> dict[str, Any]:
    if endpoint.disabled_at is not None:
        gone = endpoint.disabled_reason == DisabledReason.GONE
        look = (
            _("Off: it answered 410 Gone") if gone else _("Switched off"),
            "ban",
            "bad" if gone else "neutral",
        )
    elif endpoint.failing_since is not None:
        look = (_("Failing"), "alert-triangle", "warn")
    else:
        look = (_("On"), "check", "good")
    return {
        "endpoint": endpoint,
        "word": look[0],
        "icon": look[1],
        "tone": look[2],
        "events": [WebhookEventType(t).label for t in endpoint.event_types],
        "organisation": names.get(endpoint.organisation, "") if endpoint.organisation else "",
        "dead": counts.get("dead", 0),
        "waiting": counts.get("waiting", 0),
    }


def _delivery(row: WebhookDelivery, endpoint: WebhookEndpoint, may: Answer) -> dict[str, Any]:
    state = found.state_of(row)
    icon, tone = _LOOKS[state]
    said = _("It answered %(status)d.") % {"status": row.last_status} if row.last_status else ""
    data = row.event.data
    return {
        "row": row,
        "type": WebhookEventType(row.event.type).label,
        "word": state.label,
        "icon": icon,
        "tone": tone,
        "subject": data.get("external_id") or data.get("post", {}).get("external_id", ""),
        "outcome": " ".join(part for part in (said, row.last_error) if part),
        "may_resend": bool(may) and endpoint.disabled_at is None and state is not DeliveryState.WAITING,
    }


def _tabs(state: str, counts: dict[str, int]) -> list[dict[str, Any]]:
    words = {"": _("All"), **dict(DeliveryState.choices)}
    return [
        {
            "label": word,
            "url": f"?state={code}" if code else "?",
            "active": code == state,
            "badge": counts.get(code),
        }
        for code, word in words.items()
    ]


def _waits(waiting: int) -> str:
    lasting = deliveries.GIVE_UP_AFTER // timedelta(days=1)
    return ngettext(
        "%(n)d delivery waits; it is given up after %(days)d days.",
        "%(n)d deliveries wait; they are given up after %(days)d days.",
        waiting,
    ) % {"n": waiting, "days": lasting}
