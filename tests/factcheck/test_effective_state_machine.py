"""Any history, worked off in any order, leaves what its decisions say; a reversed one leaves nothing."""

from typing import Any

import pytest
from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from factcheck.models import Claim
from moderation.enums import FlagReason, Ground
from moderation.models import Escalation
from moderation.services import changes, notices
from tests.depth import budget
from tests.factcheck import oracle
from tests.factcheck.world import TEXTS, World
from tests.factories import platform as p

few = st.integers(0, 5)
three = st.integers(0, 2)
verdict = st.sampled_from(["false", "altered", "partly_false", "missing_context", "satire", "true"])
reasons = st.sampled_from([FlagReason.FALSE_INFORMATION, FlagReason.MISLEADING, FlagReason.VIOLENCE])
grounds = st.sampled_from([Ground.HATE, Ground.INCITES_VIOLENCE])
regions = st.sampled_from([(), ("LK",), ("LK-1", "FR")])
claimed = precondition(lambda machine: Claim.objects.exists())
rated = precondition(lambda machine: machine.world.in_force().exists())
escalated = precondition(lambda machine: Escalation.objects.exists())
measure = st.sampled_from(["hide", "keep", "restrict", "restore", "propose", "propose restriction"])


class Histories(RuleBasedStateMachine):
    """Each rule is an act of somebody; `work` does some of what the outbox holds, in a random order."""

    def __init__(self) -> None:
        super().__init__()
        self._undone = transaction.atomic()
        self._undone.__enter__()
        self.world = World()
        self.book = oracle.StrikeBook()
        self.versions: dict[Any, int] = {}

    @initialize(texts=st.lists(st.integers(0, len(TEXTS) - 1), min_size=2, max_size=3))
    def some_posts(self, texts: list[int]) -> None:
        for actor, text in enumerate(texts):
            self.world.publish(text, actor)

    @rule(text=st.integers(0, len(TEXTS) - 1), actor=three)
    def publish(self, text: int, actor: int) -> None:
        self.world.publish(text, actor)

    @rule(post=few, text=st.integers(-1, len(TEXTS) - 1))
    def edit_or_delete(self, post: int, text: int) -> None:
        if text < 0:
            self.world.delete(post)
        else:
            self.world.edit(post, text)

    @rule(post=few, member=three, reason=reasons)
    def flag(self, post: int, member: int, reason: FlagReason) -> None:
        self.world.flag(post, member, reason)

    @rule(n=few)
    def withdraw_flag(self, n: int) -> None:
        self.world.withdraw_flag(n)

    @rule(n=few, reviewer=three, back=st.booleans())
    def hold(self, n: int, reviewer: int, back: bool) -> None:
        self.world.hold(n, reviewer)
        if back:
            self.world.put_back(n, reviewer)

    @rule(post=few, reviewer=three, verdict=verdict, named=st.none() | three)
    def rate(self, post: int, reviewer: int, verdict: str, named: int | None) -> None:
        self.world.rate(post, reviewer, verdict, named)

    @rule(post=few, verdict=st.sampled_from(["false", "true"]))
    def two_partners_rate(self, post: int, verdict: str) -> None:
        self.world.rate(post, 0, "false", None)
        self.world.rate(post, 1, verdict, None)

    @rule(n=few, reviewer=three, verdict=verdict)
    def rate_item(self, n: int, reviewer: int, verdict: str) -> None:
        self.world.rate_item(n, reviewer, verdict)

    @claimed
    @rule(n=few, reviewer=three, verdict=verdict)
    def rate_claim(self, n: int, reviewer: int, verdict: str) -> None:
        self.world.rate_claim(n, reviewer, verdict)

    @rule(n=few, reviewer=three)
    def not_eligible(self, n: int, reviewer: int) -> None:
        self.world.not_eligible(n, reviewer)

    @rated
    @rule(n=few, verdict=verdict)
    def revise(self, n: int, verdict: str) -> None:
        self.world.revise(n, verdict)

    @rated
    @rule(n=few)
    def withdraw(self, n: int) -> None:
        self.world.withdraw(n)

    @rated
    @rule(n=few)
    def undo(self, n: int) -> None:
        self.world.undo(n)

    @claimed
    @rule(post=few, claim=few, reviewer=three)
    def match(self, post: int, claim: int, reviewer: int) -> None:
        self.world.match(post, claim, reviewer)

    @claimed
    @rule(n=few, reviewer=three)
    def reject(self, n: int, reviewer: int) -> None:
        self.world.reject(n, reviewer)

    @rule(post=few, ground=grounds)
    def escalate(self, post: int, ground: Ground) -> None:
        self.world.escalate(post, ground)

    @escalated
    @rule(n=few, verb=measure, regions=regions)
    def decide(self, n: int, verb: str, regions: tuple[str, ...]) -> None:
        self.world.desk(n, verb, regions)

    @escalated
    @rule(n=few, verb=st.sampled_from(["confirm", "refuse"]))
    def judge(self, n: int, verb: str) -> None:
        self.world.desk(n, verb, specialist=1)

    @rule(time=st.sampled_from([{"seconds": 20}, {"minutes": 11}, {"hours": 7}, {"hours": 25}, {"days": 40}]))
    def wait(self, time: dict[str, float]) -> None:
        self.world.clock.advance(**time)

    @rule(rows=st.integers(1, 8), seed=st.integers(0, 9999))
    def work(self, rows: int, seed: int) -> None:
        self.world.work(rows, seed)
        changes.sequence()
        notices.deliver(now=self.world.clock())

    @rule(seed=st.integers(0, 9999))
    def finish_work(self, seed: int) -> None:
        self._finish(seed)
        oracle.check_everything(self.book, now=self.world.clock())

    @invariant()
    def versions_never_fall(self) -> None:
        self.book.look(now=self.world.clock())
        newest = oracle.newest_versions()
        assert all(newest[i] >= version for i, version in self.versions.items())
        self.versions = newest

    def teardown(self) -> None:
        try:
            self._finish(1)
            oracle.check_everything(self.book, now=self.world.clock())
            self.world.reverse_everything()
            self._finish(2)
            self.book.look(now=self.world.clock())
            oracle.check_everything(self.book, now=self.world.clock())
            oracle.check_nothing_is_left(now=self.world.clock())
        finally:
            transaction.set_rollback(True)
            self._undone.__exit__(None, None, None)

    def _finish(self, seed: int) -> None:
        """Work everything off, out of order; the sweep finds what ended by time."""
        while self.world.work(1000, seed) or self._swept():
            seed += 1
        changes.sequence()

    def _swept(self) -> bool:
        return p.sweep(self.world.clock) > 0


@pytest.mark.django_db
def test_any_history_leaves_what_its_decisions_say_and_a_reversed_one_nothing():
    run_state_machine_as_test(Histories, settings=budget(12, stateful_step_count=30))
