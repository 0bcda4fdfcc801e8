"""Who is told what, and when: after a while of calm, once, and again when it is taken back (domain 4, notices)."""

import pytest

from factcheck.services import matches, ratings
from moderation.enums import Ground
from moderation.models import Decision, EffectiveState, Notice
from moderation.services import effects, escalations, notices
from moderation.services.escalations import CaseRef
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db


@pytest.fixture
def partner(clock):
    return f.partner(clock=clock)


@pytest.fixture
def rita(partner, clock):
    return f.lead(partner, clock=clock)


def told(clock) -> list[str]:
    """What has been told by now, in order."""
    p.settle(clock)
    notices.deliver(now=clock())
    return list(
        Notice.objects.filter(sent_at__isnull=False).order_by("sent_at", "id").values_list("kind", flat=True)
    )


def test_an_author_is_told_after_six_hours_of_calm(rita, clock):
    f.rate(p.post(clock=clock), by=rita, clock=clock)
    assert told(clock) == []
    clock.advance(hours=6, seconds=-1)
    assert told(clock) == []
    clock.advance(seconds=1)
    assert told(clock) == ["rated"]


def test_a_changed_verdict_starts_the_clock_again_and_a_reversal_stops_it(partner, rita, clock):
    rating = f.rate(p.post(clock=clock), by=rita, clock=clock)
    p.settle(clock)
    changed = ratings.revise(rating.pk, f.draft(partner, "true"), caller=rita, now=clock.advance(hours=5))
    p.settle(clock)
    clock.advance(hours=5)
    assert told(clock) == []

    ratings.withdraw(changed.pk, reason="Wrong.", caller=rita, now=clock())
    p.settle(clock)
    clock.advance(hours=10)
    assert told(clock) == []


def test_who_was_told_is_told_that_the_rating_was_withdrawn(rita, clock):
    rating = f.rate(p.post(clock=clock), by=rita, clock=clock)
    p.settle(clock)
    clock.advance(hours=6)
    assert told(clock) == ["rated"]

    ratings.withdraw(rating.pk, reason="Wrong.", caller=rita, now=clock.advance(hours=1))
    assert told(clock) == ["rated", "withdrawn"]


def test_a_revised_rating_is_told_as_a_new_verdict_not_as_withdrawn(partner, rita, clock):
    rating = f.rate(p.post(clock=clock), by=rita, clock=clock)
    p.settle(clock)
    clock.advance(hours=6)
    assert told(clock) == ["rated"]

    ratings.revise(rating.pk, f.draft(partner, "partly_false"), caller=rita, now=clock.advance(hours=1))
    assert told(clock) == ["rated"]
    clock.advance(hours=6)
    assert told(clock) == ["rated", "rated"]


def test_a_second_partner_of_the_same_opinion_is_no_news_and_starts_no_clock(rita, clock):
    post = p.post(clock=clock)
    f.rate(post, "false", by=rita, clock=clock)
    p.settle(clock)
    clock.advance(hours=5)
    f.rate(post, "false", by=f.lead(f.partner(clock=clock), clock=clock), clock=clock)
    p.settle(clock)
    assert Decision.objects.filter(kind="standing_verdict").count() == 2

    clock.advance(hours=1)
    assert told(clock) == ["rated"]
    f.rate(post, "altered", by=f.lead(f.partner(clock=clock), clock=clock), clock=clock)
    p.settle(clock)
    clock.advance(hours=9)
    assert told(clock) == ["rated"]


def test_a_worker_whose_clock_is_behind_ends_no_effect_and_loses_nobody_a_notice(rita, clock):
    """It would see the decision as not begun yet; but nothing is computed for an earlier instant than before."""
    post = p.post(clock=clock)
    f.rate(post, by=rita, clock=clock)
    p.settle(clock)

    before = clock.now.replace(hour=1)
    effects.recompute([post.pk], now=before)
    assert EffectiveState.objects.get().document["label"] == "warning"
    assert EffectiveState.objects.get().version == 1

    clock.advance(hours=6)
    assert told(clock) == ["rated"]


def test_a_hide_is_told_at_once_and_the_removal_that_follows_is_no_return(rita, clock):
    post = p.post(clock=clock)
    paula, piet = p.specialist(clock=clock), p.specialist(clock=clock)
    case, _ = escalations.open_case(
        version_id=post.current_version_id, ground=Ground.HATE, note="", caller=paula, now=clock()
    )
    escalations.hide(CaseRef(case.pk, case.version), explanation="Now.", caller=paula, now=clock())
    assert told(clock) == ["hidden"]
    case.refresh_from_db()
    proposal = escalations.propose(
        CaseRef(case.pk, case.version),
        action="remove",
        ground=Ground.HATE,
        explanation="Calls for an attack.",
        policy_section="Violence 1",
        caller=paula,
        now=clock.advance(hours=1),
    )
    escalations.confirm(proposal.pk, caller=piet, now=clock())
    assert told(clock) == ["hidden", "removed"]
    clock.advance(hours=30)
    p.sweep(clock)
    assert told(clock) == ["hidden", "removed"]


def test_every_copy_is_told_once_however_often_it_is_recomputed(rita, clock):
    claim = f.rate(p.post("One.", clock=clock), by=rita, clock=clock).claim
    for number in range(3):
        copy = p.post(f"Copy {number}.", clock=clock, actor=f"page-{number + 2}")
        matches.confirm(claim, copy.current_version, caller=rita, now=clock())
    p.settle(clock)
    for _ in range(3):
        effects.recompute(list(EffectiveState.objects.values_list("pk", flat=True)), now=clock())

    clock.advance(hours=6)
    assert told(clock) == ["rated"] * 4
