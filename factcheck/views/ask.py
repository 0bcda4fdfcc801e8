"""Ask once before something is done: a dialog in the page, or a page of its own."""

from collections.abc import Iterable

from django.http import HttpResponse
from django.shortcuts import render

from moderation.views.doors import Visit


def ask(
    request: Visit, *, title: str, lines: Iterable[str], action: str, back: str, danger: bool = False
) -> HttpResponse:
    """What the act will do, in sentences; its button sends a POST to the same address."""
    context = {
        "title": title,
        "lines": list(lines),
        "action": action,
        "back": back,
        "here": request.get_full_path(),
        "danger": danger,
    }
    return render(request, "factcheck/partners_ask.html" + ("#dialog" if request.htmx else ""), context)
