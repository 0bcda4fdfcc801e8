"""What administrators and auditors see and do: only they, with the consequences said first."""

import csv
import re
from datetime import timedelta

import pytest
from django.urls import reverse

from moderation.caller import SYSTEM
from moderation.enums import AuditEvent, OutboxKind, Role, Scope
from moderation.models import ApiClient, AuditRow, FanOut, Outbox, RoleGrant, User
from moderation.services import api_clients, audit, callers, clusters, decisions, people
from tests.factories import pages
from tests.factories import platform as p

pytestmark = pytest.mark.django_db

NOTHING = "01900000-0000-7000-8000-000000000000"


@pytest.fixture
def adam(wall):
    return p.administrator(clock=wall)


@pytest.fixture
def ines(wall):
    return p.auditor(clock=wall)


# ── who may ────────────────────────────────────────────────────────────────────────────────────────

READ = {"system": [], "audit": [], "audit-export": []}
ADMINISTER = {"keys": [], "people": [], "people-one": [NOTHING]}
ACTS = {
    "audit-verify": [],
    "system-retry": [NOTHING],
    "system-pause": [NOTHING],
    "system-resume": [NOTHING],
    "keys-revoke": [NOTHING],
    "people-grant": [NOTHING],
    "people-end-role": [NOTHING],
    "people-off": [NOTHING],
    "people-on": [NOTHING],
}


@pytest.mark.parametrize(("name", "args"), [*READ.items(), *ADMINISTER.items()])
def test_members_and_specialists_are_told_why_not(wall, name, args):
    for who in (p.member(clock=wall), p.specialist(clock=wall)):
        page = pages.text_of(who, name, *args, status=403)
        assert (
            "Only an administrator does this." in page or "Only administrators and auditors see this." in page
        )


def test_an_auditor_reads_keys_and_people_and_finds_nothing_to_press(ines, adam):
    shown = [
        pages.text_of(ines, "keys"),
        pages.text_of(ines, "people"),
        pages.text_of(ines, "people-one", adam.person_id),
    ]

    assert "Make the key" not in shown[0] and "adam" in shown[1] and "Administrator" in shown[2]
    assert not any("Revoke" in page or "Turn the account off" in page or "End…" in page for page in shown)


@pytest.mark.parametrize(("name", "args"), ACTS.items())
def test_acts_are_posted_by_the_right_people_only(wall, client, adam, name, args):
    address = reverse(name, args=args)

    assert client.post(address).status_code == 302  # to the sign-in page
    assert pages.visitor(p.member(clock=wall)).post(address, {"role": "auditor"}).status_code == 403
    assert pages.visitor(adam).get(address).status_code == 405


@pytest.mark.parametrize(
    ("make", "start"),
    [(p.member, "feed"), (p.specialist, "desk"), (p.administrator, "system"), (p.auditor, "audit")],
)
def test_everybody_starts_where_their_role_works(wall, make, start):
    assert pages.visitor(make(clock=wall)).get("/")["Location"] == reverse(start)


# ── system ─────────────────────────────────────────────────────────────────────────────────────────


def set_aside(wall, error="LookupError: Redis did not take the states."):
    return Outbox.objects.create(
        queue="effects",
        kind=OutboxKind.PUBLISH,
        target=NOTHING,
        at=wall(),
        available_at=wall(),
        attempts=8,
        failed_at=wall(),
        error=error,
    )


def test_what_was_set_aside_stands_with_its_reason_and_an_administrator_tries_it_again(adam, ines, wall):
    row = set_aside(wall, error="LookupError: <b>\u202enot so</b>")
    page = pages.text_of(adam, "system")
    assert "LookupError: &lt;b&gt;" in page and "8 tries" in page

    for_auditor = pages.text_of(ines, "system")
    assert "Only an administrator does this." in for_auditor and 'aria-disabled="true"' in for_auditor
    assert pages.visitor(ines).post(reverse("system-retry", args=[row.pk])).status_code == 403

    pages.visitor(adam).post(reverse("system-retry", args=[row.pk]))
    row.refresh_from_db()
    assert row.failed_at is None and row.attempts == 0
    assert pages.visitor(adam).post(reverse("system-retry", args=[NOTHING])).status_code == 404


def test_an_administrator_lets_a_fan_out_wait_and_go_on_and_the_page_says_what_is_late(adam, ines, wall):
    cluster = clusters.create(now=wall())
    versions = [p.post(f"Post {n}.", clock=wall).current_version for n in range(3)]
    clusters.add_copies(cluster.pk, versions, caller=SYSTEM, now=wall())
    p.settle(wall)
    decisions.stand(
        cluster.pk, outcome="false", contested=False, presentation={}, rated_version=None,
        source="test", source_key="1", caller=SYSTEM, now=wall(),
    )  # fmt: skip
    running = FanOut.objects.get()
    assert "Pause" in pages.text_of(adam, "system") and "Pause" not in pages.text_of(ines, "system")

    pages.visitor(adam).post(reverse("system-pause", args=[running.pk]))
    p.settle(wall)
    for who in (adam, ines):
        assert "posts that it did not reach are late" in pages.text_of(who, "system")

    pages.visitor(adam).post(reverse("system-resume", args=[running.pk]))
    p.settle(wall)
    assert "No decision is on its way to its posts." in pages.text_of(ines, "system")
    told = pages.visitor(adam).post(reverse("system-pause", args=[running.pk]), follow=True)
    assert "It has ended already." in told.content.decode()


