"""Any history, worked off in any order, leaves what its decisions say; a reversed one leaves nothing."""

from typing import Any

import pytest
from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from moderation.enums import FlagReason, Ground, SwitchKind
from moderation.services import changes, notices
from tests.depth import budget
from tests.factcheck import oracle
from tests.factcheck.world import TEXTS, World
from tests.factories import platform as p

few = st.integers(0, 7)
three = st.integers(0, 2)
text = st.sampled_from([0, 0, *range(len(TEXTS))])  # the first one is copied most
verdicts = st.sampled_from(
    ["false", "false", "altered", "partly_false", "missing_context", "satire", "true", "true"]
)
reasons = st.sampled_from([FlagReason.FALSE_INFORMATION, FlagReason.MISLEADING, FlagReason.VIOLENCE])
grounds = st.sampled_from([Ground.HATE, Ground.INCITES_VIOLENCE])
regions = st.sampled_from([(), (), ("LK",), ("LK-1", "FR")])


def several(*acts: str) -> st.SearchStrategy[str]:
    return st.sampled_from(acts)


class Histories(RuleBasedStateMachine):
    """Each rule is somebody's turn, so that every history mixes them all; `work` does some of what the
    outbox holds, in a random order."""

    def __init__(self) -> None:
        super().__init__()
        self._undone = transaction.atomic()
        self._undone.__enter__()
        self.world = World()
        self.book = oracle.StrikeBook()
        self.versions: dict[Any, int] = {}

    @initialize(texts=st.lists(text, min_size=2, max_size=4))
    def some_posts(self, texts: list[int]) -> None:
        for number, chosen in enumerate(texts):
            self.world.publish(chosen, number % 2)

    @rule(
        act=several("publish", "publish", "publish", "edit", "edit", "delete"),
        n=few,
        text=text,
        actor=st.integers(0, 1),
    )
    def an_author(self, act: str, n: int, text: int, actor: int) -> None:
        if act == "publish":
            self.world.publish(text, actor)
        elif act == "edit":
            self.world.edit(n, text)
        else:
            self.world.delete(n)

    @rule(act=several("flag", "flag", "flag", "withdraw"), n=few, member=three, reason=reasons)
    def a_member(self, act: str, n: int, member: int, reason: FlagReason) -> None:
        if act == "flag":
            self.world.flag(n, member, reason)
        else:
            self.world.withdraw_flag(n)

    @rule(
        act=several("post", "post", "post", "item", "claim", "claim"),
        n=few,
        reviewer=three,
        verdict=verdicts,
        named=st.none() | three,
    )
    def a_reviewer_rates(self, act: str, n: int, reviewer: int, verdict: str, named: int | None) -> None:
        if act == "post":
            self.world.rate(n, reviewer, verdict, named)
        elif act == "item":
            self.world.rate_item(n, reviewer, verdict)
        else:
            self.world.rate_claim(n, reviewer, verdict)

    @rule(actor=st.integers(0, 1), reviewer=three)
    def a_page_offends_twice(self, actor: int, reviewer: int) -> None:
        for claim in ("One.", "Two."):
            self.world.publish_and_rate(claim, actor, reviewer, "false")

    @rule(n=few, reviewer=three, verdict=verdicts)
    def a_claim_is_rated_anew(self, n: int, reviewer: int, verdict: str) -> None:
        self.world.withdraw(n)
        self.world.rate_claim(n, reviewer, verdict)

    @rule(act=several("revise", "withdraw", "withdraw", "undo"), n=few, verdict=verdicts)
    def a_rater_thinks_again(self, act: str, n: int, verdict: str) -> None:
        if act == "revise":
            self.world.revise(n, verdict)
        elif act == "withdraw":
            self.world.withdraw(n)
        else:
            self.world.undo(n)

    @rule(
        act=several("match", "match", "reject", "not eligible", "hold", "put back"),
        n=few,
        claim=few,
        reviewer=three,
    )
    def a_reviewer_sorts(self, act: str, n: int, claim: int, reviewer: int) -> None:
        if act == "match":
            self.world.match(n, claim, reviewer)
        elif act == "reject":
            self.world.reject(n, reviewer)
        elif act == "not eligible":
            self.world.not_eligible(n, reviewer)
        elif act == "hold":
            self.world.hold(n, reviewer)
        else:
            self.world.put_back(n, reviewer)

    @rule(
        act=several(
            "escalate", "escalate", "hide", "keep", "restrict", "restore", "propose", "propose",
            "propose restriction", "confirm", "confirm", "refuse",
        ),
        n=few,
        ground=grounds,
        regions=regions,
    )  # fmt: skip
    def the_desk(self, act: str, n: int, ground: Ground, regions: tuple[str, ...]) -> None:
        if act == "escalate":
            self.world.escalate(n, ground)
        else:
            self.world.desk(n, act, regions, specialist=int(act in ("confirm", "refuse")))

    @rule(
        act=several("on", "on", "on", "back", "back"),
        kind=st.sampled_from([SwitchKind.LIFT_EFFECTS, SwitchKind.CLEAR_STRIKES, SwitchKind.STOP_RATINGS]),
        country=st.sampled_from(["", "US", "FR"]),
        partner=st.none() | three,
        outcome=st.sampled_from(["", "", "false"]),
        n=few,
    )
    def the_administrators(
        self, act: str, kind: SwitchKind, country: str, partner: int | None, outcome: str, n: int
    ) -> None:
        if act == "on":
            self.world.switch_on(kind, country, partner, outcome)
        else:
            self.world.switch_back(n)

    @rule(
        passes=st.sampled_from(
            [{"seconds": 20}, {"seconds": 20}, {"minutes": 11}, {"hours": 7}, {"hours": 25}, {"days": 40}]
        )
    )
    def time(self, passes: dict[str, float]) -> None:
        self.world.clock.advance(**passes)

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
            self.book.look(now=self.world.clock())
            self._finish(2)
            oracle.check_everything(self.book, now=self.world.clock())
            oracle.check_nothing_is_left(now=self.world.clock())
        finally:
            transaction.set_rollback(True)
            self._undone.__exit__(None, None, None)

    def _finish(self, seed: int) -> None:
        """Work everything off, out of order; the sweep finds what ended by time."""
        for again in range(50):
            if not self.world.work(1000, seed + again) and not p.sweep(self.world.clock):
                changes.sequence()
                return
        raise AssertionError("The outbox does not come to an end.")


@pytest.mark.django_db
def test_any_history_leaves_what_its_decisions_say_and_a_reversed_one_nothing():
    run_state_machine_as_test(Histories, settings=budget(16, stateful_step_count=40))
