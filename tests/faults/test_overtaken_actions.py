"""What was prepared and then overtaken does not happen, what was confirmed happens once, whichever workers
were killed between (ESC-01). What waits for a second key or a time is a row that is read again, never a message."""

from datetime import timedelta

import pytest
from django.utils import timezone

from moderation.enums import DeskAction, Ground
from moderation.errors import Conflict
from moderation.models import ChangeFeed, Decision, EffectiveState, Escalation, Notice
from moderation.services import changes, escalations
from moderation.services.escalations import CaseRef
from tests.factories import platform as p
from tests.factories import programme as f
from tests.faults.stage import nothing_is_owed
from tests.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)
now = timezone.now
DAY = timedelta(hours=24)


class Desk:
    """A post, its case, two specialists; the first key may have been turned a while ago."""

    def __init__(self, number: int = 0) -> None:
        self.paula, self.piet = p.specialist(clock=now), p.specialist(clock=now)
        self.post = p.post(f"Be at bridge {number} at nine, bring stones.", actor=f"page-{number}", clock=now)
        self.case, _ = escalations.open_case(
            version_id=self.post.current_version_id,
            ground=Ground.INCITES_VIOLENCE, note="", caller=self.paula, now=now(),
        )  # fmt: skip

    @property
    def ref(self) -> CaseRef:
        case = Escalation.objects.get(pk=self.case.pk)
        return CaseRef(case.pk, case.version)

    def propose(self, words: str = "It names a place and an hour."):
        return escalations.propose(
            self.ref, action=DeskAction.REMOVE, ground=Ground.INCITES_VIOLENCE, explanation=words,
            policy_section="Violence 1", caller=self.paula, now=now(),
        )  # fmt: skip

    def refuse(self, proposal) -> None:
        escalations.refuse(proposal.pk, reason="It quotes.", caller=self.piet, now=now())

    def confirm(self, proposal) -> Decision:
        return escalations.confirm(proposal.pk, caller=self.piet, now=now())

    @property
    def removed(self) -> bool:
        effect = p.lookup(self.post, clock=now)
        return bool(effect and effect["removed"])


def told(desk: Desk) -> list[str]:
    return sorted(Notice.objects.filter(post=desk.post).values_list("kind", flat=True))


def restarted(stage, worker):
    """kill -9 the workers, forget every message, start others."""
    stage.kill(worker)
    stage.redis().flushall()
    return stage.worker()


def dismissed(desk: Desk, proposal) -> None:
    desk.refuse(proposal)
    escalations.keep(desk.ref, explanation="A quotation.", caller=desk.piet, now=now())


def rated_instead(desk: Desk, proposal) -> None:
    desk.refuse(proposal)
    rita = f.reviewer(f.partner(clock=now), clock=now)
    f.rate(desk.post, "false", by=rita, clock=now)


def confirmed_and_restored(desk: Desk, proposal) -> None:
    desk.confirm(proposal)
    escalations.restore(desk.ref, explanation="We were wrong.", caller=desk.paula, now=now())


@pytest.mark.parametrize("overtake", [dismissed, rated_instead, confirmed_and_restored])
def test_a_removal_that_was_overtaken_never_happens(stage, overtake):
    worker, _ = stage.worker(), stage.beat()
    desk = Desk()
    proposal = desk.propose()
    stage.kill(worker)

    overtake(desk, proposal)
    worker = restarted(stage, worker)

    assert until(nothing_is_owed), stage.logs()
    assert not desk.removed
    assert p.feed_of(desk.post, clock=now) == (0.2 if overtake is rated_instead else 1.0)
    assert "removed" not in told(desk)
    with pytest.raises(Conflict):
        desk.confirm(proposal)


def test_a_removal_proposed_anew_happens_once_with_the_new_words(stage):
    worker, _ = stage.worker(), stage.beat()
    desk = Desk()
    first = desk.propose("Old words.")
    desk.refuse(first)
    worker = restarted(stage, worker)
    second = desk.propose("New words.")
    stage.kill(worker)
    removal = desk.confirm(second)
    with pytest.raises(Conflict):
        desk.confirm(first)
    stage.redis().flushall()
    stage.worker()

    assert until(nothing_is_owed) and until(lambda: desk.removed), stage.logs()
    assert removal.presentation["explanation"] == "New words."
    assert Decision.objects.filter(kind="removal").count() == 1
    assert told(desk) == ["removed"]


def test_workers_killed_between_the_keys_and_during_removals_remove_each_post_once(stage):
    worker, _ = stage.worker(), stage.beat()
    desks = [Desk(number) for number in range(12)]
    proposals = [desk.propose() for desk in desks]
    worker = restarted(stage, worker)
    for desk, proposal in list(zip(desks, proposals, strict=True))[:6]:
        desk.confirm(proposal)
    assert until(lambda: EffectiveState.objects.filter(removed=True).exists())
    stage.kill(worker)
    for desk, proposal in list(zip(desks, proposals, strict=True))[6:]:
        desk.confirm(proposal)
    stage.redis().flushall()
    stage.worker()

    assert until(nothing_is_owed), stage.logs()
    changes.sequence()
    assert all(desk.removed for desk in desks)
    assert [told(desk) for desk in desks] == [["removed"]] * 12
    for desk in desks:
        assert ChangeFeed.objects.filter(post_id=desk.post.pk, document__removed=True).count() == 1
    assert until(lambda: not Notice.objects.filter(sent_at__isnull=True).exists()), stage.logs()


@pytest.mark.parametrize("second_key", [True, False])
def test_the_end_of_a_hide_that_was_overtaken_changes_nothing_afterwards(stage, second_key):
    """The hide ends by itself; the removal that replaced it does not, nor does its end come a second time."""
    worker, _ = stage.worker(), stage.beat()
    desk = Desk()
    began = now() - DAY + timedelta(seconds=12)
    escalations.hide(desk.ref, explanation="Until seen.", caller=desk.paula, now=began)
    assert until(lambda: desk.removed and nothing_is_owed()), stage.logs()
    assert until(lambda: Notice.objects.filter(kind="hidden", sent_at__isnull=False).exists()), stage.logs()
    proposal = desk.propose()
    stage.kill(worker)
    if second_key:
        desk.confirm(proposal)
    else:
        dismissed(desk, proposal)
    stage.redis().flushall()
    assert until(lambda: now() > began + DAY)
    stage.worker()

    assert until(lambda: nothing_is_owed() and EffectiveState.objects.get().removed is second_key), (
        stage.logs()
    )
    assert desk.removed is second_key
    kinds = told(desk)
    assert kinds.count("restored") == (0 if second_key else 1)
    assert kinds.count("hidden") == 1
