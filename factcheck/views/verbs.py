"""What can be done with an item beside rating it: take, put back, put off, escalate, note, match."""

import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from factcheck.enums import SkipReason
from factcheck.forms import EscalationForm, SkipForm, SnoozeForm
from factcheck.services import claims, leases
from factcheck.views import addresses, answers
from factcheck.views.doors import Shift, reviewing
from moderation.enums import Ground, ItemStatus
from moderation.errors import Conflict, DomainError, Invalid, LeaseLost
from moderation.selectors import posts
from moderation.services import escalations, notes
from moderation.services.queue import ItemRef
from moderation.views.once import repeatable

if TYPE_CHECKING:
    from moderation.models import ReviewItem


@require_POST
@reviewing
def take(request: Shift, item_id: uuid.UUID) -> HttpResponse:
    return _back_to(request, item_id, lambda now: leases.take(item_id, caller=request.caller, now=now))


@require_POST
@reviewing
def release(request: Shift, item_id: uuid.UUID) -> HttpResponse:
    filters = addresses.filters_of(request)
    try:
        leases.release(item_id, caller=request.caller, now=timezone.now())
    except Conflict as refusal:
        return _say(request, item_id, refusal)
    messages.info(request, _("Put back. What you typed is kept for you."))
    return HttpResponseRedirect(addresses.triage(filters))


@require_POST
@reviewing
@repeatable
def renew(request: Shift, item_id: uuid.UUID) -> HttpResponse:
    """The lease as it is now, for lease.js; 409 when it is lost."""
    now = timezone.now()
    status = 200
    try:
        item = leases.renew(item_id, caller=request.caller, now=now)
    except (LeaseLost, Conflict):
        item, status = leases.visible(item_id, caller=request.caller), 409
    return render(
        request, "factcheck/item_renewed.html", {"item": item, "mine": status == 200}, status=status
    )


@require_POST
@reviewing
def skip(request: Shift, item_id: uuid.UUID) -> HttpResponse:
    """Not for me, with a reason; on to the next."""
    form = SkipForm(request.POST)
    if not form.is_valid():
        return _say(request, item_id, Invalid(_("Say why you skip it."), field="reason"))
    now = timezone.now()
    try:
        leases.skip(item_id, reason=SkipReason(form.cleaned_data["reason"]), caller=request.caller, now=now)
    except Conflict as refusal:
        return _say(request, item_id, refusal)
    messages.info(request, _("Skipped. Others can take it at once; you find it under “Set aside”."))
    return answers.next_item(request, addresses.filters_of(request), now=now)


@require_POST
@reviewing
def snooze(request: Shift, item_id: uuid.UUID) -> HttpResponse:
    """Put off until a time; on to the next."""
    now = timezone.now()
    form = SnoozeForm(request.POST, now=now)
    if not form.is_valid():
        return _say(request, item_id, Invalid(_("Say until when."), field="at"))
    wake_at = form.cleaned_data["wake_at"]
    try:
        leases.snooze(item_id, wake_at=wake_at, caller=request.caller, now=now)
    except (Conflict, Invalid) as refusal:
        return _say(request, item_id, refusal)
    words = timezone.localtime(wake_at).strftime("%a %H:%M")
    messages.info(request, _("Put off until %(time)s.") % {"time": words})
    return answers.next_item(request, addresses.filters_of(request), now=now)


@require_POST
@reviewing
def escalate(request: Shift, item_id: uuid.UUID) -> HttpResponse:
    """Ask the policy desk. The item stays ratable; what cannot be sent is said at once."""
    now = timezone.now()
    item = leases.visible(item_id, caller=request.caller)
    filters = addresses.filters_of(request)
    form = EscalationForm(request.POST)
    if form.is_valid():
        sent = form.cleaned_data
        version = posts.version(sent["seen"])
        if version is None or version.post_id != item.displayed_version.post_id:
            raise Http404
        _case, added = escalations.open_case(
            version_id=version.pk,
            ground=Ground(sent["ground"]),
            note=sent["note"],
            regions=sent["regions"],
            caller=request.caller,
            now=now,
        )
        if added:
            messages.success(request, _("The policy desk has it. You can still rate the item."))
        else:
            # The case is somebody's already: what this reviewer wrote reaches the desk as a note.
            notes.add(item.pk, text=sent["note"], caller=request.caller, now=now)
            messages.info(
                request,
                _(
                    "The policy desk has an open case on this ground already. What you wrote is a note on the item, which "
                    "the desk reads."
                ),
            )
        return HttpResponseRedirect(addresses.triage(filters, item.pk))
    messages.error(request, _("Not escalated: the form needs mending."))
    return answers.page(
        request, filters, item=item, escalation=form, arrive="escalation", status=422, now=now
    )


