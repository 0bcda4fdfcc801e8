"""Programme switches over HTTP: the same steps as on the page."""

import uuid

import pytest
from django.utils import timezone

from moderation.enums import Scope
from tests.api.clients import Api, as_person, key
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db

WHY = {"reason": "The law there changes on Monday."}


def test_a_switch_goes_on_by_two_people_and_comes_back_by_one(clock):
    ada, ben = (as_person(p.administrator(clock=clock)) for _ in range(2))
    partner = f.partner(clock=clock, country="US")
    post = p.post(clock=clock)
    f.rate(post, by=f.lead(partner, clock=clock), clock=clock)
    p.settle(clock)

    sent = {"kind": "lift_effects", "country": "US", "organisation": str(partner.pk), **WHY}
    made = ada.send("POST", "/switches", sent)
    assert made.status_code == 201
    found = made.json()
    assert found["organisation"] == {"id": str(partner.pk), "name": partner.name}
    assert (found["status"], found["yours"], found["dry_run"]["ended_at"]) == ("proposed", True, None)

    at = f"/switches/{found['id']}"
    early = ben.send("POST", f"{at}/confirm", {"version": 1})
    assert (early.status_code, early.json()["code"]) == (409, "no_dry_run")
    p.settle(timezone.now)  # (requests come at the time of the wall)
    assert ada.get(at).json()["dry_run"]["changed"] == 1
    own = ada.send("POST", f"{at}/confirm", {"version": 1})
    assert (own.status_code, own.json()["code"]) == (403, "forbidden")
    on = ben.send("POST", f"{at}/confirm", {"version": 1}).json()
    assert (on["status"], on["version"], on["yours"]) == ("on", 2, False)
    p.settle(timezone.now)
    reader = Api(key=key(Scope.DISTRIBUTION_READ, clock=clock))
    asked = {"posts": [str(post.pk)], "region": "US"}
    effect = reader.send("POST", "/distribution/lookup", asked).json()["posts"][0]
    assert (effect["multipliers"]["feed"], effect["label"], len(effect["lifted"])) == (1.0, None, 1)

    off = ada.send("POST", f"{at}/return", {"version": 2}).json()
    assert (off["status"], off["ended_at"] is not None) == ("off", True)
    p.settle(timezone.now)
    effect = reader.send("POST", "/distribution/lookup", asked).json()["posts"][0]
    assert (effect["label"], "lifted" in effect) == ("warning", False)
    assert [row["id"] for row in ben.get("/switches").json()["results"]] == [found["id"]]


def test_a_rating_where_they_stop_is_a_403_with_its_code(clock):
    ada, ben = (as_person(p.administrator(clock=clock)) for _ in range(2))
    partner = f.partner(clock=clock, country="US")
    rita = as_person(f.reviewer(partner, clock=clock))
    made = ada.send("POST", "/switches", {"kind": "stop_ratings", "country": "US", **WHY}).json()
    assert made["dry_run"]["stops"]["organisations"] == 1
    ben.send("POST", f"/switches/{made['id']}/confirm", {"version": 1})

    refused = rita.send("POST", "/queue/take", {})
    assert (refused.status_code, refused.json()["code"]) == (403, "ratings_stopped")


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"kind": "stop_ratings"}, "kind"),
        ({"kind": "stop_everything"}, "kind"),
        ({"kind": "lift_effects", "country": "us"}, "country"),
        ({"kind": "lift_effects", "country": "US-TX"}, "country"),
        ({"kind": "lift_effects", "organisation": str(uuid.uuid4())}, "organisation"),
        ({"kind": "lift_effects", "outcome": "wrong"}, "outcome"),
        ({"kind": "lift_effects", "reason": ""}, "reason"),
        ({"kind": "lift_effects", "mood": 1}, "mood"),
    ],
)
def test_what_is_no_switch_is_named_by_its_field(sent, field, clock):
    ada = as_person(p.administrator(clock=clock))

    refused = ada.send("POST", "/switches", {**WHY, **sent})

    assert refused.status_code == 400
    assert list(refused.json()["errors"]) == [field]


def test_the_country_of_an_actor_is_kept_until_another_is_sent(clock):
    writer = Api(key=key(Scope.POSTS_WRITE, clock=clock))

    def send(number, **actor):
        body = {
            "external_id": f"status/{number}",
            "actor": {"kind": "page", "external_id": "page/1", "name": "Town Square", **actor},
            "text": "The well is deep.",
            "language": "en",
            "published_at": "2026-11-01T09:00:00Z",
        }
        stored = writer.send("POST", "/posts", body)
        if stored.status_code != 201:
            return stored
        return writer.get(f"/posts/{stored.json()['id']}").json()["actor"]["country"]

    assert [send(1), send(2, country="US"), send(3), send(4, country=""), send(5, country="LK")] == [
        "", "US", "US", "", "LK",
    ]  # fmt: skip
    for wrong in ("us", "USA", "US-TX", 1, None):
        refused = send(6, country=wrong)
        assert refused.status_code == 400
        assert list(refused.json()["errors"]) == ["actor.country"]
