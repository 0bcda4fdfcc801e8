"""One item in the triage: look, take, rate. Each verb of the page is one service call."""

import uuid
from typing import TYPE_CHECKING

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from factcheck.enums import NOT_ELIGIBLE
from factcheck.forms import RatingForm, typed
from factcheck.selectors import queue
from factcheck.services import leases, ratings
from factcheck.views import addresses, answers, holding, item_page
from factcheck.views.doors import Reading, Shift, reading, reviewing
from factcheck.views.holding import Seen
from moderation.errors import Conflict, Invalid, LeaseLost, Refused, StaleItem
from moderation.services.queue import ItemRef
from moderation.views.once import repeatable

if TYPE_CHECKING:
    from moderation.models import ReviewItem


@require_http_methods(["GET", "HEAD", "POST"])
def item(request: HttpRequest, item_id: uuid.UUID) -> HttpResponseBase:
    """Look at an item; POST rates it (or closes it as not eligible) and goes on to the next."""
    return _decide(request, item_id) if request.method == "POST" else _look(request, item_id)


@reading
def _look(request: Reading, item_id: uuid.UUID) -> HttpResponse:
    now = timezone.now()
    found = queue.readable(item_id, caller=request.caller)
    return answers.page(
        request, addresses.filters_of(request), item=found, since=request.GET.get("since", ""), now=now
    )


@reviewing
def _decide(request: Shift, item_id: uuid.UUID) -> HttpResponse:
    now = timezone.now()
    found = leases.visible(item_id, caller=request.caller)
    filters = addresses.filters_of(request)
    form = RatingForm(request.POST, partner=request.partner, claim_known=found.cluster_id is not None)
    if request.POST.get("act") == "preview":  # asked for by pages without scripts
        return answers.page(
            request, filters, item=found, form=form, seen=_seen(form, found, request), now=now
        )
    if not form.is_valid():
        return _mend(request, found, form)
    ref = ItemRef(found.pk, form.cleaned_data["version"])
    try:
        if form.cleaned_data["verdict"] == NOT_ELIGIBLE:
            ratings.not_eligible(ref, reason=form.reason(), caller=request.caller, now=now)
            messages.success(request, _("Closed as not eligible."))
        else:
            answers.say_rated(request, ratings.submit(ref, form.draft(), caller=request.caller, now=now))
    except Invalid as refusal:
        form.refuse(refusal)
        return _mend(request, found, form)
    except (Conflict, Refused) as refusal:
        return _refused(request, found, form, refusal)
    if request.POST.get("act") == "stop":
        return HttpResponseRedirect(addresses.triage(filters))
    return answers.next_item(request, filters, now=now)


def _mend(request: Shift, found: "ReviewItem", form: RatingForm) -> HttpResponse:
    """The form again, with what to mend; nothing typed is lost."""
    now = timezone.now()
    _keep(request, found)
    return answers.page(
        request, addresses.filters_of(request), item=found, form=form, seen=_seen(form, found, request),
        arrive="errors", status=422, now=now,
    )  # fmt: skip


def _refused(
    request: Shift, found: "ReviewItem", form: RatingForm, refusal: Conflict | Refused
) -> HttpResponse:
    """What is now instead (409), with what was typed kept: to be sent again after looking."""
    now = timezone.now()
    saw = _seen(form, found, request)
    _keep(request, found)
    if isinstance(refusal, StaleItem):
        found = leases.look_again(found.pk, caller=request.caller, now=now)
    else:
        found = leases.visible(found.pk, caller=request.caller)
    seen = holding.seen_now(found, request)
    if isinstance(refusal, LeaseLost):
        seen = Seen(seen.version, seen.post_version, held=True)
    return answers.page(
        request,
        addresses.filters_of(request),
        item=found,
        form=form,
        seen=seen,
        since=saw.post_version,
        refusal=refusal,
        arrive="news",
        status=403 if isinstance(refusal, Refused) else 409,
        now=now,
    )


def _seen(form: RatingForm, found: "ReviewItem", request: Shift) -> Seen:
    """What the form says that it was filled in on; a form that does not say was filled in on what is now."""
    now = holding.seen_now(found, request)
    version, post_version = form["version"].value(), form["seen"].value()
    try:
        return Seen(int(version), str(uuid.UUID(str(post_version))), held=now.held)
    except (TypeError, ValueError):
        return now


def _keep(request: Shift, found: "ReviewItem") -> None:
    fields = typed(request.POST)
    if fields:
        leases.save_draft(found.pk, fields, caller=request.caller, now=timezone.now())


@require_POST
@reviewing
@repeatable
def draft(request: Shift, item_id: uuid.UUID) -> HttpResponse:
    """Keep what is typed; asked for while typing, with or without the lease."""
    leases.save_draft(item_id, typed(request.POST), caller=request.caller, now=timezone.now())
    return HttpResponse(status=204)


@require_POST
@reviewing
@repeatable
def consequences(request: Shift, item_id: uuid.UUID) -> HttpResponse:
    """What the verdict chosen in the form would do, before it is sent."""
    now = timezone.now()
    found = leases.visible(item_id, caller=request.caller)
    form = RatingForm(request.POST, partner=request.partner)
    return render(
        request, "factcheck/rating_outlook.html", item_page.outlook_of(request, found, form, now=now)
    )


@require_POST
@reviewing
@repeatable
def article(request: Shift) -> HttpResponse:
    """Whether an address may be the article: the sentence that a submit would bring, at once."""
    url = request.POST.get("article_url", "").strip()
    context = {"checked": bool(url), "url": url}
    try:
        if url:
            ratings.check_article(url, request.partner)
    except Invalid as refusal:
        context["refusal"] = refusal.message
    return render(request, "factcheck/rating_article.html", context)
