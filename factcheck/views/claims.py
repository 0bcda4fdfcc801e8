"""Claims: earlier fact-checks, and one claim with its posts, ratings and effect."""

import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from factcheck.enums import MatchState, Verdict
from factcheck.forms import NOTE_LIMIT
from factcheck.models import Claim, Rating
from factcheck.permissions import may_withdraw, may_work_queue
from factcheck.selectors import claims as find
from factcheck.selectors import ratings as given
from factcheck.selectors.queue import Filters
from factcheck.services import claims, leases, matches
from factcheck.views import addresses
from factcheck.views.doors import Reading, Shift, reading, reviewing
from moderation import iso
from moderation.errors import Conflict, NotFound
from moderation.presentation import span_words
from moderation.selectors import outlook, reach
from moderation.services import decisions
from moderation.views import pages

ON_A_PAGE = 20
SUGGESTED = 30
LONGEST_QUERY = 300


@require_GET
@reading
def search(request: Reading) -> HttpResponse:
    """Earlier fact-checks by anyone, newest first."""
    query = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST_QUERY]
    language, verdict = request.GET.get("language", "")[:8], request.GET.get("verdict", "")
    partner = request.partner
    own = "1" if partner and request.GET.get("own") == "1" else ""
    found = find.search(
        query,
        language=language.replace("\0", ""),
        verdict=verdict if verdict in Verdict.values else "",
        partner_id=str(partner.pk) if partner and own else "",
    )
    page = pages.cursor_page(request, found.order_by("-added_at", "-pk"), ON_A_PAGE, keys=("added_at", "pk"))
    in_force = given.in_force_on([claim.pk for claim in page.rows])
    context = {
        "query": query,
        "found": [{"claim": claim, "ratings": in_force.get(claim.pk, [])} for claim in page.rows],
        "next_url": page.next_url,
        "is_first": pages.AFTER not in request.GET,
        "is_filtered": bool(query or language or verdict or own),
        "selects": [
            _select("verdict", _("Verdict"), verdict, _("All verdicts"), Verdict.choices),
            _select("language", _("Language"), language, _("All languages"),
                    [(code, iso.language_name(code) or code) for code in find.languages()]),
            *([_select("own", _("Partner"), own, _("All partners"), [("1", partner.name)])] if partner else []),
        ],
        "pick_url": reverse("factcheck:posts_pick") if partner else "",
        "search": {"url": reverse("factcheck:claims"), "query": query, "placeholder": _("Search fact-checks")},
    }  # fmt: skip
    return render(request, "factcheck/search_claims.html", context)


@require_GET
@reading
def claim(request: Reading, claim_id: uuid.UUID) -> HttpResponse:
    """Everything about a claim."""
    now = timezone.now()
    shown = _claim(claim_id)
    in_force = given.in_force(shown)
    confirmed = find.matches_of(shown).filter(state=MatchState.CONFIRMED).order_by("-at", "-pk")
    page = pages.cursor_page(request, confirmed, ON_A_PAGE, keys=("at", "pk"))
    partner = request.partner
    own = next((r for r in in_force if partner and r.partner_id == partner.pk), None)
    context = {
        "claim": shown,
        "claim_language": iso.language_name(shown.language) or shown.language,
        "standing": decisions.standing_on(shown.cluster_id),
        "partners": _by_partner(request, given.history_of(shown), in_force),
        "own_rating": own,
        "may_revise": may_withdraw(request.caller, own) if own else None,
        "acts": partner is not None,
        "may_rate": partner and may_work_queue(request.caller, partner, now=now),
        "matches": page.rows,
        "next_url": page.next_url,
        "is_first": pages.AFTER not in request.GET,
        "suggested": find.matches_of(shown).filter(state=MatchState.SUGGESTED)[:SUGGESTED],
        "rejected": find.matches_of(shown).filter(state=MatchState.REJECTED)[:SUGGESTED],
        "counts": find.counts_of(shown),
        "reached": outlook.reached(cluster_id=shown.cluster_id),
        "views": _views(shown, in_force, now=now),
        "fan_out": _fan_out(shown),
        **_withdrawal(shown),
        "search": {"url": reverse("factcheck:claims"), "query": "", "placeholder": _("Search fact-checks")},
    }
    return render(request, "factcheck/claim.html", context)


@require_GET
@reading
def progress(request: Reading, claim_id: uuid.UUID) -> HttpResponse:
    """How far the newest decision has come, for the bar; 204 while it stands where it stood."""
    bar = _fan_out(_claim(claim_id))
    if bar is None:
        raise Http404
    if request.GET.get("version") == bar["version"]:
        return HttpResponse(status=204)
    return render(request, "factcheck/claim_progress.html", {"fan_out": bar})


