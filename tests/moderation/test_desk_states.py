"""Every state of a case × every act, each once and twice: the contract's result, or a Conflict with a reason."""

import itertools
from copy import copy

import pytest

from moderation.enums import DecisionKind, DeskAction, EscalationStatus, FlagOutcome, FlagReason, Ground
from moderation.errors import Conflict, Invalid, StaleItem
from moderation.models import Decision, Escalation, Flag, Notice, ReviewItem
from moderation.services import escalations, notices, posts
from moderation.services.escalations import CaseRef
from tests.factories import platform as p

pytestmark = pytest.mark.django_db

STATES = ("open", "proposed", "removed", "restricted", "kept")
ACTS = ("escalate", "hide", "propose", "confirm", "refuse", "restrict", "keep", "restore")
# What each act makes of each state; whatever is missing here is refused, and the state stays.
RESULTS = {
    ("open", "hide"): "open",
    ("open", "propose"): "proposed",
    ("open", "restrict"): "restricted",
    ("open", "keep"): "kept",
    ("proposed", "hide"): "proposed",
    ("proposed", "confirm"): "removed",
    ("proposed", "refuse"): "open",
    ("removed", "restore"): "kept",
    ("restricted", "propose"): "proposed",
    ("restricted", "restore"): "kept",
    **{(state, "escalate"): state for state in STATES},
}


class Desk:
    """Two specialists at one case, one word per act."""

    def __init__(self, clock, *, regions=()):
        self.clock, self.regions = clock, regions
        self.paula, self.piet = p.specialist(clock=clock), p.specialist(clock=clock)
        self.post = p.post(clock=clock)
        self.case, _ = self.escalate()

    @property
    def status(self):
        return Escalation.objects.get(pk=self.case.pk).status

    @property
    def ref(self):
        case = Escalation.objects.get(pk=self.case.pk)
        return CaseRef(case.pk, case.version)

    @property
    def proposal(self):
        """The newest proposal, whatever became of it."""
        found = self.case.proposals.order_by("-id").first()
        if found is None:
            raise Conflict("Nothing was proposed.")
        return found

    def reach(self, state):
        steps = {
            "open": [],
            "proposed": ["propose"],
            "removed": ["propose", "confirm"],
            "restricted": ["restrict"],
            "kept": ["keep"],
        }
        for step in steps[state]:
            getattr(self, step)()
        assert self.status == state
        return self

    def escalate(self):
        return escalations.open_case(
            version_id=self.post.current_version_id,
            ground=Ground.INCITES_VIOLENCE,
            note="Names a place and an hour.",
            caller=self.paula,
            now=self.clock(),
        )

    def hide(self):
        return escalations.hide(
            self.ref, explanation="Until two have looked.", caller=self.paula, now=self.clock()
        )

    def propose(self, action=DeskAction.REMOVE, ground=Ground.INCITES_VIOLENCE):
        return escalations.propose(
            self.ref,
            action=action,
            ground=ground,
            explanation="Calls for an attack.",
            policy_section="Violence 1",
            regions=self.regions,
            caller=self.paula,
            now=self.clock(),
        )

    def confirm(self):
        return escalations.confirm(self.proposal.pk, caller=self.piet, now=self.clock())

    def refuse(self):
        return escalations.refuse(
            self.proposal.pk, reason="It reports the call.", caller=self.piet, now=self.clock()
        )

    def restrict(self):
        return escalations.restrict(
            self.ref,
            explanation="Shown behind a warning.",
            policy_section="Violence 2",
            caller=self.paula,
            now=self.clock(),
        )

    def keep(self):
        return escalations.keep(
            self.ref, explanation="A report of the trial.", caller=self.paula, now=self.clock()
        )

    def restore(self):
        return escalations.restore(
            self.ref, explanation="It condemns the call.", caller=self.piet, now=self.clock()
        )


@pytest.fixture
def desk(clock):
    return Desk(clock)


@pytest.mark.parametrize(("state", "act"), [*itertools.product(STATES, ACTS)])
def test_every_act_in_every_state_twice_has_its_result_or_says_why_not(desk, clock, state, act):
    desk.reach(state)
    now_in = state
    for _ in range(2):
        wanted = RESULTS.get((now_in, act))
        if act == "hide" and Decision.objects.filter(kind=DecisionKind.HIDE).exists():
            wanted = None
        if wanted is None:
            with pytest.raises(Conflict) as refusal:
                getattr(desk, act)()
            assert refusal.value.message
        else:
            getattr(desk, act)()
        now_in = wanted or now_in
        assert desk.status == now_in
    p.settle(clock)


@pytest.mark.parametrize("state", STATES)
def test_escalating_twice_makes_one_case_and_after_the_decision_one_new_case(desk, state):
    desk.reach(state)

    first, added = desk.escalate()
    second, again = desk.escalate()

    assert first == second and not again
    assert added == (state not in ("open", "proposed"))


def test_a_decided_case_does_not_open_again_beside_a_newer_one(desk):
    desk.reach("restricted")
    desk.escalate()

    with pytest.raises(Conflict) as refusal:
        desk.propose()

    assert refusal.value.code == "other_case_open"
    assert desk.status == EscalationStatus.RESTRICTED


def test_one_key_restricts_a_version_once_even_through_a_new_case(desk):
    desk.reach("restricted")
    desk.case, added = desk.escalate()
    assert added

    with pytest.raises(Conflict) as refusal:
        desk.restrict()

    assert refusal.value.code == "restricted_before"


