"""The policy desk through the API: the same two keys as on the page."""

import pytest

from moderation.enums import Scope
from moderation.models import Decision
from tests.api.clients import Api, as_person, key, program
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db


@pytest.fixture
def paula(clock):
    return as_person(p.specialist(clock=clock))


@pytest.fixture
def piet(clock):
    return as_person(p.specialist(clock=clock))


@pytest.fixture
def post(clock):
    return p.post("They meet at the square at noon. Bring stones.", clock=clock)


@pytest.fixture
def case(paula, post):
    body = {"post": str(post.pk), "ground": "incites_violence", "note": "Names a place and an hour."}
    answer = paula.post("/escalations", body)
    assert answer.status_code == 201, answer.content
    return answer.json()


def decision(case, **changes):
    return {
        "version": case["version"],
        "action": "remove",
        "explanation": "It calls for an attack.",
        "policy_section": "Violence 1",
        **changes,
    }


def test_a_removal_takes_two_specialists(paula, piet, case, post, clock):
    proposed = paula.post(f"/escalations/{case['id']}/decide", decision(case)).json()
    proposal = {"proposal": proposed["proposals"][0]["id"]}

    own = paula.post(f"/escalations/{case['id']}/confirm", proposal)
    confirmed = piet.post(f"/escalations/{case['id']}/confirm", proposal)
    p.settle(clock)

    assert (proposed["status"], proposed["proposals"][0]["yours"]) == ("proposed", True)
    assert own.status_code == 403
    assert own.json()["detail"] == "Another specialist must confirm: you proposed this."
    assert confirmed.json()["status"] == "removed"
    assert p.lookup(post, clock=clock)["removed"]


def test_a_refused_proposal_opens_the_case_again(paula, piet, case):
    proposal = paula.post(f"/escalations/{case['id']}/decide", decision(case)).json()["proposals"][0]["id"]

    refused = piet.post(
        f"/escalations/{case['id']}/refuse", {"proposal": proposal, "reason": "It quotes to condemn."}
    ).json()

    assert refused["status"] == "open"
    assert refused["proposals"][0]["reason"] == "It quotes to condemn."


def test_a_stale_version_or_an_edit_since_is_refused_with_what_is_now(paula, case, post, clock):
    shown = paula.get(f"/escalations/{case['id']}").json()["shown"]
    stale = paula.post(f"/escalations/{case['id']}/decide", decision(case, version=9))
    edited = p.edit(post, "They meet at the square at noon.", clock=clock)
    moved = paula.post(f"/escalations/{case['id']}/decide", decision(case, shown=shown))

    assert (stale.status_code, stale.json()["current"]["version"]) == (409, case["version"])
    assert moved.status_code == 409
    assert moved.json()["current"]["shown"] == str(edited.current_version_id)
    assert not Decision.objects.exists()


def test_a_hide_is_at_once_and_once_and_keeping_ends_it(paula, case, post, clock):
    hide = {"version": case["version"], "explanation": "Until another has looked."}
    hidden = paula.post(f"/escalations/{case['id']}/hide", hide).json()
    p.settle(clock)
    removed = p.lookup(post, clock=clock)["removed"]

    again = paula.post(f"/escalations/{case['id']}/hide", {**hide, "version": hidden["version"]})
    keep = {"action": "keep", "version": hidden["version"], "explanation": "A quotation."}
    kept = paula.post(f"/escalations/{case['id']}/decide", keep).json()
    p.settle(clock)

    assert removed is True
    assert (again.status_code, again.json()["code"]) == (409, "hidden_before")
    assert kept["status"] == "kept"
    assert p.lookup(post, clock=clock) is None


def test_a_restriction_holds_seven_days_by_one_key_and_is_taken_back(paula, case, post, clock):
    body = decision(case, action="restrict", regions=["LK"])
    restricted = paula.post(f"/escalations/{case['id']}/decide", body).json()
    restored = paula.post(
        f"/escalations/{case['id']}/restore",
        {"version": restricted["version"], "explanation": "It was taken out of context."},
    ).json()

    assert (restricted["status"], restored["status"]) == ("restricted", "kept")


def test_a_lasting_restriction_waits_for_the_second_key(paula, case):
    body = decision(case, action="restrict", lasting=True)

    assert paula.post(f"/escalations/{case['id']}/decide", body).json()["status"] == "proposed"


def test_a_proposal_is_judged_on_its_own_case_only(paula, piet, case, post, clock):
    other = p.post("Another post.", clock=clock, actor="page-9")
    body = {"post": str(other.pk), "ground": "hate", "note": "See there."}
    second = paula.post("/escalations", body).json()
    proposal = paula.post(f"/escalations/{case['id']}/decide", decision(case)).json()["proposals"][0]["id"]

    assert piet.post(f"/escalations/{second['id']}/confirm", {"proposal": proposal}).status_code == 404


def test_the_list_is_narrowed_by_status_ground_and_region(paula, case):
    assert [c["id"] for c in paula.get("/escalations").json()["results"]] == [case["id"]]
    assert paula.get("/escalations?ground=hate").json()["results"] == []
    assert paula.get("/escalations?status=kept").json()["results"] == []
    assert len(paula.get("/escalations?region=LK").json()["results"]) == 1


def test_a_program_reads_cases_without_learning_who_works_there(case, clock):
    reader = program(Scope.DECISIONS_READ, clock=clock)

    answers = [reader.get("/escalations"), reader.get(f"/escalations/{case['id']}")]

    for answer in answers:
        assert answer.status_code == 200
        assert "people.example" not in answer.content.decode()
        assert "Paula" not in answer.content.decode()


def test_a_specialists_key_needs_the_scope(clock, case):
    paul = p.specialist(clock=clock)
    wrong, right = (
        Api(key=key(scope, clock=clock, of=paul)) for scope in (Scope.POSTS_WRITE, Scope.DESK_WORK)
    )

    assert wrong.get("/escalations").status_code == 403
    assert wrong.post(f"/escalations/{case['id']}/decide", decision(case)).status_code == 403
    assert right.post(f"/escalations/{case['id']}/decide", decision(case)).status_code == 200


def test_content_of_a_child_safety_case_is_withheld(clock, paula, post):
    body = {"post": str(post.pk), "ground": "child_safety", "note": "See the medium."}
    case = paula.post("/escalations", body).json()

    file = paula.get(f"/escalations/{case['id']}").json()

    assert file["withheld"] is True
    assert file["versions"] == []


def test_a_reviewer_escalates_but_does_not_see_the_desk(post, case, clock):
    rita = as_person(f.reviewer(f.partner(clock=clock), clock=clock))
    body = {"post": str(post.pk), "ground": "incites_violence", "note": "The same."}

    assert rita.post("/escalations", body).json()["id"] == case["id"]
    assert rita.get("/escalations").status_code == 403
    assert rita.get(f"/escalations/{case['id']}").status_code == 403
