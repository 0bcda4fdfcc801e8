"""What the desk does on its pages: asked once, in numbers; nothing typed is lost when somebody was first."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone

from moderation.caller import SYSTEM
from moderation.enums import DecisionKind
from moderation.models import Decision, Escalation
from moderation.permissions import HIDDEN_BEFORE
from moderation.services import posts
from moderation.services.posts import Reach
from tests.factories import platform as p
from tests.factories.desk import decide, judge, opened, page_of, proposed, words
from tests.factories.visitors import visit

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture(autouse=True)
def _in_the_tests_time(clock, monkeypatch):
    monkeypatch.setattr(timezone, "now", clock)


@pytest.fixture
def paula(clock):
    return p.specialist(clock=clock)


@pytest.fixture
def piet(clock):
    return p.specialist(clock=clock)


@pytest.fixture
def post(clock):
    post = p.post("Meet at the old market at nine and bring what you have.", clock=clock)
    sample = Reach(post.pk, clock(), views=12_400, shares=3)
    posts.record_reach([sample], caller=SYSTEM, now=clock())
    return post


@pytest.fixture
def case(post, paula, clock):
    return opened(post, by=paula, clock=clock)


# ── an act is asked once, in numbers ───────────────────────────────────────────────────────────────


def test_hiding_is_asked_with_its_numbers_and_done_only_when_confirmed(case, post, paula, clock):
    client = visit(paula)

    asked = decide(client, case, "hide", step="")
    assert asked.status_code == 200
    assert "It disappears everywhere within seconds." in words(asked)
    assert "12.4k views an hour now, 12.4k so far" in words(asked)
    assert "This uses up the only hide of version 1 on this ground." in words(asked)
    assert not Decision.objects.exists()

    done = decide(client, case, "hide")
    p.settle(clock)

    assert done["Location"] == page_of(case)
    assert p.lookup(post, clock=clock)["removed"]


def test_a_hide_that_was_used_is_closed_with_the_sentence_of_the_refusal(case, paula, clock):
    client = visit(paula)
    decide(client, case, "hide")

    page = client.get(page_of(case)).content.decode()
    again = decide(client, case, "hide")

    assert re.search(r'value="hide"[^>]* disabled', page)
    assert str(HIDDEN_BEFORE) in page
    assert again.status_code == 409
    assert str(HIDDEN_BEFORE) in again.content.decode()
    assert Decision.objects.count() == 1


def test_a_running_hide_tells_when_it_ends_and_when_it_ended_alone(case, paula, clock):
    client = visit(paula)
    decide(client, case, "hide")
    clock.advance(hours=13)

    running = words(client.get(page_of(case)))
    row = client.get(reverse("desk")).context["rows"][0]
    clock.advance(hours=11)
    over = words(client.get(page_of(case)))

    assert "2 h, passed" in running and "12 h, passed" in running and "20 h, Tue 1 Dec, 08:00" in running
    assert row["hide"]["words"] == "Hidden, ends in 11 h" and row["hide"]["unconfirmed"] == "12 h unconfirmed"
    assert "The hide ended by itself, unconfirmed" in over
    assert "Served to everybody, without any effect." in over


def test_a_proposal_names_what_is_missing_and_keeps_what_was_typed(case, paula):
    answer = decide(
        visit(paula),
        case,
        "remove",
        where="regions",
        regions="LK, Atlantis",
        policy_section=" ",
        explanation="x" * 2001,
    )

    assert answer.status_code == 422
    assert "“Atlantis” is no ISO code of a country or region." in words(answer)
    assert "Name the section of the policy." in words(answer)
    assert "at most 2000 characters" in words(answer)
    assert 'value="LK, Atlantis"' in answer.content.decode()
    assert re.search(r'value="remove"[^>]* checked', answer.content.decode())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"act": ""}, "Choose what to do."),
        ({"act": "burn"}, "Choose what to do."),
        ({"where": ""}, "Say where."),
        ({"where": "regions"}, "Name at least one region"),
        ({"where": "regions", "regions": " , ;"}, "Name at least one region"),
        ({"where": "regions", "regions": "UK"}, "“UK” is no ISO code"),
        ({"where": "regions", "regions": "France"}, "Write FR for France"),
        ({"ground": "boredom"}, "boredom is not one of the available choices"),
        ({"explanation": "   "}, "The author must be able to read why."),
    ],
)
def test_what_cannot_be_is_said_beside_its_field(case, paula, changes, sentence):
    answer = decide(visit(paula), case, **{"act": "remove", **changes})

    assert answer.status_code == 422
    assert sentence in words(answer)
    assert Escalation.objects.get(pk=case.pk).version == 1


def test_keeping_asks_for_no_region_and_no_policy_section(case, paula):
    answer = decide(visit(paula), case, "keep", where="", ground="", policy_section="", regions="nonsense")

    assert answer.status_code == 302
    assert Escalation.objects.get(pk=case.pk).status == "kept"


@pytest.mark.parametrize(
    ("act", "status"),
    [("restrict", "restricted"), ("restrict_longer", "proposed"), ("remove", "proposed"), ("keep", "kept")],
)
def test_each_act_does_what_it_says(case, paula, act, status):
    assert decide(visit(paula), case, act, where="regions", regions="lk, IN-TN").status_code == 302

    assert Escalation.objects.get(pk=case.pk).status == status


def test_a_removal_goes_the_whole_way_and_back(case, post, paula, piet, clock):
    decide(visit(paula), case, "remove", where="regions", regions="lk")
    proposal = case.proposals.get()

    asked = judge(visit(piet), proposal, "confirm", step="")
    assert "It disappears in Sri Lanka (LK) within seconds." in words(asked)
    assert not Decision.objects.exists()
    judge(visit(piet), proposal, "confirm")
    p.settle(clock)
    assert p.lookup(post, clock=clock, region="LK")["removed"]

    page = words(visit(paula).get(page_of(case)))
    assert "Removed in Sri Lanka (LK)." in page
    decide(visit(paula), case, "restore", explanation="It quoted the call to condemn it.")
    p.settle(clock)

    assert (
        p.lookup(post, clock=clock, region="LK") is None
        or not p.lookup(post, clock=clock, region="LK")["removed"]
    )
    assert "It quoted the call to condemn it." in words(visit(paula).get(page_of(case)))


def test_whoever_proposed_sees_the_closed_button_with_the_sentence_of_the_refusal(case, paula, clock):
    proposal = proposed(case, by=paula, clock=clock)
    client = visit(paula)
    sentence = "Another specialist must confirm: you proposed this."

    page = client.get(page_of(case)).content.decode()
    answer = judge(client, proposal, "confirm")

    assert sentence in page and "disabled" in page.split("judge-why")[1]
    assert answer.status_code == 403 and sentence in answer.content.decode()
    assert not Decision.objects.exists()


def test_a_refusal_needs_its_reason_and_opens_the_case_again(case, paula, piet, clock):
    proposal = proposed(case, by=paula, clock=clock)
    client = visit(piet)

    silent = judge(client, proposal, "refuse", reason=" ")
    assert silent.status_code == 422 and "Say why, so that the case can go on." in words(silent)
    judge(client, proposal, "refuse")

    assert Escalation.objects.get(pk=case.pk).status == "open"
    assert "It reports the call." in words(client.get(page_of(case)))


# ── overtaken ──────────────────────────────────────────────────────────────────────────────────────


def test_an_act_on_a_page_that_was_overtaken_says_what_happened_and_loses_nothing(case, paula, piet, clock):
    proposed(case, by=piet, clock=clock)

    answer = decide(visit(paula), case, "restrict", version=1, explanation="My careful words.")

    assert answer.status_code == 409
    assert "The case changed since you read it." in words(answer)
    assert "Waits for a second key" in words(answer) and "Removal proposed" in words(answer)
    assert "My careful words." in answer.content.decode()
    assert Escalation.objects.get(pk=case.pk).status == "proposed"


def test_an_edit_since_the_page_was_read_is_shown_before_anything_is_done(case, post, paula, clock):
    read = str(post.current_version_id)
    p.edit(post, "Meet at the old market at nine and bring flowers.", clock=clock)

    answer = decide(visit(paula), case, "remove", shown=read, explanation="My careful words.")

    assert answer.status_code == 409
    assert "The author edited the post since you read it." in words(answer)
    assert re.search(r"<ins[^>]*>.*?flowers", answer.content.decode(), re.S)
    assert "My careful words." in answer.content.decode()
    again = decide(visit(paula), case, "remove")
    assert again.status_code == 302


def test_the_second_key_is_told_of_an_edit_too(case, post, paula, piet, clock):
    proposal = proposed(case, by=paula, clock=clock)
    read = str(post.current_version_id)
    p.edit(post, "Meet at the old market at nine and bring flowers.", clock=clock)

    assert judge(visit(piet), proposal, "confirm", shown=read).status_code == 409
    assert not Decision.objects.exists()
    assert "Edited since it was escalated." in words(visit(piet).get(page_of(case)))


def test_two_second_keys_one_after_the_other_say_who_was_first(case, paula, piet, clock):
    proposal = proposed(case, by=paula, clock=clock)
    version = Escalation.objects.get(pk=case.pk).version
    judge(visit(piet), proposal, "confirm")

    answer = judge(visit(p.specialist(clock=clock)), proposal, "confirm", version=version)

    assert answer.status_code == 409
    assert "Now: Removed." in words(answer)
    assert Decision.objects.filter(kind=DecisionKind.REMOVAL).count() == 1


def test_going_back_from_the_question_keeps_the_words(case, paula):
    answer = decide(visit(paula), case, "remove", step="back", explanation="My careful words.")

    assert answer.status_code == 200
    assert "My careful words." in answer.content.decode()
    assert Escalation.objects.get(pk=case.pk).status == "open"


# ── in the page, with scripts ──────────────────────────────────────────────────────────────────────


def test_with_scripts_the_question_is_a_dialog_and_errors_come_to_their_place(case, paula):
    client = visit(paula)

    asked = decide(client, case, "keep", step="", headers=HTMX)
    wrong = decide(client, case, "keep", step="", explanation="", headers=HTMX)
    overtaken = decide(client, case, "keep", step="", version=7, headers=HTMX)

    assert "data-dialog-auto" in asked.content.decode() and "<html" not in asked.content.decode()
    assert (wrong.status_code, wrong["HX-Retarget"], wrong["HX-Reswap"]) == (
        422,
        "#desk-decision",
        "outerHTML",
    )
    assert overtaken.status_code == 422 and "Nothing was done." in words(overtaken)
    assert Escalation.objects.get(pk=case.pk).version == 1
