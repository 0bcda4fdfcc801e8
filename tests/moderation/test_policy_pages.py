"""Policies on the page: an administrator drafts and tries, another approves, an auditor reads."""

import pytest
from django.urls import reverse

from moderation.models import PolicyDraft, PolicyVersion
from moderation.services import policies as service
from tests.factories import platform as p
from tests.factories.policies import changed, proposed
from tests.factories.visitors import visit

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(wall):
    return p.administrator(clock=wall)


@pytest.fixture
def ben(wall):
    return p.administrator(clock=wall)


def filled(client, address):
    """What a browser would send back from the form as it stands."""
    form = client.get(address).context["form"]
    sent = {}
    for bound in form:
        value = bound.value()
        if value is True:
            sent[bound.html_name] = "on"
        elif value not in (None, False):
            sent[bound.html_name] = value
    return sent


def test_a_draft_saved_as_it_stands_says_what_its_version_says(wall, ada):
    client = visit(ada)
    at = client.post(reverse("policies-new")).url

    saved = client.post(at, filled(client, at) | {"version": 1})

    assert saved.status_code == 302
    draft = PolicyDraft.objects.get()
    assert draft.data == draft.base.data
    assert "Nothing differs from version 1 yet" in client.get(at).content.decode()


def test_the_whole_way_from_draft_to_version_and_back(wall, ada, ben):
    post = p.post(clock=wall)
    p.rated(post, clock=wall)
    p.settle(wall)
    author, judge = visit(ada), visit(ben)
    at = author.post(reverse("policies-new")).url
    change = {
        "verdicts.false.multiplier.feed": "35.5",
        "reason": "Readers look for corrections.",
        "version": 1,
    }
    assert author.post(at, filled(author, at) | change).status_code == 302
    assert "20\u00a0%" in (page := author.get(at).content.decode()) and "35.5\u00a0%" in page

    author.post(f"{at}dry-run/", {"version": 2})
    p.settle(wall)
    page = author.get(at).content.decode()
    assert "<b>1</b> post changes" in page
    assert post.external_id in page
    author.post(f"{at}propose/", {"version": 3})
    assert "Waits for your word" in judge.get("/policies/").content.decode()
    assert "Another administrator must judge" in author.get(at).content.decode()

    approved = judge.post(f"{at}approve/", {"version": 4}, follow=True)
    assert "it is version 2" in approved.content.decode()
    p.settle(wall)
    assert p.feed_of(post, clock=wall) == 0.355

    back = judge.post(reverse("policies-new"), {"number": 1}).url
    draft = PolicyDraft.objects.get(base=2)
    assert (draft.data, draft.reason) == (PolicyVersion.objects.get(pk=1).data, "Back to version 1.")
    assert "35.5\u00a0%" in judge.get(back).content.decode()


def test_a_wrong_number_stands_at_its_field_and_what_was_typed_stays(wall, ada):
    client = visit(ada)
    at = client.post(reverse("policies-new")).url

    refused = client.post(
        at,
        filled(client, at)
        | {
            "version": 1,
            "verdicts.false.multiplier.feed": "120",
            "desk.realert_hours": "20, 2",
            "reason": "Words",
        },
    )

    assert refused.status_code == 422
    assert "verdicts.false.multiplier.feed" in refused.context["form"].errors
    assert "Words" in refused.content.decode()
    assert PolicyDraft.objects.get().version == 1

    refused = client.post(at, filled(client, at) | {"version": 1, "desk.realert_hours": "20, 2"})
    assert list(refused.context["form"].errors) == ["desk.realert_hours"]


def test_a_level_without_a_count_is_no_level(wall, ada):
    client = visit(ada)
    at = client.post(reverse("policies-new")).url

    client.post(at, filled(client, at) | {"version": 1, "strikes.levels.2.at": ""})

    assert [row["at"] for row in PolicyDraft.objects.get().data["strikes"]["levels"]] == [1, 2]


def test_a_countrys_rule_begins_as_the_worlds_and_can_be_taken_away(wall, ada):
    client = visit(ada)
    at = client.post(reverse("policies-new")).url
    client.post(f"{at}country/", {"version": 1, "country": "US", "verdict": "false"})
    rule = PolicyDraft.objects.get().data["countries"]["US"]["false"]
    assert (rule["multiplier"]["feed"], "strike" in rule) == (2000, False)

    client.post(at, filled(client, at) | {"version": 2, "countries.US.false.multiplier.feed": "100"})
    assert PolicyDraft.objects.get().data["countries"]["US"]["false"]["multiplier"]["feed"] == 10_000

    client.post(at, filled(client, at) | {"version": 3, "remove.countries.US.false": "on"})
    assert PolicyDraft.objects.get().data["countries"] == {}


def test_two_who_edit_the_same_draft_do_not_overwrite_each_other(wall, ada):
    first, second = visit(ada), visit(ada)
    at = first.post(reverse("policies-new")).url
    sent = filled(first, at)
    first.post(at, sent | {"version": 1, "cool_off_days": "10"})

    late = second.post(at, sent | {"version": 1, "cool_off_days": "20"})

    assert late.status_code == 409
    assert PolicyDraft.objects.get().data["cool_off_days"] == 10


def test_an_auditor_reads_everything_and_finds_nothing_to_press(wall, ada):
    draft = proposed({"cool_off_days": 2}, by=ada, clock=wall)
    client = visit(p.auditor(clock=wall))

    for address in ("/policies/", "/policies/1/", f"/policies/drafts/{draft.pk}/"):
        page = client.get(address)
        assert page.status_code == 200
        assert "Approve" not in page.content.decode()
        assert "Draft a" not in page.content.decode()
    assert client.post(f"/policies/drafts/{draft.pk}/approve/", {"version": draft.version}).status_code == 403
    assert client.post(reverse("policies-new")).status_code == 403


def test_a_refusal_is_read_by_the_author(wall, ada, ben):
    draft = proposed({"cool_off_days": 2}, by=ada, clock=wall)
    visit(ben).post(
        f"/policies/drafts/{draft.pk}/refuse/", {"version": draft.version, "reason": "Ask first."}
    )

    assert "Ask first." in visit(ada).get(f"/policies/drafts/{draft.pk}/").content.decode()


def test_a_version_that_is_scheduled_says_when_it_begins(wall, ada, ben):
    draft = service.draft(
        base=1, data=changed({"cool_off_days": 2}), reason="Later", caller=ada, now=wall(),
        valid_from=wall().replace(year=wall().year + 1),
    )  # fmt: skip
    service.dry_run(draft.pk, version=1, caller=ada, now=wall())
    p.settle(wall)
    service.propose(draft.pk, version=2, caller=ada, now=wall())
    service.approve(draft.pk, version=3, caller=ben, now=wall())

    page = visit(ada).get("/policies/").content.decode()

    assert "Begins later" in page
    assert "In force" in page
    assert "Cool-off after a decision" in page
