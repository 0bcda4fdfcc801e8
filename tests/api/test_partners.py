"""Administrators keep the partners; programs and auditors read them."""

import pytest

from factcheck.models import Partner
from moderation.enums import Scope
from tests.api.clients import Api, as_person, key, program
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db


def partner_body(**changes):
    return {
        "slug": "lanka-checks",
        "name": "Lanka Checks",
        "languages": ["si", "ta"],
        "countries": ["LK"],
        "domains": ["lanka-checks.example"],
        "time_zone": "Asia/Colombo",
        **changes,
    }


@pytest.fixture
def adam(clock):
    return as_person(p.administrator(clock=clock))


def test_a_partner_is_added_certified_changed_suspended_and_resumed(adam, clock):
    made = adam.post("/partners", partner_body())
    partner = f"/partners/{made.json()['id']}"
    assert (made.status_code, made.json()["certified_until"]) == (201, None)

    certificate = adam.post(
        f"{partner}/certifications",
        {"body": "IFCN", "valid_from": "2026-01-01T00:00:00Z", "valid_until": "2027-01-01T00:00:00Z"},
    )
    change = {k: v for k, v in partner_body(name="Lanka Facts").items() if k != "slug"}
    changed = adam.put(partner, change)
    suspended = adam.post(f"{partner}/suspend")
    twice = adam.post(f"{partner}/suspend")
    resumed = adam.post(f"{partner}/resume")

    assert certificate.status_code == 201
    assert changed.json()["certified_until"] == "2027-01-01T00:00:00Z"
    assert (changed.json()["name"], changed.json()["slug"]) == ("Lanka Facts", "lanka-checks")
    assert (suspended.json()["status"], suspended.json()["freed"]) == ("suspended", 0)
    assert (twice.status_code, twice.json()["current"]) == (409, "suspended")
    assert resumed.json()["status"] == "active"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"slug": "Lanka Checks"}, "slug"),
        ({"name": ""}, "name"),
        ({"languages": []}, "languages"),
        ({"languages": ["sinhala"]}, "languages.0"),
        ({"countries": ["UK"]}, "countries.0"),
        ({"domains": ["https://lanka.example"]}, "domains"),
        ({"domains": ["lanka"]}, "domains"),
        ({"time_zone": "Colombo"}, "time_zone"),
        ({"status": "active"}, "status"),
    ],
)
def test_a_partner_that_cannot_be_is_refused_by_field(adam, changes, field):
    answer = adam.post("/partners", partner_body(**changes))

    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == [field]
    assert not Partner.objects.exists()


def test_a_short_name_is_taken_once(adam):
    adam.post("/partners", partner_body())

    assert list(adam.post("/partners", partner_body()).json()["errors"]) == ["slug"]


def test_people_are_invited_suspended_resumed_and_removed_by_their_lead(clock, mailoutbox):
    partner = f.partner(clock=clock)
    lena, rita = f.lead(partner, clock=clock), f.reviewer(partner, clock=clock)
    lead, people = as_person(lena), f"/partners/{partner.pk}/people"

    invited = lead.post(people, {"email": "new@people.example", "role": "reviewer"})
    listed = lead.get(people).json()["results"]
    ritas = next(m["id"] for m in listed if m["role"] == "reviewer")
    lenas = next(m["id"] for m in listed if m["role"] == "lead")
    invitations = f"/partners/{partner.pk}/invitations"
    open_ones = lead.get(invitations).json()["results"]
    revoked = lead.delete(f"{invitations}/{open_ones[0]['id']}")
    promoted = lead.put(f"{people}/{ritas}", {"role": "lead"}).json()
    lead.put(f"{people}/{ritas}", {"role": "reviewer"})
    suspended = lead.post(f"{people}/{ritas}/suspend").json()
    out = as_person(rita).get("/queue")
    resumed = lead.post(f"{people}/{ritas}/resume").json()
    removed = lead.delete(f"{people}/{ritas}").json()
    last = lead.delete(f"{people}/{lenas}")

    assert invited.status_code == 201
    assert [i["email"] for i in open_ones] == ["new@people.example"]
    assert revoked.status_code == 200
    assert lead.get(invitations).json()["results"] == []
    assert promoted["role"] == "lead"
    assert invited.json()["mailed"] is True
    assert mailoutbox[0].to == ["new@people.example"]
    assert "/invitations/" in mailoutbox[0].body and "/invitations/" not in invited.content.decode()
    assert f.person_of(rita).email in [m["person"]["email"] for m in listed]
    assert [m["status"] for m in (suspended, resumed, removed)] == ["suspended", "active", "removed"]
    assert out.status_code == 403
    assert (last.status_code, last.json()["code"]) == (409, "last_lead")


def test_another_partners_people_do_not_exist_for_a_lead(clock):
    own, foreign = f.partner(clock=clock), f.partner(clock=clock)
    lead = as_person(f.lead(own, clock=clock))
    f.lead(foreign, clock=clock)

    there, nowhere = (
        lead.get(f"/partners/{i}/people") for i in (foreign.pk, "0193787a-5f00-7abc-8def-000000000001")
    )

    assert there.status_code == nowhere.status_code == 404
    assert there.json()["detail"] == nowhere.json()["detail"]


def test_a_leads_key_reads_no_names_and_no_addresses(clock):
    partner = f.partner(clock=clock)
    lena, rita = f.lead(partner, clock=clock), f.reviewer(partner, clock=clock)
    tool = Api(key=key(Scope.QUEUE_WORK, clock=clock, of=lena))

    answer = tool.get(f"/partners/{partner.pk}/people")

    assert [m["person"] for m in answer.json()["results"]] == [None, None]
    assert f.person_of(rita).email not in answer.content.decode()


def test_programs_and_auditors_read_partners_and_change_nothing(clock):
    partner = f.partner(clock=clock)
    for reader in (as_person(p.auditor(clock=clock)), program(Scope.PARTNERS_READ, clock=clock)):
        listed = reader.get("/partners").json()["results"]
        assert [row["id"] for row in listed] == [str(partner.pk)]
        assert reader.get(f"/partners/{partner.pk}").json() == listed[0]
        assert reader.post("/partners", partner_body()).status_code == 403
        assert reader.post(f"/partners/{partner.pk}/suspend").status_code == 403
