"""A partner's reviewers escalate; the desk sees the organisation, and goes on whatever becomes of it."""

import pytest
from django.urls import reverse
from django.utils import timezone

from factcheck.services import partners, people
from moderation.caller import SYSTEM
from moderation.enums import Ground, ItemStatus
from moderation.models import Decision, Escalation, Flag, ItemNote, ReviewItem
from moderation.services import notes, posts
from tests.factories import platform as p
from tests.factories import programme as f
from tests.factories.desk import decide, judge, opened, page_of, words
from tests.factories.visitors import visit

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _in_the_tests_time(clock, monkeypatch):
    monkeypatch.setattr(timezone, "now", clock)


@pytest.fixture
def rita(clock):
    return f.reviewer(f.partner(clock=clock), clock=clock)


@pytest.fixture
def post(clock):
    post = p.post("Meet at the old market at nine and bring what you have.", clock=clock)
    for _ in range(5):
        p.flag(post, clock=clock)
    p.settle(clock)
    return post


@pytest.fixture
def case(post, rita, clock):
    item = ReviewItem.objects.get()
    notes.add(item.pk, text="A neighbour called us.", caller=rita, now=clock())
    return opened(post, by=rita, clock=clock)


def test_the_desk_reads_the_organisation_never_the_reviewer(case, rita, clock):
    paula = p.specialist(clock=clock)

    for url in (reverse("desk"), page_of(case)):
        page = visit(paula).get(url).content.decode()
        assert rita.organisation.name in page
        assert f.person_of(rita).display_name not in page
    assert "A neighbour called us." in page
    assert ItemNote.objects.get().organisation == rita.organisation_id


@pytest.mark.parametrize("act", ["hide", "remove", "restrict", "keep"])
def test_a_case_is_decided_whatever_became_of_the_partner_that_escalated_it(case, rita, act, clock):
    adam = p.administrator(clock=clock)
    membership = people.Membership.objects.get(person_id=rita.person_id)
    people.remove(membership.pk, caller=adam, now=clock())
    partners.suspend(rita.organisation_id, caller=adam, now=clock())

    assert decide(visit(p.specialist(clock=clock)), case, act).status_code == 302
    assert Escalation.objects.get(pk=case.pk).version == 2


def test_a_removal_everywhere_leaves_nothing_in_the_queue_and_no_flag_unanswered(case, clock):
    decide(visit(p.specialist(clock=clock)), case, "remove")
    second = visit(p.specialist(clock=clock))
    asked = judge(second, case.proposals.get(), "confirm", step="")
    assert "Its items leave the review queue, and every flag on it is answered." in words(asked)

    judge(second, case.proposals.get(), "confirm")
    p.settle(clock)

    assert not ReviewItem.objects.filter(status=ItemStatus.OPEN).exists()
    assert not Flag.objects.filter(outcome="pending").exists()


def test_a_rating_is_masked_by_a_removal_and_shows_again_when_it_is_restored(case, post, rita, clock):
    f.rate(post, by=rita, clock=clock)
    p.settle(clock)
    first, second = (visit(p.specialist(clock=clock)) for _ in range(2))
    decide(first, case, "remove")
    judge(second, case.proposals.get(), "confirm")
    p.settle(clock)
    assert p.lookup(post, clock=clock)["removed"]

    asked = decide(first, case, "restore", step="")
    assert "1 rating that it masked shows again." in words(asked)
    decide(first, case, "restore")
    p.settle(clock)

    assert (p.lookup(post, clock=clock)["removed"], p.feed_of(post, clock=clock)) == (False, 0.2)
    assert Decision.objects.filter(kind="standing_verdict").count() == 1
    assert f"Rated false by {rita.organisation.name}" in words(first.get(page_of(case)))


def remove_and_restore(case, clock, between=lambda: None):
    first, second = (visit(p.specialist(clock=clock)) for _ in range(2))
    decide(first, case, "remove")
    judge(second, case.proposals.get(), "confirm")
    p.settle(clock)
    between()
    decide(first, case, "restore")
    p.settle(clock)


def test_rating_work_that_a_removal_cut_short_goes_on_when_the_post_is_restored(case, post, rita, clock):
    before = ReviewItem.objects.get(status=ItemStatus.OPEN)

    remove_and_restore(case, clock)

    again = ReviewItem.objects.get(status=ItemStatus.OPEN)
    assert again.pk != before.pk and again.displayed_version_id == post.current_version_id
    assert again.due_at <= before.due_at
    assert f.rate(post, by=rita, clock=clock).claim.cluster.members.get().post_id == post.pk
    p.settle(clock)
    assert p.feed_of(post, clock=clock) == 0.2


def test_rating_work_that_was_done_before_a_removal_is_not_opened_again(case, post, rita, clock):
    f.rate(post, by=rita, clock=clock)
    p.settle(clock)

    remove_and_restore(case, clock)

    assert not ReviewItem.objects.filter(status=ItemStatus.OPEN).exists()


def test_a_post_whose_author_deleted_it_meanwhile_gets_no_work_when_it_is_restored(case, post, clock):
    remove_and_restore(case, clock, between=lambda: posts.delete(post.pk, caller=SYSTEM, now=clock()))

    assert not ReviewItem.objects.filter(status=ItemStatus.OPEN).exists()


def test_a_post_that_another_case_keeps_removed_gets_no_work_until_that_is_restored_too(case, post, clock):
    other = opened(post, by=p.specialist(clock=clock), clock=clock, ground=Ground.HATE)
    first, second = (visit(p.specialist(clock=clock)) for _ in range(2))
    for one in (case, other):
        decide(first, one, "remove")
        judge(second, one.proposals.get(), "confirm")
    p.settle(clock)

    decide(first, case, "restore")
    assert not ReviewItem.objects.filter(status=ItemStatus.OPEN).exists()
    decide(first, other, "restore")
    assert ReviewItem.objects.filter(status=ItemStatus.OPEN).count() == 1
