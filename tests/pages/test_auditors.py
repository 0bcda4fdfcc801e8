"""An auditor reads everything, changes nothing (domain 2): every page that works on something has no act for them."""

import re

import pytest
from django.test import RequestFactory
from django.urls import reverse
from django.utils import timezone

from moderation import navigation
from moderation.caller import Caller
from moderation.enums import Role
from tests.factories import platform as p
from tests.factories.pages import text_of
from tests.pages.page_expectations import PAGES
from tests.pages.test_walk import names_in, served
from tests.pages.world import PageWorld

pytestmark = pytest.mark.django_db

# What a reader may send: the role they act in, signing out, and the check of the log, which writes nothing.
THEIRS = {"acting", "account_logout", "audit-verify"}
PERSONAL = {"flag", "flags-one", "settings"}  # what anybody with an account may do in their own name
FORM = re.compile(r'<form\b(?=[^>]*method="post")[^>]*action="([^"]*)"')


@pytest.fixture
def world():
    return PageWorld(timezone.now)


def test_an_auditor_finds_no_act_on_any_page(world):
    ines, theirs = world.people["auditor"], {reverse(name) for name in THEIRS}
    shown = {}
    for name, page in PAGES.items():
        if page.get is None or page.is_open or name in PERSONAL or "auditor" not in page.get.allowed:
            continue
        names = names_in(dict(served())[name].pattern)
        if name in ("media", "audit-export") or 200 not in page.get.answers:
            continue
        text = text_of(ines, name, *world.kwargs(names, "foreign", "auditor").values())
        acts = {action for action in FORM.findall(text) if action not in theirs}
        if acts or re.search(r'data-key="[cesznm]"', text):
            shown[name] = acts
    assert shown == {}


def test_an_auditor_reads_the_queues_of_every_partner(world):
    text = text_of(world.people["auditor"], "factcheck:triage")

    for mine in world._objects.values():
        assert reverse("factcheck:triage_item", args=[mine["item_id"]]) in text
    assert "Held by Partner" in text, "who holds it is an organisation to people outside"


def test_an_auditor_s_menu_leads_everywhere_they_may_read(world):
    caller = Caller(role=Role.AUDITOR)
    found = {entry.url_name for entry in navigation.entries_for(caller)}

    assert found == {
        "factcheck:triage", "factcheck:claims", "factcheck:partners", "desk", "people", "keys", "webhooks", "policies",
        "switches", "system", "audit", "feed",
    }  # fmt: skip


@pytest.mark.parametrize(
    "known", [{}, {"caller": None}, {"caller": p.SYSTEM}, {"caller": p.SYSTEM, "user": None}]
)
def test_a_page_without_a_person_has_an_empty_menu(known):
    request = RequestFactory().get("/")
    for name, value in known.items():
        setattr(request, name, value)

    assert navigation.context(request) == {"navigation": [], "acting": None, "unread": None}
