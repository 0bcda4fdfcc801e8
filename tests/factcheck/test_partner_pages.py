"""Partners for administrators, people for leads, invitations by mail: as people see them."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from factcheck.models import Certification, Invitation, Membership, Partner
from factcheck.services import leases, partners, ratings
from factcheck.services.people import LAST_LEAD
from moderation.enums import Scope
from moderation.errors import Invalid
from moderation.models import User
from tests.api.clients import key
from tests.factories import platform as p
from tests.factories import programme as f
from tests.factories.desk import words
from tests.factories.visitors import visit

pytestmark = pytest.mark.django_db
SCRIPT = '<img src=x onerror="alert(1)">'


@pytest.fixture(autouse=True)
def _in_the_tests_time(clock, monkeypatch, settings):
    monkeypatch.setattr(timezone, "now", clock)
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    mail.outbox = []


@pytest.fixture
def partner(clock):
    return f.partner(clock=clock)


@pytest.fixture
def lena(partner, clock):
    return f.lead(partner, clock=clock)


@pytest.fixture
def rita(partner, clock):
    return f.reviewer(partner, clock=clock)


@pytest.fixture
def adam(clock):
    return visit(p.administrator(clock=clock))


def of(name, *args):
    return reverse(f"factcheck:{name}", args=args)


def place(caller):
    return Membership.objects.get(person_id=caller.person_id)


def invite(lead, email="nadia@people.example"):
    answer = visit(lead).post(of("people"), {"email": email, "role": "reviewer"})
    assert answer.status_code == 302
    return re.search(r"http://testserver(/invitations/\S+/)", mail.outbox[-1].body)[1]


def act_on(caller, verb):
    return of("people_act", place(caller).pk, verb)


def filled(**changes):
    return {
        "name": "Lanka Checks",
        "slug": "lanka-checks",
        "languages": "si, TA",
        "countries": "lk",
        "domains": "Lanka-Checks.example\nfacts.lanka.example",
        "time_zone": "Asia/Colombo",
        **changes,
    }


# ── who ────────────────────────────────────────────────────────────────────────────────────────────


def test_partners_are_for_administrators_and_for_auditors_to_read(partner, lena, clock):
    pages = [of("partners"), of("partners_one", partner.slug)]
    acts = [
        of(f"partners_{name}", partner.slug) for name in ("edit", "certify", "suspend", "resume", "invite")
    ]
    auditor = visit(p.auditor(clock=clock))

    assert [auditor.get(url).status_code for url in pages] == [200, 200]
    assert "Suspend" not in words(auditor.get(pages[1]))
    for who in (auditor, visit(lena), visit(p.member(clock=clock)), visit(p.specialist(clock=clock))):
        assert {who.post(url, filled()).status_code for url in [*acts, of("partners_add")]} == {403}
    for who in (visit(lena), visit(p.member(clock=clock))):
        assert [who.get(url).status_code for url in pages] == [403, 403]
    assert {Client().get(url).status_code for url in [*pages, *acts]} == {302}
    assert Partner.objects.get().status == "active"


def test_the_people_page_is_the_leads_and_only_of_the_own_partner(partner, lena, rita, adam, clock):
    other = f.lead(f.partner(clock=clock), clock=clock)

    own = words(visit(lena).get(of("people")))
    assert f.person_of(rita).email in own and f.person_of(other).email not in own
    assert visit(rita).get(of("people")).status_code == 403
    assert visit(p.member(clock=clock)).get(of("people")).status_code == 403
    assert adam.get(of("people")).status_code == 403


def test_another_partners_ids_answer_exactly_like_ids_of_nobody(partner, lena, rita, clock):
    foreign = visit(f.lead(f.partner(clock=clock), clock=clock))
    visit(lena).post(of("people"), {"email": "nadia@people.example", "role": "reviewer"})
    nobody = p.post(clock=clock).pk
    pairs = [(of("people_act", place(rita).pk, verb), of("people_act", nobody, verb))
             for verb in ("promote", "demote", "suspend", "resume", "remove")]  # fmt: skip
    pairs.append((of("people_revoke", Invitation.objects.get().pk), of("people_revoke", nobody)))

    for there, nowhere in pairs:
        for method in ("get", "post"):
            answers = [getattr(foreign, method)(url) for url in (there, nowhere)]
            assert [a.status_code for a in answers] == [404, 404]
            bodies = [
                re.sub(r"csrfmiddlewaretoken\" value=\"\w+|X-CSRFToken\": \"\w+", "", a.content.decode())
                for a in answers
            ]
            assert bodies[0].replace(there, "") == bodies[1].replace(nowhere, "")
    assert place(rita).status == "active"


def test_a_reviewer_changes_nobody_and_unknown_verbs_do_nothing(lena, rita, partner):
    for who in (visit(rita), visit(lena)):
        assert who.post(of("people_act", place(rita).pk, "burn")).status_code == 404
    assert visit(rita).post(act_on(rita, "promote")).status_code == 404


# ── partners ───────────────────────────────────────────────────────────────────────────────────────


def test_the_list_shows_each_partners_certificate_in_words(adam, clock):
    def certified(days):
        made = f.partner(clock=clock, certified=False)
        if days:
            partners.certify(made.pk, body="IFCN", valid_from=clock() - timedelta(days=300), caller=admin, now=clock(),
                             valid_until=clock() + timedelta(days=days))  # fmt: skip
        return made

    admin = p.administrator(clock=clock)
    holds, soon, lapsed, none = (certified(days) for days in (90, 14, -3, 0))
    paused = f.partner(clock=clock)
    partners.suspend(paused.pk, caller=admin, now=clock())

    rows = {row["partner"].pk: row for row in adam.get(of("partners")).context["rows"]}

    said = [rows[one.pk]["certificate"]["words"] for one in (holds, soon, lapsed, none)]
    assert said == ["Holds until 28 Feb 2027", "Ends in 14 days", "Lapsed on 27 Nov 2026", "Not certified"]
    wanting = adam.get(of("partners"), {"show": "attention"}).context["rows"]
    assert {row["partner"].pk for row in wanting} == {soon.pk, lapsed.pk, none.pk}
    assert [r["partner"].pk for r in adam.get(of("partners"), {"show": "suspended"}).context["rows"]] == [
        paused.pk
    ]
    assert [r["partner"].pk for r in adam.get(of("partners"), {"q": holds.slug.upper()}).context["rows"]] == [
        holds.pk
    ]
    assert "No partner fits" in words(adam.get(of("partners"), {"q": "nobody at all"}))


def test_the_first_visit_says_what_to_do(adam):
    assert "Add the first organisation" in words(adam.get(of("partners")))


def test_a_partner_is_added_in_one_spelling_certified_and_given_its_first_lead(adam):
    added = adam.post(of("partners_add"), filled())
    partner = Partner.objects.get()
    assert added["Location"] == of("partners_one", "lanka-checks")
    assert (partner.languages, partner.countries) == (["si", "ta"], ["LK"])
    assert partner.domains == ["lanka-checks.example", "facts.lanka.example"]

    days = {"body": "IFCN", "first_day": "2026-11-01", "last_day": "2026-11-30"}
    adam.post(of("partners_certify", partner.slug), days)
    certificate = Certification.objects.get()
    assert certificate.valid_until.isoformat() == "2026-11-30T18:30:00+00:00"  # midnight in Colombo

    page = adam.get(of("partners_one", partner.slug))
    assert page.context["invite_form"]["role"].value() == "lead"
    assert "1 Nov 2026 to 30 Nov 2026" in words(page) and "Sinhala (si)" in words(page)
    adam.post(of("partners_invite", partner.slug), {"email": "lena@people.example", "role": "lead"})
    assert Invitation.objects.get().role == "lead"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"name": " "}, "This field is required."),
        ({"slug": "Lanka Checks"}, "Small letters, digits and single hyphens"),
        ({"slug": "new"}, "Small letters, digits and single hyphens"),
        ({"languages": "English"}, "Write en for English."),
        ({"languages": "si, xx"}, "“xx” is no ISO code of a language."),
        ({"languages": " , "}, "This must be filled in."),
        ({"countries": "UK"}, "“UK” is no ISO code of a country or region."),
        ({"countries": "Sri,Lanka"}, "“Sri” is no ISO code"),
        ({"domains": "https://lanka.example/facts"}, "Write only the domain: lanka.example"),
        ({"domains": "lanka"}, "“lanka” is no domain, such as checks.example."),
        ({"time_zone": "Colombo"}, "Select a valid choice."),
    ],
)
def test_what_cannot_be_is_said_beside_its_field_and_nothing_typed_is_lost(adam, changes, sentence):
    answer = adam.post(of("partners_add"), filled(**changes))

    assert answer.status_code == 422
    assert sentence in words(answer)
    assert "facts.lanka.example" in answer.content.decode() or "domains" in changes
    assert not Partner.objects.exists()


def test_a_short_name_is_taken_once_and_stays(adam, partner):
    assert "There is a partner with this short name." in words(
        adam.post(of("partners_add"), filled(slug=partner.slug))
    )

    adam.post(of("partners_edit", partner.slug), filled(slug="another"))

    partner.refresh_from_db()
    assert (partner.slug, partner.name) != ("another", "Lanka Checks")
    assert partner.name == "Lanka Checks"


def test_a_domain_in_any_script_fits_the_addresses_of_its_articles(adam):
    adam.post(of("partners_add"), filled(domains="проверка.example"))
    partner = Partner.objects.get()

    assert partner.domains == ["xn--80adjurfhd.example"]
    for address in ("https://проверка.example/1", "https://facts.xn--80adjurfhd.example/1"):
        ratings.check_article(address, partner)
    for address in ("https://провeрка.example/1", "https://.example/1", f"https://{'x' * 64}.example/1"):
        with pytest.raises(Invalid):
            ratings.check_article(address, partner)


def test_a_certificate_ends_after_it_begins(adam, partner):
    days = {"body": "IFCN", "first_day": "2026-12-02", "last_day": "2026-12-01"}

    answer = adam.post(of("partners_certify", partner.slug), days)

    assert answer.status_code == 422 and "A certificate ends after it begins." in words(answer)


def test_suspending_says_in_numbers_what_ends_and_ends_it_at_once(adam, partner, lena, rita, clock):
    f.rate(p.post("The bridge was closed on Tuesday, says nobody at all.", clock=clock), by=rita, clock=clock)
    p.flag(p.post(clock=clock), clock=clock)
    p.settle(clock)
    leases.take_next(caller=rita, now=clock())
    key(Scope.QUEUE_WORK, clock=clock, of=rita)
    working = visit(rita)
    url = of("partners_suspend", partner.slug)

    asked = words(adam.get(url))
    assert "2 people lose access now" in asked
    assert "1 item they hold goes back to the queue" in asked
    assert "1 API key stops working." in asked
    assert "Its 1 rating stays in force" in asked
    assert Partner.objects.get(pk=partner.pk).status == "active"  # looking at it changes nothing

    adam.post(url)
    assert working.get("/triage/").status_code == 302
    assert "Suspended" in words(adam.get(of("partners_one", partner.slug)))
    assert adam.post(url).status_code == 409

    assert "2 people may sign in and work again." in words(adam.get(of("partners_resume", partner.slug)))
    adam.post(of("partners_resume", partner.slug))
    assert visit(rita).get("/triage/").status_code == 200


def test_a_partner_that_is_not_there_is_not_there(adam):
    for name in ("one", "edit", "certify", "suspend", "resume", "invite"):
        assert adam.get(of(f"partners_{name}", "nowhere")).status_code == 404


# ── people ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_lead_makes_leads_suspends_resumes_and_removes_after_being_asked(lena, rita):
    client = visit(lena)
    steps = [
        ("promote", "lead", "active"),
        ("demote", "reviewer", "active"),
        ("suspend", "reviewer", "suspended"),
        ("resume", "reviewer", "active"),
        ("remove", "reviewer", "removed"),
    ]
    for verb, role, status in steps:
        before = place(rita)
        assert client.get(act_on(rita, verb)).status_code == 200
        assert place(rita).status == before.status and place(rita).role == before.role
        assert client.post(act_on(rita, verb))["Location"] == of("people")
        assert (place(rita).role, place(rita).status) == (role, status)


def test_the_last_lead_has_no_buttons_but_the_sentence_of_the_refusal(partner, lena, rita, adam):
    for page in (visit(lena).get(of("people")), adam.get(of("partners_one", partner.slug))):
        assert str(LAST_LEAD) in words(page)
        assert act_on(lena, "suspend") not in page.content.decode()

    for verb in ("suspend", "remove", "demote"):
        answer = visit(lena).post(act_on(lena, verb))
        assert answer.status_code == 409 and str(LAST_LEAD) in words(answer)
    assert (place(lena).role, place(lena).status) == ("lead", "active")


def test_suspending_oneself_is_said_and_signs_out(partner, lena, clock):
    f.lead(partner, clock=clock)
    client = visit(lena)

    assert "This is you: you are signed out at once." in words(client.get(act_on(lena, "suspend")))
    client.post(act_on(lena, "suspend"))

    assert client.get(of("people")).status_code == 302


def test_the_acts_come_as_dialogs_to_a_page_with_scripts(lena, rita):
    answer = visit(lena).get(act_on(rita, "remove"), headers={"HX-Request": "true"})

    assert "data-dialog-auto" in answer.content.decode() and "<html" not in answer.content.decode()


@pytest.mark.django_db(transaction=True)  # mails go out when their invitations are stored
def test_nothing_that_people_write_becomes_part_of_a_page_or_a_mail(adam, clock):
    adam.post(of("partners_add"), filled(name=f"{SCRIPT}\nBcc: all@people.example"))
    partner = Partner.objects.get()
    lead = f.lead(partner, clock=clock)
    f.reviewer(partner, clock=clock)
    User.objects.filter(pk=lead.person_id).update(display_name=f"{SCRIPT}\r\nBcc: all@people.example")
    adam.post(
        of("partners_certify", partner.slug),
        {"body": SCRIPT, "first_day": "2026-01-01", "last_day": "2027-01-01"},
    )
    link = invite(lead)

    pages = [
        adam.get(of("partners")),
        adam.get(of("partners_one", partner.slug)),
        adam.get(of("partners_edit", partner.slug)),
        adam.get(of("partners_suspend", partner.slug)),
        visit(lead).get(of("people")),
        Client().get(link),
    ]

    for page in pages:
        assert page.status_code == 200
        assert "<img src=x" not in page.content.decode()
    assert mail.outbox[0].recipients() == ["nadia@people.example"]
    assert mail.outbox[0].alternatives == []  # plain text: nothing in it can act


# ── how much it costs ──────────────────────────────────────────────────────────────────────────────


def cost(client, url, count):
    with count(30) as counted:
        assert client.get(url).status_code == 200
    return len(counted)


@pytest.mark.django_db(transaction=True)  # mails go out when their invitations are stored
def test_more_partners_people_and_invitations_cost_no_more_queries(
    partner, lena, adam, clock, django_assert_max_num_queries
):
    urls = [(adam, of("partners")), (adam, of("partners_one", partner.slug)), (visit(lena), of("people"))]
    before = [cost(client, url, django_assert_max_num_queries) for client, url in urls]
    for n in range(5):
        f.reviewer(f.partner(clock=clock), clock=clock)
        f.reviewer(partner, clock=clock)
        invite(lena, email=f"nadia{n}@people.example")

    after = [cost(client, url, django_assert_max_num_queries) for client, url in urls]
    assert all(now <= then + 1 for then, now in zip(before, after, strict=True))