def test_a_removal_on_another_ground_than_the_case_is_restored_too(desk, clock):
    desk.propose(ground=Ground.HATE)
    desk.confirm()
    p.settle(clock)
    assert p.lookup(desk.post, clock=clock)["removed"]

    assert desk.restore() == 1
    p.settle(clock)

    assert p.lookup(desk.post, clock=clock) is None


def test_restoring_one_case_leaves_the_removal_of_another_in_force(desk, clock):
    other = copy(desk)
    other.case, _ = escalations.open_case(
        version_id=desk.post.current_version_id, ground=Ground.HATE, note="", caller=desk.paula, now=clock()
    )
    for case in (desk, other):
        case.propose()
        case.confirm()
    other.restore()
    p.settle(clock)

    assert p.lookup(desk.post, clock=clock)["removed"]


@pytest.mark.parametrize("decide", ["keep", "restrict"])
def test_a_decision_ends_the_hide_that_came_before_it(desk, clock, decide):
    desk.hide()
    p.settle(clock)
    assert p.lookup(desk.post, clock=clock)["removed"]

    getattr(desk, decide)()
    p.settle(clock)

    left = p.lookup(desk.post, clock=clock)
    assert left is None if decide == "keep" else left["interstitial"] and not left["removed"]


def test_a_regional_removal_ends_the_hide_elsewhere(clock):
    desk = Desk(clock, regions=["lk"])
    desk.hide()
    desk.propose()
    desk.confirm()
    p.settle(clock)

    assert p.lookup(desk.post, clock=clock, region="LK")["removed"]
    assert not p.lookup(desk.post, clock=clock, region="FR")["removed"]


def test_a_longer_restriction_takes_the_place_of_the_short_one_without_a_false_all_clear(desk, clock):
    desk.restrict()
    p.settle(clock)
    notices.deliver(now=clock())
    desk.propose(DeskAction.RESTRICT)
    desk.confirm()
    p.settle(clock)

    clock.advance(days=8)
    assert p.lookup(desk.post, clock=clock)["interstitial"]
    assert list(Notice.objects.order_by("id").values_list("kind", flat=True)) == ["restricted", "restricted"]

    desk.restore()
    p.settle(clock)
    assert p.lookup(desk.post, clock=clock) is None


def test_a_refused_proposal_leaves_the_short_restriction_and_keeping_ends_it(desk, clock):
    desk.restrict()
    desk.propose()
    desk.refuse()
    p.settle(clock)
    assert p.lookup(desk.post, clock=clock)["interstitial"]

    desk.keep()
    p.settle(clock)

    assert p.lookup(desk.post, clock=clock) is None


def test_a_refused_proposal_cannot_be_confirmed_later_only_the_newer_one_with_its_words(desk, clock):
    old = desk.propose()
    desk.refuse()
    with pytest.raises(Conflict):
        escalations.confirm(old.pk, caller=desk.piet, now=clock())

    new = desk.propose()
    with pytest.raises(Conflict):
        escalations.confirm(old.pk, caller=desk.piet, now=clock())
    decision = escalations.confirm(new.pk, caller=desk.piet, now=clock())

    assert decision.presentation["explanation"] == new.explanation
    assert Decision.objects.filter(kind=DecisionKind.REMOVAL).count() == 1


def test_an_act_on_what_the_author_changed_since_is_stale(desk, clock):
    read = CaseRef(desk.case.pk, desk.case.version, shown=desk.post.current_version_id)
    p.edit(desk.post, "Meet at the market, bring flowers.", clock=clock)

    with pytest.raises(StaleItem):
        escalations.keep(read, explanation="Fine.", caller=desk.paula, now=clock())

    assert desk.status == EscalationStatus.OPEN


def test_an_unknown_region_is_named(clock):
    desk = Desk(clock, regions=["LK", "Atlantis"])

    with pytest.raises(Invalid) as refusal:
        desk.propose()

    assert (refusal.value.field, refusal.value.data["value"]) == ("regions", "Atlantis")
    assert desk.status == EscalationStatus.OPEN


@pytest.mark.parametrize("act", ["hide", "propose", "restrict", "keep"])
def test_a_case_about_a_deleted_post_is_decided_like_any_other(desk, clock, act):
    posts.delete(desk.post.pk, caller=p.SYSTEM, now=clock())

    getattr(desk, act)()
    p.settle(clock)

    assert desk.status == RESULTS["open", act]


def flagged(desk, clock):
    """Five members' flags on the post, two of them about harm."""
    reasons = [FlagReason.VIOLENCE, FlagReason.HATE, *[FlagReason.FALSE_INFORMATION] * 3]
    for reason in reasons:
        p.flag(desk.post, clock=clock, reason=reason)
    p.settle(clock)


def test_a_removal_everywhere_leaves_no_open_flag_and_no_queue_entry(desk, clock):
    flagged(desk, clock)
    desk.reach("removed")
    p.settle(clock)

    outcomes = sorted(Flag.objects.values_list("outcome", flat=True))
    assert outcomes == [FlagOutcome.AGREED] * 2 + [FlagOutcome.NEUTRAL] * 3
    assert not ReviewItem.objects.filter(status="open").exists()

    desk.restore()
    p.settle(clock)
    assert set(Flag.objects.values_list("outcome", flat=True)) == {FlagOutcome.NEUTRAL}


def test_a_regional_removal_leaves_the_flags_about_truth_to_the_review(clock):
    desk = Desk(clock, regions=["LK"])
    flagged(desk, clock)
    desk.reach("removed")
    p.settle(clock)

    assert Flag.objects.filter(outcome=FlagOutcome.PENDING).count() == 3
    assert ReviewItem.objects.filter(status="open").count() == 1
