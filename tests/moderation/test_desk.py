"""The policy desk: two people remove, one may hide for a day, and only the desk closes a case."""

import pytest

from moderation.enums import DeskAction, Ground
from moderation.errors import Conflict, Refused
from moderation.models import Escalation, User
from moderation.selectors import feed
from moderation.services import escalations
from moderation.services.escalations import CaseRef
from tests.factories import platform as p

pytestmark = pytest.mark.django_db


@pytest.fixture
def paula(clock):
    return p.specialist(clock=clock)


@pytest.fixture
def piet(clock):
    return p.specialist(clock=clock)


def opened(post, *, by, clock, ground=Ground.INCITES_VIOLENCE):
    case, _ = escalations.open_case(
        version_id=post.current_version_id,
        ground=ground,
        note="Names a place and an hour.",
        caller=by,
        now=clock(),
    )
    return case


def ref(case):
    case = Escalation.objects.get(pk=case.pk)
    return CaseRef(case.pk, case.version)


def proposed(case, *, by, clock, regions=()):
    return escalations.propose(
        ref(case),
        action=DeskAction.REMOVE,
        ground=Ground.INCITES_VIOLENCE,
        explanation="Calls for an attack.",
        policy_section="Violence 1",
        regions=regions,
        caller=by,
        now=clock(),
    )


def test_a_removal_needs_another_specialist(paula, piet, clock):
    post = p.post(clock=clock)
    proposal = proposed(opened(post, by=paula, clock=clock), by=paula, clock=clock)

    with pytest.raises(Refused):
        escalations.confirm(proposal.pk, caller=paula, now=clock())
    p.settle(clock)
    assert p.lookup(post, clock=clock) is None

    escalations.confirm(proposal.pk, caller=piet, now=clock())
    p.settle(clock)

    removed = p.lookup(post, clock=clock)
    assert removed["removed"] and set(removed["multipliers"].values()) == {0.0}
    with pytest.raises(Conflict):
        escalations.confirm(proposal.pk, caller=piet, now=clock())


def test_a_hide_ends_by_itself_on_the_second_with_every_worker_stopped(paula, clock):
    post = p.post(clock=clock)
    case = opened(post, by=paula, clock=clock)
    escalations.hide(
        ref(case), explanation="Until a second specialist has looked.", caller=paula, now=clock()
    )
    p.settle(clock)
    assert p.lookup(post, clock=clock)["removed"]

    clock.advance(hours=23, minutes=59, seconds=59)
    assert p.lookup(post, clock=clock)["removed"]
    clock.advance(seconds=1)
    assert p.lookup(post, clock=clock) is None

    with pytest.raises(Conflict) as again:
        escalations.hide(ref(case), explanation="Again.", caller=paula, now=clock())
    assert again.value.code == "hidden_before"


def test_a_regional_removal_is_seen_in_its_country_and_its_subdivisions_only(paula, piet, clock):
    post = p.post(clock=clock)
    proposal = proposed(opened(post, by=paula, clock=clock), by=paula, clock=clock, regions=["LK"])
    escalations.confirm(proposal.pk, caller=piet, now=clock())
    p.settle(clock)

    assert p.lookup(post, clock=clock, region="LK")["removed"]
    assert p.lookup(post, clock=clock, region="LK-1")["removed"]
    assert not p.lookup(post, clock=clock, region="FR")["removed"]
    assert p.lookup(post, clock=clock)["regional"]


def test_a_restored_post_shows_its_state_again(paula, piet, clock):
    post = p.post(clock=clock)
    case = opened(post, by=paula, clock=clock)
    escalations.confirm(proposed(case, by=paula, clock=clock).pk, caller=piet, now=clock())
    p.settle(clock)

    escalations.restore(ref(case), explanation="It quoted the call to condemn it.", caller=piet, now=clock())
    p.settle(clock)

    assert p.lookup(post, clock=clock) is None


def test_a_hidden_post_is_in_the_feed_again_on_the_second_with_every_worker_stopped(paula, clock):
    post, mira = p.post(clock=clock), p.member(clock=clock)
    viewer = User.objects.get(pk=mira.person_id)
    case = opened(post, by=paula, clock=clock)
    escalations.hide(ref(case), explanation="Until seen.", caller=paula, now=clock())
    p.settle(clock)

    def shown() -> list[object]:
        return [s.post.pk for s in feed.ranked(caller=mira, viewer=viewer, now=clock()).posts]

    clock.advance(hours=23, minutes=59, seconds=59)
    assert shown() == []
    clock.advance(seconds=1)
    assert shown() == [post.pk]
