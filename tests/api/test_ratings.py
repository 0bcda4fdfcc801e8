"""Items are decided through the API as on the page."""

import pytest

from factcheck.models import Rating
from moderation.enums import Scope
from moderation.models import Escalation
from tests.api.clients import Api, as_person, key
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db
WELL = "The town well is poisoned and everybody knows it but nobody says it."


@pytest.fixture
def partner(clock):
    return f.partner(clock=clock)


@pytest.fixture
def rita(partner, clock):
    return f.reviewer(partner, clock=clock)


@pytest.fixture
def api(rita):
    return as_person(rita)


@pytest.fixture
def post(clock):
    post = p.post(WELL, clock=clock)
    p.flag(post, clock=clock, note="The tests are public.")
    p.settle(clock)
    return post


def rating_body(partner, **changes):
    return {
        "version": 1,
        "verdict": "false",
        "claim": {"text": "The town well is poisoned.", "fragment": "well is poisoned"},
        "headline": "No, the well is not poisoned",
        "explanation": "The laboratory's results are public.",
        "article_url": f"https://{partner.domains[0]}/checks/well",
        "evidence": [{"url": "https://lab.example/report", "title": "Report"}],
        "countries": ["LK"],
        **changes,
    }


def rated(api, by, **changes):
    item = api.post("/queue/take").json()["item"]
    return api.post(f"/items/{item['id']}/ratings", {**rating_body(by), **changes})


def test_a_rating_is_in_force_at_once_and_shows_the_partner_never_the_person(api, rita, partner, post, clock):
    answer = rated(api, partner)
    p.settle(clock)

    rating = answer.json()
    assert answer.status_code == 201
    assert rating["partner"] == {"id": str(partner.pk), "name": partner.name}
    assert rating["state"] == "in_force"
    assert p.feed_of(post, clock=clock) == 0.2
    person = f.person_of(rita)
    everywhere = [
        api.get(f"/ratings/{rating['id']}"),
        api.get(f"/claims/{rating['claim']}"),
        api.get(f"/items/{Rating.objects.get().item_id}"),
        api.get("/claims?q=well"),
    ]
    for seen in everywhere:
        assert person.display_name not in seen.content.decode()
        assert person.email not in seen.content.decode()
        assert str(person.pk) not in seen.content.decode()


def test_the_item_shows_everything_the_page_shows(api, partner, post, clock):
    p.edit(post, WELL + " Share it.", clock=clock)
    p.settle(clock)
    item = api.post("/queue/take").json()["item"]
    api.post(f"/items/{item['id']}/notes", {"text": "The town hall calls back at three."})
    api.post(
        f"/items/{item['id']}/escalate", {"ground": "imminent_harm", "note": "A crowd.", "regions": ["LK"]}
    )

    file = api.get(f"/items/{item['id']}").json()

    assert [v["number"] for v in file["versions"]] == [1, 2]
    assert file["post"]["version"] == 2
    assert file["flags"] == [{"reason": "false_information", "count": 1}]
    assert [n["note"] for n in file["flag_notes"]] == ["The tests are public."]
    assert [n["text"] for n in file["notes"]] == ["The town hall calls back at three."]
    assert file["notes"][0]["organisation"]["name"] == partner.name
    assert [c["ground"] for c in file["cases"]] == ["imminent_harm"]
    assert file["standing"]["level"] == "none"
    assert file["lease"]["yours"] is True


def test_a_stale_version_is_refused_with_what_is_now(api, partner, post, clock):
    item = api.post("/queue/take").json()["item"]
    p.edit(post, "The well is fine.", clock=clock)

    answer = api.post(f"/items/{item['id']}/ratings", rating_body(partner))

    assert answer.status_code == 409
    assert answer.json()["code"] == "stale_version"
    assert answer.json()["current"]["version"] == 2
    assert api.get(f"/items/{item['id']}").json()["version"] == 2
    assert api.post(f"/items/{item['id']}/ratings", rating_body(partner, version=2)).status_code == 201


