"""Pick a post that nobody flagged."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from factcheck.permissions import may_work_queue
from factcheck.selectors.queue import Filters
from factcheck.services import claims, leases
from factcheck.views import addresses
from factcheck.views.doors import Shift, reviewing
from moderation.errors import Conflict, NotFound
from moderation.selectors import posts
from moderation.views import cards

FOUND = 30
LONGEST_QUERY = 300


@require_http_methods(["GET", "HEAD", "POST"])
@reviewing
def pick(request: Shift) -> HttpResponse:
    """Look for a post by id, external id, address or words; POST opens its item and takes it."""
    now = timezone.now()
    if request.method == "POST":
        return _take(request)
    query = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST_QUERY]
    found = posts.search(query, languages=request.partner.languages, limit=FOUND) if query else []
    context = {
        "query": query,
        "found": [
            {
                "post": post,
                "text": post.current_version.content.text if post.current_version else "",
                "initials": cards.initials(post.actor.name),
                "views": post.reach.views if hasattr(post, "reach") else 0,
                "ours": post.language in request.partner.languages,
            }
            for post in found
        ],
        "full": len(found) == FOUND,
        "may_pick": may_work_queue(request.caller, request.partner, now=now),
        "search": {"url": reverse("factcheck:claims"), "query": "", "placeholder": _("Search fact-checks")},
    }
    return render(request, "factcheck/search_pick.html", context)


def _take(request: Shift) -> HttpResponse:
    now = timezone.now()
    item = claims.pick(post_ref=request.POST.get("post", ""), caller=request.caller, now=now)
    try:
        leases.take(item.pk, caller=request.caller, now=now)
    except Conflict as refusal:
        messages.warning(request, refusal.message)
    except NotFound:
        messages.warning(request, _("This post is outside your organisation's languages and countries."))
        return HttpResponseRedirect(reverse("factcheck:posts_pick"))
    return HttpResponseRedirect(addresses.triage(Filters(), item.pk))
