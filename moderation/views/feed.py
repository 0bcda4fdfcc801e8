"""The member's feed."""

from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from moderation import forms, iso
from moderation.selectors import feed as feeds
from moderation.selectors import members, policies
from moderation.selectors.feed import Place
from moderation.views import cards, flag_states, pages
from moderation.views.doors import Visit, signed_in

PER_PART = 20
LATEST_FLAGS = 3


@require_GET
@signed_in
def feed(request: Visit) -> HttpResponse:
    """Ranked posts in the reader's language, more as they scroll; `?language=` and `?region=` choose others."""
    now = timezone.now()
    language, region = language_of(request), region_of(request)
    part = feeds.ranked(
        caller=request.caller,
        viewer=request.user,
        region=region,
        language=language,
        limit=PER_PART,
        after=_place(request.GET.get(pages.AFTER, "")),
        now=now,
    )
    rules = policies.at(now).data
    context: dict[str, Any] = {
        "cards": [cards.card(shown, rules) for shown in part.posts],
        "dialogs": cards.DIALOGS,
        "next_url": _next_url(request, part.end),
        "continued": pages.AFTER in request.GET,
    }
    if request.htmx.target == "feed-more":
        return render(request, "moderation/feed.html#cards", context)
    codes = feeds.languages(now=now)
    context |= {
        "selects": [_languages(language, codes), _regions(region)],
        "filtered": bool(codes and (language or region)),
        "preference": request.user.get_viewer_preference_display(),
        "is_default": request.user.viewer_preference == "default",
        "region": region,
        "region_name": iso.region_name(region) or region,
        "flags": flag_states.of(list(members.flags_of(request.caller)[:LATEST_FLAGS]), region=region),
        "lowest": _kept(rules, "false"),
        "middle": _kept(rules, "partly_false"),
    }
    name = "moderation/feed.html#list" if request.htmx.target == "feed-list" else "moderation/feed.html"
    return render(request, name, context)


def language_of(request: Visit) -> str:
    """`?language=` for this look ("" for all), else the one their settings say."""
    return pages.asked(request.GET, "language", 8) if "language" in request.GET else request.user.language


def region_of(request: Visit) -> str:
    """Where the reader is: `?region=` for this look, else what their settings say."""
    asked = request.GET.get("region")
    if asked is None:
        return request.user.region
    code = asked.strip().upper()
    return code if code and iso.region_name(code) else ""


def _kept(rules: Any, verdict: str) -> int:
    share: int = rules["verdicts"][verdict]["multiplier"]["feed"]
    return share


def _place(cursor: str) -> Place | None:
    if not cursor:
        return None
    try:
        at, score, post_id = pages.decode_cursor(cursor)
        when = parse_datetime(at)
        if when is None or when.tzinfo is None:
            raise Http404
        return Place(when, float(score), UUID(post_id))
    except (ValueError, TypeError, AttributeError):
        raise Http404 from None


def _next_url(request: Visit, end: Place | None) -> str:
    return pages.url_after(request.GET, [end.at.isoformat(), end.score, str(end.post_id)]) if end else ""


def _languages(chosen: str, codes: list[str]) -> dict[str, Any]:
    if chosen and chosen not in codes:
        codes = [chosen, *codes]
    return {
        "name": "language",
        "label": _("Language"),
        "options": [
            {"value": "", "label": _("All languages"), "selected": not chosen},
            *({"value": c, "label": forms.language_label(c), "selected": c == chosen} for c in codes),
        ],
    }


def _regions(chosen: str) -> dict[str, Any]:
    known = forms.country_choices()
    if chosen and chosen not in dict(known):
        known = [(chosen, iso.region_name(chosen) or chosen), *known]
    return {
        "name": "region",
        "label": _("Seen from"),
        "options": [
            {"value": "", "label": _("Seen from anywhere"), "selected": not chosen},
            *({"value": code, "label": name, "selected": code == chosen} for code, name in known),
        ],
    }