def test_the_system_page_answers_its_own_polling_only_when_something_changed(adam, wall):
    client, by_script = pages.visitor(adam), {"hx-request": "true"}
    whole = client.get(reverse("system")).content.decode()
    version = re.search(r'data-version="(\w+)"', whole)[1]

    assert client.get(reverse("system"), {"version": version}, headers=by_script).status_code == 204
    set_aside(wall)
    changed = client.get(reverse("system"), {"version": version}, headers=by_script)
    assert changed.status_code == 200 and changed["X-Version"] != version
    assert changed.content.decode().lstrip().startswith("<div") and "<html" not in changed.content.decode()


# ── audit ──────────────────────────────────────────────────────────────────────────────────────────


def test_the_log_is_found_by_event_person_and_subject(ines, adam, wall):
    mira = p.member("Mira", clock=wall)
    post = p.post(clock=wall)
    p.flag(post, by=mira, clock=wall)
    person = User.objects.get(pk=mira.person_id)

    by_person = pages.text_of(ines, "audit", query=f"?person={person.email}")
    assert (
        "Flag raised" in by_person
        and person.display_name in by_person
        and "Post added" not in by_person.split("<tbody>")[1]
    )
    by_event = pages.text_of(ines, "audit", query="?event=post_added").split("<tbody>")[1]
    assert str(post.pk) in by_event and "Flag raised" not in by_event
    assert "No row fits" in pages.text_of(ines, "audit", query="?person=nobody@people.example")
    assert "No row fits" in pages.text_of(ines, "audit", query="?subject=%00x")


def test_the_log_pages_through_every_row_once(ines, wall):
    for n in range(130):
        audit.record(AuditEvent.NOTE_ADDED, User(pk=ines.person_id), caller=ines, now=wall(), n=n)
    client, url, seen = pages.visitor(ines), reverse("audit") + "?event=note_added", []
    while url:
        page = client.get(url).content.decode()
        seen += re.findall(r'title="(\d+)">\d+</span></span></div>', page)
        following = re.search(r'rel="next" href="([^"]+)"', page)
        url = reverse("audit") + following[1].replace("&amp;", "&") if following else ""
    assert [int(n) for n in seen] == list(range(129, -1, -1))


def test_a_change_behind_the_product_s_back_is_found(ines, wall):
    p.post(clock=wall)
    audit.seal()
    client = pages.visitor(ines)
    assert "The chain holds." in client.post(reverse("audit-verify")).content.decode()

    row = AuditRow.objects.latest("pk")
    AuditRow.objects.filter(pk=row.pk).update(event="note_added")

    page = client.post(reverse("audit-verify")).content.decode()
    assert "The chain is broken." in page and f"Row {row.pk} (position" in page


def test_the_log_can_be_taken_away_as_csv_with_the_same_filters(ines, wall):
    post = p.post(clock=wall)
    p.flag(post, clock=wall)

    answer = pages.visitor(ines).get(reverse("audit-export") + "?event=post_added")

    lines = list(csv.DictReader(b"".join(answer).decode().splitlines()))
    assert [(line["event"], line["subject"]) for line in lines] == [("post_added", str(post.pk))]
    assert "attachment" in answer["Content-Disposition"]


# ── keys ───────────────────────────────────────────────────────────────────────────────────────────


def make_key(by, **fields):
    data = {"name": "Ranking", "scopes": ["distribution:read"], "expires": "90", "person_email": ""} | fields
    return pages.visitor(by).post(reverse("keys"), data)


def test_a_key_is_shown_once_and_works_within_its_scopes(adam, wall):
    answer = make_key(adam, name="<i>Ranking</i>")

    page = answer.content.decode()
    key = re.search(r"vk_[0-9a-f]{8}_[\w-]{40,}", page)[0]
    assert "no-store" in answer["Cache-Control"] and "&lt;i&gt;Ranking" in page
    found = api_clients.find(key, now=wall())
    assert found is not None and found.scopes == ["distribution:read"]
    assert timedelta(days=89) < found.expires_at - wall() <= timedelta(days=90)
    assert key not in pages.text_of(adam, "keys")

    pages.visitor(adam).post(reverse("keys-revoke", args=[found.pk]))
    assert api_clients.find(key, now=wall()) is None
    assert "Revoked" in pages.text_of(adam, "keys")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"name": ""}, "This field is required."),
        ({"name": "x" * 121}, "at most 120 characters"),
        ({"scopes": []}, "This field is required."),
        ({"scopes": ["root"]}, "root is not one of the available choices."),
        ({"expires": "5000"}, "5000 is not one of the available choices."),
        ({"scopes": ["queue:work"]}, "Name the person whose work the key does."),
        ({"person_email": "nobody@people.example"}, "Nobody here has this address."),
        ({"person_email": "a\0b@people.example"}, "Null characters are not allowed."),
        ({"person_email": "no address"}, "Enter a valid email address."),
    ],
)
def test_a_key_that_cannot_be_made_says_which_field_and_keeps_the_rest(adam, fields, sentence):
    answer = make_key(adam, **fields)
    page = answer.content.decode()

    assert answer.status_code == 422 and sentence in page
    assert not ApiClient.objects.exists()
    if "name" not in fields:
        assert 'value="Ranking"' in page


