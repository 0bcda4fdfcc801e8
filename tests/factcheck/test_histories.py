"""Long histories by the dice, acts weighted as life weighs them: what the state machine is too short for.

A seed that fails is printed and fails again: `DEPTH=9 pytest -k "histories and 107"`.
"""

import random
from collections.abc import Callable

import pytest
from django.db import transaction

from moderation.enums import FlagReason, Ground, SwitchKind
from moderation.services import changes, notices
from tests.depth import DEPTH
from tests.factcheck import oracle
from tests.factcheck.world import TEXTS, World
from tests.factories import platform as p

ACTS = 70
REASONS = (FlagReason.FALSE_INFORMATION, FlagReason.MISLEADING, FlagReason.VIOLENCE)
VERDICTS = ("false", "false", "false", "altered", "partly_false", "missing_context", "satire", "true", "true")
MEASURES = ("hide", "keep", "restrict", "restore", "propose", "propose", "propose restriction")
REGIONS = ((), (), ("LK",), ("LK-1", "FR"))
SWITCHES = (
    SwitchKind.LIFT_EFFECTS,
    SwitchKind.LIFT_EFFECTS,
    SwitchKind.CLEAR_STRIKES,
    SwitchKind.STOP_RATINGS,
)
PASSES = ({"seconds": 20}, {"seconds": 20}, {"minutes": 11}, {"hours": 7}, {"hours": 25}, {"days": 40})


def acts(world: World, dice: random.Random) -> list[tuple[int, Callable[[], object]]]:
    """What may happen next, and how often."""
    n, three = lambda: dice.randrange(8), lambda: dice.randrange(3)
    verdict = lambda: dice.choice(VERDICTS)  # noqa: E731
    return [
        (6, lambda: world.publish(dice.choice([0, 0, *range(len(TEXTS))]), three())),
        (3, lambda: world.edit(n(), dice.randrange(len(TEXTS)))),
        (1, lambda: world.delete(n())),
        (8, lambda: world.flag(n(), three(), dice.choice(REASONS))),
        (2, lambda: world.withdraw_flag(n())),
        (2, lambda: world.hold(n(), three())),
        (1, lambda: world.put_back(n(), three())),
        (8, lambda: world.rate(n(), three(), verdict(), dice.choice([None, 0, 1, 2]))),
        (4, lambda: world.rate_item(n(), three(), verdict())),
        (4, lambda: world.rate_claim(n(), three(), verdict())),
        (2, lambda: world.not_eligible(n(), three())),
        (3, lambda: world.revise(n(), verdict())),
        (3, lambda: world.withdraw(n())),
        (2, lambda: world.undo(n())),
        (3, lambda: world.match(n(), n(), three())),
        (2, lambda: world.reject(n(), three())),
        (2, lambda: world.escalate(n(), dice.choice([Ground.HATE, Ground.INCITES_VIOLENCE]))),
        (4, lambda: world.desk(n(), dice.choice(MEASURES), dice.choice(REGIONS))),
        (3, lambda: world.desk(n(), dice.choice(["confirm", "confirm", "refuse"]), specialist=1)),
        (
            2,
            lambda: world.switch_on(
                dice.choice(SWITCHES),
                dice.choice(["", "US", "FR"]),
                dice.choice([None, None, 0, 1]),
                dice.choice(["", "", "false"]),
            ),
        ),
        (2, lambda: world.switch_back(n())),
        (4, lambda: world.clock.advance(**dice.choice(PASSES))),
        (6, lambda: world.work(dice.randrange(1, 9), dice.randrange(9999))),
        (3, lambda: (changes.sequence(), notices.deliver(now=world.clock()))),
    ]


def finish(world: World, seed: int) -> None:
    """Work everything off, out of order; the sweep finds what ended by time."""
    for again in range(60):
        if not world.work(1000, seed + again) and not p.sweep(world.clock):
            changes.sequence()
            return
    raise AssertionError("The outbox does not come to an end.")


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(12 * DEPTH))
def test_long_histories_leave_what_their_decisions_say_and_reversed_ones_nothing(seed):
    dice, world, book = random.Random(seed), World(), oracle.StrikeBook()
    weights, choices = zip(*acts(world, dice), strict=True)
    for _ in range(ACTS):
        with transaction.atomic():
            dice.choices(choices, weights)[0]()
        book.look(now=world.clock())
        if dice.random() < 0.06:
            finish(world, dice.randrange(99))
            oracle.check_everything(book, now=world.clock())
    finish(world, seed)
    oracle.check_everything(book, now=world.clock())

    world.reverse_everything()
    book.look(now=world.clock())
    finish(world, seed)
    oracle.check_everything(book, now=world.clock())
    oracle.check_nothing_is_left(now=world.clock())
