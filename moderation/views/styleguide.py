"""The design system on one page, in development only: every component in every state, and the big layouts."""

import re
from pathlib import Path
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from moderation.views import styleguide_content, styleguide_work

PAGES = {"components": "styleguide.html"} | {
    name: f"styleguide/{name}.html" for name in ("feed", "triage", "desk", "system")
}


class SampleForm(forms.Form):
    headline = forms.CharField(max_length=120, help_text="One sentence that a member understands.")
    explanation = forms.CharField(
        max_length=600, widget=forms.Textarea(attrs={"rows": 3}), required=False, label="Explanation"
    )
    article = forms.URLField(label="Article", assume_scheme="https")
    language = forms.ChoiceField(choices=[("en", "English"), ("ar", "العربية"), ("hi", "हिन्दी")])
    reason = forms.ChoiceField(
        choices=[
            ("false", "False information"),
            ("scam", "Scam or fraud"),
            ("violence", "Calls for violence"),
        ],
        widget=forms.RadioSelect,
        label="What is wrong with it?",
        help_text="Pick what comes closest.",
    )
    confirm = forms.BooleanField(label="I have read the article", required=False)


def styleguide(request: HttpRequest) -> HttpResponse:
    """`?page=` is components, feed, triage, desk or system. Raises Http404 unless settings.STYLEGUIDE."""
    page = request.GET.get("page", "components")
    if not settings.STYLEGUIDE or page not in PAGES:
        raise Http404
    now = timezone.now()
    values = styleguide_content.content(now) | styleguide_work.work(now) | styleguide_work.furniture()
    return render(request, PAGES[page], values | _chrome(page) | _forms())


def _forms() -> dict[str, Any]:
    refused = SampleForm({"no-article": "not an address", "no-language": "en"}, prefix="no")
    refused.is_valid()
    return {
        "form": SampleForm(initial={"headline": "The picture shows a flood in 2011", "language": "en"}),
        "bound": refused,
    }


def _chrome(page: str) -> dict[str, Any]:
    return {
        "page": page,
        "icons": _icons(),
        "search": {"url": "#search", "query": "", "placeholder": "Search posts and claims"},
        "unread": {"url": "#notices", "count": 4},
        "navigation": _navigation(page),
        "acting": {
            "person_name": "Ana Ferreira",
            "role_label": "Reviewer",
            "organisation_name": "Clarim",
            "initials": "AF",
            "switch_url": "#switch",
            "shortcuts_on": True,
            "media_shown": "blurred",
            "others": [
                {"label": "Reviewer · Clarim", "value": "reviewer", "active": True},
                {"label": "Member", "value": "member", "active": False},
                {"label": "Policy specialist", "value": "policy", "active": False},
            ],
        },
    }


def _icons() -> list[str]:
    sprite = finders.find("icons/sprite.svg")
    return re.findall(r'<symbol id="([\w-]+)"', Path(str(sprite)).read_text(encoding="utf-8"))


def _navigation(page: str) -> list[dict[str, Any]]:
    entries = [
        ("Feed", "feed", "home", None, "f"),
        ("Triage", "triage", "list-check", 1_284, "t"),
        ("Desk", "desk", "gavel", 3, "d"),
        ("System", "system", "heartbeat", None, "s"),
        ("Components", "components", "layout-list", None, "c"),
    ]
    return [
        {
            "label": label,
            "url": f"?page={name}",
            "icon": icon,
            "badge": badge,
            "key": key,
            "active": name == page,
        }
        for label, name, icon, badge, key in entries
    ]
