"""The policy desk as people see it: who sees what, in which order, and at what cost."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from moderation.caller import SYSTEM
from moderation.enums import DeskAction, FlagReason, Ground
from moderation.models import AuditRow, Decision, Escalation
from moderation.services import escalations, posts
from moderation.services.escalations import CaseRef
from moderation.services.posts import Reach
from tests.factories import platform as p
from tests.factories.desk import decide, judge, opened, page_of, proposed, words
from tests.factories.visitors import visit

pytestmark = pytest.mark.django_db
SCRIPT = '<img src=x onerror="alert(1)">'


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


# ── who ────────────────────────────────────────────────────────────────────────────────────────────


def test_whoever_is_not_signed_in_is_sent_to_sign_in(case):
    for url in (reverse("desk"), page_of(case), reverse("desk_decide", args=[case.pk])):
        answer = Client().get(url)
        assert (answer.status_code, answer["Location"]) == (302, f"{reverse('account_login')}?next={url}")


@pytest.mark.parametrize("who", [p.member, p.administrator])
def test_others_are_refused_before_anybody_looks_for_the_case(case, who, clock):
    client = visit(who(clock=clock))
    missing = Escalation(pk=p.post(clock=clock).pk)

    answers = [client.get(page_of(one)) for one in (case, missing)] + [decide(client, case, "keep")]

    assert [a.status_code for a in answers] == [403, 403, 403]
    assert not Decision.objects.exists()


def test_an_auditor_reads_and_changes_nothing(case, paula, clock):
    client = visit(p.auditor(clock=clock))
    proposal = proposed(case, by=paula, clock=clock)

    page = client.get(page_of(case))

    assert page.status_code == 200
    assert "Only a policy specialist decides escalations." in words(page)
    assert 'name="act"' not in page.content.decode()
    assert decide(client, case, "hide").status_code == 403
    assert judge(client, proposal, "confirm").status_code == 403
    assert not Decision.objects.exists()


def test_a_case_that_is_not_there_is_not_there(paula, clock):
    client = visit(paula)
    nothing = Escalation(pk=p.post(clock=clock).pk)

    assert client.get(page_of(nothing)).status_code == 404
    assert client.post(reverse("desk_decide", args=[nothing.pk]), {"act": "keep"}).status_code == 404


def test_that_somebody_read_a_case_is_noted(case, paula):
    visit(paula).get(page_of(case))

    row = AuditRow.objects.get(event="sensitive_viewed")
    assert (row.person, row.subject) == (paula.person_id, str(case.pk))


def test_reading_the_address_of_an_act_shows_the_case(case, paula, clock):
    proposal = proposed(case, by=paula, clock=clock)
    client = visit(paula)

    for url in (
        reverse("desk_decide", args=[case.pk]),
        reverse("desk_judge", args=[case.pk, proposal.pk]),
    ):
        assert client.get(url)["Location"] == page_of(case)


# ── lists ──────────────────────────────────────────────────────────────────────────────────────────


def test_the_soonest_due_is_on_top_and_each_list_has_its_own(paula, piet, clock):
    later = opened(p.post("A list of houses.", clock=clock), by=paula, clock=clock, ground=Ground.HATE)
    sooner = opened(p.post("Tonight at nine.", clock=clock), by=paula, clock=clock)
    kept = opened(p.post("A report of the trial.", clock=clock), by=paula, clock=clock)
    escalations.keep(CaseRef(kept.pk, 1), explanation="A report.", caller=paula, now=clock())
    proposed(later, by=paula, clock=clock)

    def shown(name, who):
        return [row["id"] for row in visit(who).get(reverse(name)).context["rows"]]

    assert shown("desk", paula) == [sooner.pk, later.pk]
    assert (shown("desk_keys", paula), shown("desk_keys", piet)) == ([], [later.pk])
    assert shown("desk_decided", paula) == [kept.pk]


def test_the_navigation_counts_the_keys_that_are_waited_for(case, paula, piet, clock):
    proposed(case, by=paula, clock=clock)

    badges = [
        next(
            e["badge"]
            for e in visit(who).get(reverse("desk")).context["navigation"]
            if e["url"] == reverse("desk")
        )
        for who in (paula, piet)
    ]

    assert badges == [0, 1]


def test_cases_are_found_by_ground_and_by_region_with_its_country(paula, clock):
    here = opened(p.post("One.", clock=clock), by=paula, clock=clock, regions=["IN"])
    there = opened(p.post("Two.", clock=clock), by=paula, clock=clock, regions=["FR"], ground=Ground.HATE)
    everywhere = opened(p.post("Three.", clock=clock), by=paula, clock=clock)
    client = visit(paula)

    def shown(**query):
        return {row["id"] for row in client.get(reverse("desk"), query).context["rows"]}

    assert shown(ground="hate") == {there.pk}
    assert shown(region="IN-TN") == {here.pk, everywhere.pk}
    assert shown(ground="hate", region="IN") == set()
    assert "No case fits the filter" in words(client.get(reverse("desk"), {"ground": "illegal"}))


def test_empty_lists_say_what_will_come(paula):
    client = visit(paula)

    assert "No open case" in words(client.get(reverse("desk")))
    assert "No key is waited for" in words(client.get(reverse("desk_keys")))
    assert "Nothing decided yet" in words(client.get(reverse("desk_decided")))


def test_a_long_list_has_pages(paula, clock):
    for n in range(27):
        opened(p.post(f"Post number {n} of many.", clock=clock), by=paula, clock=clock)
    client = visit(paula)

    first = client.get(reverse("desk"))
    second = client.get(first.context["pager"]["next"])

    assert (len(first.context["rows"]), len(second.context["rows"])) == (25, 2)
    assert client.get(reverse("desk"), {"page": "nonsense"}).status_code == 200


# ── what is shown ──────────────────────────────────────────────────────────────────────────────────


def test_the_case_shows_its_context(case, post, paula, clock):
    p.flag(post, clock=clock, reason=FlagReason.VIOLENCE, note="He has done it before.")
    p.edit(post, "Meet at the old market at ten.", clock=clock)
    earlier = opened(p.post("An older call.", clock=clock), by=paula, clock=clock)
    proposal = proposed(earlier, by=paula, clock=clock)
    escalations.confirm(proposal.pk, caller=p.specialist(clock=clock), now=clock())

    page = visit(paula).get(page_of(case))
    shown = words(page)

    assert page.context["history"].removals == 1
    for sentence in (
        "Names a place and an hour.",
        "Calls for violence 1",
        "He has done it before.",
        "What version 2 changed",
        "The case is about version 1; readers see version 2.",
        "0 strikes count now",
        "1 post removed by the desk",
        "An older call.",
    ):
        assert sentence in shown


def test_media_are_covered_and_those_of_other_sites_are_never_fetched(paula, clock):
    own = {"url": f"/media/ab/{'ab' * 32}.png", "sha256": "ab" * 32, "alt": "A crowd"}
    foreign = {"url": "https://elsewhere.example/p.png", "sha256": "cd" * 32, "alt": "A list"}
    case = opened(p.post("See these.", clock=clock, media=[own, foreign]), by=paula, clock=clock)

    page = visit(paula).get(page_of(case)).content.decode()

    assert "data-reveal" in page and "media-steps" in page
    assert not re.search(r'(src|poster)="https://elsewhere', page)
    assert "elsewhere.example" in page


def test_child_safety_content_is_shown_nowhere(paula, clock):
    case = opened(
        p.post("Unspeakable words.", clock=clock), by=paula, clock=clock, ground=Ground.CHILD_SAFETY
    )
    other = opened(p.post("Other words.", clock=clock), by=paula, clock=clock)
    client = visit(paula)

    pages = [client.get(url).content.decode() for url in (reverse("desk"), page_of(case), page_of(other))]

    assert all("Unspeakable" not in page for page in pages)
    assert "withheld" in pages[0].lower()


def test_a_deleted_post_keeps_its_case_and_says_who_deleted_it(case, post, paula, clock):
    posts.delete(post.pk, caller=SYSTEM, now=clock())
    client = visit(paula)

    page = words(client.get(page_of(case)))

    assert "Deleted since." in page and "by the author" in page
    assert "bring what you have" in page
    assert decide(client, case, "keep").status_code == 302


def test_nothing_that_people_write_becomes_part_of_the_page(paula, piet, clock):
    person = p.person(SCRIPT)
    post = p.post(SCRIPT, clock=clock, actor=SCRIPT, links=["javascript:alert(1)"])
    p.flag(post, clock=clock, reason=FlagReason.HATE, note=SCRIPT)
    case = opened(post, by=paula, clock=clock, note=SCRIPT)
    proposal = escalations.propose(
        CaseRef(case.pk, 1),
        action=DeskAction.REMOVE,
        ground=Ground.HATE,
        explanation=SCRIPT,
        policy_section=SCRIPT,
        caller=paula,
        now=clock(),
    )
    type(person).objects.filter(pk__in=[paula.person_id, piet.person_id]).update(display_name=SCRIPT)
    client = visit(piet)

    pages = [
        client.get(reverse("desk")),
        client.get(page_of(case)),
        judge(client, proposal, "refuse", step="", reason=SCRIPT),
        judge(client, proposal, "refuse", reason=SCRIPT),
        client.get(page_of(case)),
    ]

    for page in pages:
        assert "<img src=x" not in page.content.decode()
        assert 'href="javascript:' not in page.content.decode()


def test_names_and_words_by_people_keep_to_their_own_direction(case, paula, clock):
    page = visit(paula).get(page_of(case)).content.decode()

    assert '<bdi class="post-text" dir="auto">Names a place and an hour.</bdi>' in page
    assert '<bdi dir="auto">Page 1</bdi>' in page


# ── how much it costs ──────────────────────────────────────────────────────────────────────────────


def queries(client, url, django_assert_max_num_queries, most):
    with django_assert_max_num_queries(most) as counted:
        assert client.get(url).status_code == 200
    return len(counted)


def test_a_longer_list_costs_no_more_queries(paula, clock, django_assert_max_num_queries):
    client = visit(paula)
    for n in range(2):
        opened(p.post(f"Post {n} of some.", clock=clock), by=paula, clock=clock)
    few = queries(client, reverse("desk"), django_assert_max_num_queries, 25)
    for n in range(12):
        case = opened(p.post(f"Post {n} of more.", clock=clock), by=paula, clock=clock)
        escalations.hide(CaseRef(case.pk, 1), explanation="Now.", caller=paula, now=clock())

    assert queries(client, reverse("desk"), django_assert_max_num_queries, 25) == few


def test_a_case_with_a_long_history_costs_no_more_queries(
    case, post, paula, clock, django_assert_max_num_queries
):
    client = visit(paula)
    few = queries(client, page_of(case), django_assert_max_num_queries, 50)
    for n in range(6):
        p.flag(post, clock=clock, reason=FlagReason.HATE, note=f"Note {n}.")
        p.edit(post, f"Version {n} of it.", clock=clock)
        other = opened(p.post(f"Other post {n}.", clock=clock), by=paula, clock=clock)
        proposal = proposed(other, by=paula, clock=clock)
        escalations.confirm(proposal.pk, caller=p.specialist(clock=clock), now=clock())
    escalations.hide(CaseRef(case.pk, 1), explanation="Now.", caller=paula, now=clock())

    assert queries(client, page_of(case), django_assert_max_num_queries, 50) <= few + 2