def test_two_reviewers_with_the_same_page_make_one_rating(api, partner, post, clock):
    item = api.post("/queue/take").json()["item"]
    other = as_person(f.reviewer(partner, clock=clock))
    api.post(f"/items/{item['id']}/ratings", rating_body(partner))

    answer = other.post(f"/items/{item['id']}/ratings", rating_body(partner, verdict="true"))

    assert answer.status_code == 409
    assert answer.json()["code"] == "item_closed"
    assert answer.json()["current"]["outcome"] == "rated"
    assert Rating.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "status", "field"),
    [
        ({"verdict": "not_eligible"}, 422, "verdict"),
        ({"verdict": "mostly"}, 400, "verdict"),
        ({"headline": " "}, 400, "headline"),
        ({"headline": "x" * 201}, 400, "headline"),
        ({"explanation": "x" * 20_001}, 400, "explanation"),
        ({"article_url": "https://elsewhere.example/check"}, 400, "article_url"),
        ({"article_url": "javascript:alert(1)"}, 400, "article_url"),
        ({"evidence": [{"url": "https://a.example"}, {"url": "ftp://b.example"}]}, 400, "evidence.1.url"),
        ({"evidence": [{"url": "https://a.example"}] * 21}, 400, "evidence"),
        ({"countries": ["LK-1"]}, 400, "countries.0"),
        ({"claim": {"id": "7"}}, 400, "claim.id"),
        ({"claim": {"id": "0193787a-5f00-7abc-8def-000000000001"}}, 400, "claim"),
        ({"claim": {}}, 400, "claim"),
        ({"version": "1"}, 400, "version"),
        ({"rated_by": "somebody"}, 400, "rated_by"),
        ({"partner": "somebody"}, 400, "partner"),
    ],
)
def test_a_rating_that_cannot_stand_names_the_field_and_stores_nothing(
    api, partner, post, changes, status, field
):
    answer = rated(api, partner, **changes)

    assert answer.status_code == status
    assert list(answer.json()["errors"]) == [field]
    assert Rating.objects.count() == 0


def test_a_rating_is_revised_and_withdrawn_by_new_rows(api, partner, post, clock):
    rating = rated(api, partner).json()
    body = {
        k: v for k, v in rating_body(partner, verdict="partly_false").items() if k not in ("version", "claim")
    }

    revised = api.post(f"/ratings/{rating['id']}/revise", body)
    again = api.post(f"/ratings/{rating['id']}/revise", body)
    withdrawn = api.post(f"/ratings/{revised.json()['id']}/withdraw", {"reason": "The lab corrected itself."})
    p.settle(clock)

    assert revised.json()["supersedes"] == rating["id"]
    assert again.status_code == 409
    assert again.json()["current"] == {"revised_to": revised.json()["id"]}
    assert withdrawn.json()["state"] == "withdrawn"
    assert api.get(f"/ratings/{rating['id']}").json()["state"] == "superseded"
    assert p.lookup(post, clock=clock) is None


def test_a_rating_just_made_is_undone_without_a_trace_for_others(api, partner, post, clock):
    rating = rated(api, partner).json()
    clock.advance(seconds=20)

    undone = api.post(f"/ratings/{rating['id']}/undo")

    other = as_person(f.reviewer(f.partner(clock=clock), clock=clock))
    assert undone.json()["state"] == "withdrawn"
    assert other.get(f"/ratings/{rating['id']}").status_code == 404
    assert api.get(f"/ratings/{rating['id']}").status_code == 200
    assert api.get("/queue?mine").json()["results"][0]["claim"] == rating["claim"]


def test_an_undo_that_comes_late_is_refused(api, partner, post, clock):
    rating = rated(api, partner).json()
    clock.advance(seconds=31)

    assert api.post(f"/ratings/{rating['id']}/undo").status_code == 403


def test_another_partners_rating_is_read_but_does_not_exist_to_be_changed(api, partner, post, clock):
    rating = rated(api, partner).json()
    other = as_person(f.reviewer(f.partner(clock=clock), clock=clock))

    assert other.get(f"/ratings/{rating['id']}").json() == rating
    foreign = other.post(f"/ratings/{rating['id']}/withdraw", {"reason": "No."})
    missing = other.post(f"/ratings/{post.pk}/withdraw", {"reason": "No."})
    assert foreign.status_code == missing.status_code == 404
    assert foreign.json()["detail"] == missing.json()["detail"]


