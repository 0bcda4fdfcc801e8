"""Policies over HTTP: the same steps as on the page, with the path of what is wrong."""

import pytest
from django.utils import timezone

from tests.api.clients import as_person
from tests.factories import platform as p
from tests.factories.policies import changed, no_versions_kept, v1

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _versions():
    with no_versions_kept():
        yield


def test_a_version_goes_from_draft_to_force_in_two_peoples_hands(clock):
    ada, ben = (as_person(p.administrator(clock=clock)) for _ in range(2))
    data = changed({"verdicts.false.multiplier.feed": 3000})

    made = ada.send("POST", "/policies", {"base": 1, "data": data, "reason": "Measured again."})
    assert made.status_code == 201
    draft = made.json()
    assert draft["changes"] == [{"path": "verdicts.false.multiplier.feed", "before": 2000, "after": 3000}]
    assert (draft["yours"], draft["dry_run"]) == (True, None)

    at = f"/policies/drafts/{draft['id']}"
    early = ada.send("POST", f"{at}/propose", {"version": 1})
    assert (early.status_code, early.json()["code"]) == (409, "no_dry_run")
    assert ada.send("POST", f"{at}/dry-run", {"version": 1}).status_code == 202
    p.settle(timezone.now)  # (requests come at the time of the wall)
    assert ada.get(at).json()["dry_run"]["ended_at"]

    assert ada.send("POST", f"{at}/propose", {"version": 2}).json()["status"] == "proposed"
    own = ada.send("POST", f"{at}/approve", {"version": 3})
    assert (own.status_code, own.json()["code"]) == (403, "forbidden")
    approved = ben.send("POST", f"{at}/approve", {"version": 3})
    assert approved.status_code == 201
    assert (approved.json()["number"], approved.json()["state"]) == (2, "in_force")
    assert [row["number"] for row in ben.get("/policies").json()["results"]] == [2, 1]
    assert ben.get("/policies/2").json()["changes"] == draft["changes"]


def test_a_wrong_number_is_named_by_its_path_and_nothing_is_drafted(clock):
    ada = as_person(p.administrator(clock=clock))

    refused = ada.send(
        "POST", "/policies", {"base": 1, "data": changed({"floor.feed": 0, "undo_seconds": "x"})}
    )

    assert refused.status_code == 400
    assert list(refused.json()["errors"]) == ["data.floor.feed"]
    assert [f["path"] for f in refused.json()["faults"]] == ["floor.feed", "undo_seconds"]
    assert ada.get("/policies/drafts").json()["results"] == []


@pytest.mark.parametrize("data", [[], "x", {}, {"verdicts": []}, v1() | {"countries": {"US": 1}}])
def test_what_is_no_policy_is_refused_in_words(clock, data):
    ada = as_person(p.administrator(clock=clock))

    refused = ada.send("POST", "/policies", {"base": 1, "data": data})

    assert refused.status_code == 400
    assert refused.json()["errors"]