@require_POST
@reviewing
def rate_too(request: Shift, claim_id: uuid.UUID) -> HttpResponse:
    """Open an item for a claim that others rated, and take it."""
    now = timezone.now()
    item = claims.pick(claim_id=claim_id, caller=request.caller, now=now)
    try:
        leases.take(item.pk, caller=request.caller, now=now)
    except Conflict as refusal:
        messages.warning(request, refusal.message)
    except NotFound:
        messages.warning(request, _("This claim is outside your organisation's languages and countries."))
        return HttpResponseRedirect(reverse("factcheck:claims_one", args=[claim_id]))
    return HttpResponseRedirect(addresses.triage(Filters(), item.pk))


@require_POST
@reviewing
def confirm(request: Shift, match_id: uuid.UUID) -> HttpResponse:
    """A suggested match is right."""
    match = find.match(match_id)
    if match is None:
        raise Http404
    try:
        matches.confirm(match.claim, match.post_version, caller=request.caller, now=timezone.now())
    except Conflict as refusal:
        messages.warning(request, refusal.message)
    else:
        messages.success(request, _("Confirmed: the post and its exact copies are answered like the claim."))
    return HttpResponseRedirect(reverse("factcheck:claims_one", args=[match.claim_id]) + "#posts")


@require_POST
@reviewing
def reject(request: Shift, match_id: uuid.UUID) -> HttpResponse:
    """The post does not make the claim: it leaves, and never comes back by itself."""
    match = matches.reject(match_id, caller=request.caller, now=timezone.now())
    messages.success(request, _("Rejected: the post is free of this claim's effect, and stays so."))
    return HttpResponseRedirect(reverse("factcheck:claims_one", args=[match.claim_id]) + "#posts")


def _claim(claim_id: uuid.UUID) -> Claim:
    shown = find.get(claim_id)
    if shown is None:
        raise Http404
    return shown


def _by_partner(request: Reading, rows: Sequence[Rating], in_force: Sequence[Rating]) -> list[dict[str, Any]]:
    """Each partner's ratings, newest first: what holds, and what came before. Colleagues have first names,
    people elsewhere none."""
    holding = {rating.pk for rating in in_force}
    partners: dict[uuid.UUID, dict[str, Any]] = {}
    for rating in rows:
        own = request.partner is not None and rating.partner_id == request.partner.pk
        entry = partners.setdefault(
            rating.partner_id, {"partner": rating.partner, "own": own, "current": None, "history": []}
        )
        line = {
            "rating": rating,
            "by": str(rating.rated_by).split()[0] if own else "",
            "withdrawn": getattr(rating, "withdrawal", None),
            "in_force": rating.pk in holding,
            "may_withdraw": may_withdraw(request.caller, rating),
        }
        if line["in_force"]:
            entry["current"] = line
        else:
            entry["history"].append(line)
    return sorted(partners.values(), key=lambda e: (e["current"] is None, not e["own"], e["partner"].name))


def _views(shown: Claim, in_force: Sequence[Rating], *, now: datetime) -> dict[str, Any] | None:
    """What was measured around the claim's first rating in force; None while there is none."""
    if not in_force:
        return None
    at = min(rating.at for rating in in_force)
    found = reach.measured(shown.cluster_id, at, now=now)
    share = found.share_after
    return {
        "at": at,
        "found": found,
        "least": round(100 * share[0]) if share else None,
        "most": round(100 * share[1]) if share else None,
        "to_rating": None
        if found.seconds_to_rating is None
        else span_words(timedelta(seconds=found.seconds_to_rating)),
    }


def _withdrawal(shown: Claim) -> dict[str, Any]:
    """What the dialog says that a withdrawal does, in numbers."""
    posts = outlook.reached(cluster_id=shown.cluster_id).posts
    return {
        "withdraw_consequences": [
            ngettext("%(n)d post is computed anew.", "%(n)d posts are computed anew.", posts) % {"n": posts},
            _("A strike that rests on it stops counting."),
            _("People who were told of the rating are told of its withdrawal."),
        ],
        "withdraw_reason": {
            "name": "reason",
            "label": _("Why is it withdrawn?"),
            "required": True,
            "maxlength": NOTE_LIMIT,
        },
    }


def _fan_out(shown: Claim) -> dict[str, Any] | None:
    """The newest fan-out over the claim's posts, as the progress bar takes it."""
    newest = shown.cluster.fan_outs.order_by("-started_at", "-id").first()
    if newest is None:
        return None
    done = min(newest.done, newest.total)
    return {
        "done": done,
        "total": newest.total,
        "state": "done" if newest.finished_at else "running",
        "at": newest.finished_at or newest.started_at,
        "url": reverse("factcheck:claims_progress", args=[shown.pk]),
        "version": f"{newest.pk}.{done}.{bool(newest.finished_at)}",
    }


def _select(name: str, label: str, chosen: str, everything: str, choices: Any) -> dict[str, Any]:
    return {
        "name": name,
        "label": label,
        "options": [
            {"value": value, "label": words, "selected": value == chosen}
            for value, words in [("", everything), *choices]
        ],
    }