@require_POST
@reviewing
def note(request: Shift, item_id: uuid.UUID) -> HttpResponse:
    """Leave an internal note."""
    now = timezone.now()
    item = leases.visible(item_id, caller=request.caller)
    text = request.POST.get("text", "").replace("\0", "")
    try:
        notes.add(item.pk, text=text, caller=request.caller, now=now)
    except Invalid as refusal:
        messages.error(request, refusal.message)
        return answers.page(
            request, addresses.filters_of(request), item=item, note=text, arrive="note", status=422, now=now
        )
    messages.success(request, _("Note added."))
    return HttpResponseRedirect(addresses.triage(addresses.filters_of(request), item.pk) + "#notes")


@require_POST
@reviewing
def same_claim(request: Shift, item_id: uuid.UUID) -> HttpResponse:
    """The post makes a claim we know: a rated one answers the item, another one takes it in."""
    now = timezone.now()
    ref, claim_id = _named(request, item_id)
    try:
        match = claims.same_claim(ref, claim_id, caller=request.caller, now=now)
    except Conflict as refusal:
        return _say(request, item_id, refusal)
    filters = addresses.filters_of(request)
    item = leases.visible(item_id, caller=request.caller)
    if item.status == ItemStatus.CLOSED:
        messages.success(request, _("Matched: the claim's rating answers this post and its exact copies."))
        return answers.next_item(request, filters, now=now)
    messages.success(
        request, _("Matched with “%(claim)s”. Now rate the claim.") % {"claim": str(match.claim)}
    )
    return HttpResponseRedirect(addresses.triage(filters, item.pk))


@require_POST
@reviewing
def no_longer(request: Shift, item_id: uuid.UUID) -> HttpResponse:
    """The edited post no longer makes the claim that it was rated for."""
    now = timezone.now()
    ref, claim_id = _named(request, item_id)
    try:
        claims.no_longer_made(ref, claim_id, caller=request.caller, now=now)
    except Conflict as refusal:
        return _say(request, item_id, refusal)
    messages.success(request, _("The rating's effect on this post ends."))
    item = leases.visible(item_id, caller=request.caller)
    filters = addresses.filters_of(request)
    if item.status == ItemStatus.CLOSED:
        return answers.next_item(request, filters, now=now)
    return HttpResponseRedirect(addresses.triage(filters, item.pk))


def _named(request: Shift, item_id: uuid.UUID) -> tuple[ItemRef, uuid.UUID]:
    """The item at the version the person saw, and the claim they named."""
    try:
        return ItemRef(item_id, int(request.POST["version"])), uuid.UUID(request.POST["claim"])
    except (KeyError, ValueError):
        raise Http404 from None


def _back_to(request: Shift, item_id: uuid.UUID, act: Callable[[Any], "ReviewItem"]) -> HttpResponse:
    """Do it and show the item; a conflict is told there."""
    try:
        item = act(timezone.now())
    except Conflict as refusal:
        return _say(request, item_id, refusal)
    return HttpResponseRedirect(addresses.triage(addresses.filters_of(request), item.pk))


def _say(request: Shift, item_id: uuid.UUID, refusal: DomainError) -> HttpResponse:
    """Back to the item with the service's sentence: the page shows what is now."""
    messages.warning(request, refusal.message)
    return HttpResponseRedirect(addresses.triage(addresses.filters_of(request), item_id))
