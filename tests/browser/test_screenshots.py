"""The demo as a newcomer meets it, page by page; with SCREENSHOTS=docs/screenshots the pictures of the docs.

`make test ARGS="tests/browser/test_screenshots.py"` runs it alone.
"""

from datetime import datetime

import pytest
from django.core.management import call_command
from django.utils import timezone

from factcheck.models import Partner, Rating
from factcheck.services import leases
from moderation.caller import Caller
from moderation.enums import Role
from moderation.models import Escalation, User
from moderation.services import callers
from tests.browser.conftest import Open


@pytest.fixture
def demo(transactional_db, work, settings, tmp_path):
    """The whole demo, told into the test's database."""
    settings.VAR_DIR = tmp_path / "var"
    settings.VAR_DIR.mkdir()
    settings.MEDIA_ROOT = tmp_path / "media"
    call_command("seed_demo")
    work()


def acting(email: str, role: Role, now: datetime) -> Caller:
    person = User.objects.get(email=email)
    capacity = next(c for c in callers.capacities(person, now=now) if c.role == role)
    return callers.for_person(person, acting=capacity.value, now=now)


@pytest.mark.usefixtures("demo")
def test_every_page_of_the_demo_is_served_with_its_content(open_as: Open, shoot):
    now = timezone.now()
    member = open_as(acting("member@veracity.example", Role.MEMBER, now))
    rating = Rating.objects.filter(
        verdict="false", language="en", superseded_by=None, withdrawal=None, partner__slug="northlight"
    ).first()
    picture(member, shoot, "feed", "/feed/", "Why this order")
    picture(member, shoot, "post", f"/posts/{rating.post_version.post_id}/", rating.partner.name)
    picture(member, shoot, "my-flags", "/flags/", "flag")

    reviewer = acting("reviewer@veracity.example", Role.REVIEWER, now)
    page = open_as(reviewer)
    item = leases.take_next(caller=reviewer, now=now)
    picture(page, shoot, "triage", f"/triage/{item.pk}/", "Submit and next")
    picture(page, shoot, "claim", f"/claims/{rating.claim_id}/", rating.partner.name)

    specialist = open_as(acting("policy2@veracity.example", Role.POLICY_SPECIALIST, now))
    case = Escalation.objects.filter(status="proposed").first()
    picture(specialist, shoot, "desk", f"/desk/{case.pk}/", "second key")

    administrator = open_as(acting("admin@veracity.example", Role.ADMINISTRATOR, now))
    picture(administrator, shoot, "partners", "/partners/", Partner.objects.order_by("name")[0].name)
    picture(administrator, shoot, "system", "/system/", "Queues")


def picture(page, shoot, name: str, url: str, words: str) -> None:
    """The page answers, shows these words, and is taken in both sizes and both schemes."""
    answer = page.goto(url)
    assert answer is not None and answer.ok, f"{url}: {answer and answer.status}"
    assert words in page.inner_text("body")
    shoot(page, name)
