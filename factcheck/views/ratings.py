"""A partner's own ratings: take back, revise, withdraw."""

import json
import uuid

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from factcheck.forms import RatingForm, WithdrawForm, typed_in
from factcheck.models import Rating
from factcheck.permissions import may_withdraw
from factcheck.selectors import partners
from factcheck.selectors import ratings as find
from factcheck.services import leases, ratings
from factcheck.views import addresses, item_page
from factcheck.views.doors import Shift, reviewing
from moderation.errors import Conflict, Invalid, Refused
from moderation.selectors import items


@require_POST
@reviewing
def undo(request: Shift, rating_id: uuid.UUID) -> HttpResponse:
    """Take back a rating just made: its item is open again in the rater's hands, with what they had typed."""
    now = timezone.now()
    rating = _own(request, rating_id)
    try:
        ratings.undo(rating.pk, caller=request.caller, now=now)
    except (Refused, Conflict) as refusal:
        return _too_late(request, rating, refusal.message)
    item = (
        items.open_in(partners.scope_of(request.partner))
        .filter(cluster_id=rating.claim.cluster_id, holder_id=request.caller.person_id)
        .first()
    )
    messages.info(request, _("Taken back: nobody outside was told. What you had written is here again."))
    if item is None:  # out of the partner's scope meanwhile
        return HttpResponseRedirect(reverse("factcheck:claims_one", args=[rating.claim_id]))
    leases.save_draft(item.pk, typed_in(rating), caller=request.caller, now=now)
    return HttpResponseRedirect(addresses.triage(addresses.filters_of(request), item.pk))


@require_http_methods(["GET", "HEAD", "POST"])
@reviewing
def revise(request: Shift, rating_id: uuid.UUID) -> HttpResponse:
    """A new row that supersedes the rating."""
    rating = _own(request, rating_id)
    may_withdraw(request.caller, rating).require()
    form = RatingForm(
        request.POST if request.method == "POST" else None,
        initial=typed_in(rating),
        partner=request.partner,
        claim_known=True,
        closes_items=False,
    )
    status = 200
    if request.method == "POST":
        if form.is_valid():
            try:
                ratings.revise(rating.pk, form.draft(), caller=request.caller, now=timezone.now())
            except Invalid as refusal:
                form.refuse(refusal)
            except (Conflict, Refused) as refusal:
                form.add_error(None, refusal.message)
                status = 409
            else:
                messages.success(request, _("Revised. The effect is on its way to every post of the claim."))
                return HttpResponseRedirect(reverse("factcheck:claims_one", args=[rating.claim_id]))
        status = 422 if status == 200 else status
    context = {
        "rating": rating,
        "claim": rating.claim,
        "claim_url": reverse("factcheck:claims_one", args=[rating.claim_id]),
        "form": form,
        "options": item_page.options()[:-1],
        "search": {"url": reverse("factcheck:claims"), "query": "", "placeholder": _("Search fact-checks")},
    }
    return render(request, "factcheck/rating_revise.html", context, status=status)


@require_POST
@reviewing
def withdraw(request: Shift, rating_id: uuid.UUID) -> HttpResponse:
    """End a rating, with a reason."""
    rating = _own(request, rating_id)
    back = HttpResponseRedirect(reverse("factcheck:claims_one", args=[rating.claim_id]))
    form = WithdrawForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for error in form.errors["reason"]))
        return back
    try:
        ratings.withdraw(
            rating.pk, reason=form.cleaned_data["reason"], caller=request.caller, now=timezone.now()
        )
    except Conflict as refusal:
        messages.warning(request, refusal.message)
        return back
    messages.success(request, _("Withdrawn. The effect ends on every post of the claim."))
    return back


def _own(request: Shift, rating_id: uuid.UUID) -> Rating:
    """The partner's own rating; another partner's answers as if it did not exist."""
    rating = find.get(rating_id, partner_id=request.partner.pk)
    if rating is None:
        raise Http404
    return rating


def _too_late(request: Shift, rating: Rating, words: str) -> HttpResponse:
    if request.htmx:
        response = HttpResponse(status=204)
        response["HX-Trigger"] = json.dumps({"toast": {"tone": "warn", "text": words}})
        return response
    messages.warning(request, words)
    return HttpResponseRedirect(reverse("factcheck:claims_one", args=[rating.claim_id]))