def test_a_key_needs_the_scope_to_change_what_its_person_may(rita, partner, post, clock):
    rating = rated(as_person(rita), partner).json()
    reader = Api(key=key(Scope.DECISIONS_READ, clock=clock, of=rita))

    assert reader.get(f"/ratings/{rating['id']}").status_code == 200
    assert reader.post(f"/ratings/{rating['id']}/withdraw", {"reason": "No."}).status_code == 403
    assert reader.post(f"/ratings/{rating['id']}/undo").status_code == 403
    assert reader.post("/queue/take").status_code == 403


def test_not_eligible_closes_the_item_with_a_decision(api, post, clock):
    item = api.post("/queue/take").json()["item"]

    answer = api.post(f"/items/{item['id']}/not-eligible", {"version": 1, "reason": "An opinion."})

    assert answer.status_code == 201
    assert answer.json()["decision"]["kind"] == "not_eligible"
    assert api.get(f"/items/{item['id']}").json()["outcome"] == "not_eligible"


def test_escalating_twice_makes_one_case_and_leaves_the_item(api, post, clock):
    item = api.post("/queue/take").json()["item"]
    body = {"ground": "incites_violence", "note": "Names a place and an hour."}

    first, second = (api.post(f"/items/{item['id']}/escalate", body) for _ in range(2))

    assert [first.status_code, second.status_code] == [201, 200]
    assert first.json() == second.json()
    assert Escalation.objects.count() == 1
    assert api.get(f"/items/{item['id']}").json()["lease"]["yours"] is True


def test_a_partner_picks_a_post_nobody_flagged_and_a_claim_that_another_rated(api, partner, post, clock):
    rating = rated(api, partner).json()
    quiet = p.post("Nobody flagged this story.", clock=clock)
    second = f.partner(clock=clock)
    other = as_person(f.reviewer(second, clock=clock))

    picked = other.post("/items", {"post": f"ext:{quiet.external_id}"}).json()
    same = other.post("/items", {"claim": rating["claim"]}).json()

    assert picked["picked"] is True
    assert same["claim"] == rating["claim"]
    assert other.post(f"/items/{same['id']}/take").json()["lease"]["yours"]
    given = other.post(f"/items/{same['id']}/ratings", rating_body(second, claim={"id": rating["claim"]}))
    assert given.status_code == 201
    assert [r["partner"]["id"] for r in other.get(f"/claims/{rating['claim']}").json()["ratings"]] == [
        str(partner.pk),
        str(second.pk),
    ]
    measured = other.get(f"/claims/{rating['claim']}").json()["measured"]
    assert [(m["samples"], m["views_after"], m["share_after_most"]) for m in measured] == [(0, 0, None)] * 2
    for body in ({}, {"post": "ext:a", "claim": rating["claim"]}):
        assert other.post("/items", body).status_code == 400
    assert other.post("/items", {"post": "ext:nothing"}).status_code == 404


def test_claims_are_found_by_words_and_their_matches_confirmed_or_rejected(api, partner, post, clock):
    rating = rated(api, partner).json()
    copy = p.post(WELL.upper(), clock=clock, actor="page-2")
    p.settle(clock)

    found = api.get("/claims?q=WELL poisoned&verdict=false&language=en").json()["results"]
    matches = api.get(f"/claims/{rating['claim']}/matches").json()["results"]
    of_copy = next(m for m in matches if m["post"] == str(copy.pk))
    rejected = api.post(f"/matches/{of_copy['id']}/reject").json()
    p.settle(clock)
    back = api.post(f"/matches/{of_copy['id']}/confirm")

    assert [claim["id"] for claim in found] == [rating["claim"]]
    assert api.get("/claims?q=bridge").json()["results"] == []
    assert (of_copy["kind"], of_copy["state"], rejected["state"]) == ("exact", "confirmed", "rejected")
    assert p.feed_of(copy, clock=clock) == 1.0
    assert (back.status_code, back.json()["code"]) == (409, "rejected_before")