def test_a_key_of_a_person_acts_in_the_role_that_was_chosen(adam, wall):
    paula = User.objects.get(pk=p.specialist(clock=wall).person_id)
    asked = make_key(adam, scopes=["desk:work"], person_email=paula.email)
    assert asked.status_code == 422 and "holds several roles" in asked.content.decode()

    made = make_key(adam, scopes=["desk:work"], person_email=paula.email, acting="policy_specialist")

    assert made.status_code == 201
    client = ApiClient.objects.get()
    caller = callers.for_client(client, now=wall())
    assert caller.role is Role.POLICY_SPECIALIST and caller.person_id == paula.pk
    assert make_key(adam, person_email=paula.email, acting="administrator").status_code == 422


# ── people ─────────────────────────────────────────────────────────────────────────────────────────


def test_people_are_found_by_a_part_of_name_or_address(adam, wall):
    zoe, ali = p.person("Zoë"), p.person("Ali\u202e")

    found = pages.text_of(adam, "people", query="?q=ZO%C3%8B")
    assert zoe.email in found and ali.email not in found
    assert ali.email in pages.text_of(adam, "people", query=f"?q={ali.email[:6]}")
    assert "Nobody fits" in pages.text_of(adam, "people", query="?q=%25%25%25")


def test_a_role_is_given_and_ended_with_its_sessions(adam, wall):
    zoe = p.person("Zoe")
    client = pages.visitor(adam)
    client.post(reverse("people-grant", args=[zoe.pk]), {"role": "auditor"})
    assert RoleGrant.objects.filter(person=zoe, role="auditor", ended_at=None).count() == 1

    theirs = pages.visitor(callers.for_person(zoe, acting="auditor", now=wall()))
    assert theirs.get(reverse("audit")).status_code == 200
    page = pages.text_of(adam, "people-one", zoe.pk)
    assert "Every session of this person ends at once" in page
    client.post(reverse("people-end-role", args=[zoe.pk]), {"role": "auditor"})
    assert theirs.get(reverse("audit")).status_code == 302
    assert client.post(reverse("people-grant", args=[zoe.pk]), {"role": "system"}).status_code == 404


def test_the_last_administrator_stays(adam):
    client = pages.visitor(adam)

    answer = client.post(
        reverse("people-end-role", args=[adam.person_id]), {"role": "administrator"}, follow=True
    )

    assert "The last administrator cannot be removed." in answer.content.decode()
    assert RoleGrant.objects.filter(role="administrator", ended_at=None).exists()


def test_turning_an_account_off_says_what_ends_and_ends_it(adam, wall):
    zoe = p.person("Zoe")
    api_clients.create(
        name="Hers", scopes=[Scope.QUEUE_WORK], person=zoe, acting="member", caller=adam, now=wall()
    )
    theirs = pages.visitor(callers.for_person(zoe, now=wall()))
    page = pages.text_of(adam, "people-one", zoe.pk)
    assert "1 API key is revoked for good." in page and "Every session ends at once" in page

    pages.visitor(adam).post(reverse("people-off", args=[zoe.pk]))

    assert theirs.get(reverse("feed")).status_code == 302
    assert ApiClient.objects.get().revoked_at is not None
    assert "Turned off" in pages.text_of(adam, "people-one", zoe.pk)
    pages.visitor(adam).post(reverse("people-on", args=[zoe.pk]))
    assert User.objects.get(pk=zoe.pk).is_active
    assert AuditRow.objects.filter(event=AuditEvent.ACCESS_RESTORED, subject=str(zoe.pk)).exists()


def test_nobody_turns_off_their_own_account(adam, wall):
    people.grant_role(p.person(), Role.ADMINISTRATOR, caller=adam, now=wall())
    sentence = "You cannot turn off your own account; another administrator can."

    assert sentence in pages.text_of(adam, "people-one", adam.person_id)
    answer = pages.visitor(adam).post(reverse("people-off", args=[adam.person_id]))
    assert answer.status_code == 403 and sentence in answer.content.decode()
    assert User.objects.get(pk=adam.person_id).is_active


def test_people_ask_the_database_as_often_for_one_as_for_thirty(adam, django_assert_max_num_queries):
    for n in range(30):
        p.person(f"Person{n}")
    client = pages.visitor(adam)
    with django_assert_max_num_queries(8):
        client.get(reverse("people"))
