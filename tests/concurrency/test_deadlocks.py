"""Everybody does everything at once for some seconds: nobody is told of a deadlock, and all of it adds up."""

import random
import time
from collections.abc import Callable

import pytest

from moderation.enums import FlagReason, Ground
from moderation.models import Outbox
from moderation.services import audit, changes, enforcement, notices
from tests.concurrency.at_once import at_once
from tests.depth import DEPTH
from tests.factcheck import oracle
from tests.factcheck.world import World
from tests.factories import platform as p

SECONDS = 4.0 * DEPTH
PEOPLE, WORKERS = 6, 2
VERDICTS = ("false", "false", "altered", "partly_false", "true")


def acts(world: World, chance: random.Random) -> list[Callable[[], object]]:
    """What somebody may do next, each act as often as it stands here."""
    n = chance.randrange
    return [
        *[lambda: world.publish(n(4), n(3))] * 2,
        lambda: world.edit(n(12), n(4)),
        lambda: world.delete(n(40)),
        *[lambda: world.flag(n(12), n(3), chance.choice(list(FlagReason)))] * 3,
        lambda: world.withdraw_flag(n(12)),
        lambda: world.hold(n(12), n(3)),
        *[lambda: world.rate(n(12), n(3), chance.choice(VERDICTS), chance.choice([None, 0, 1, 2]))] * 3,
        *[lambda: world.rate_item(n(12), n(3), chance.choice(VERDICTS))] * 2,
        *[lambda: world.rate_claim(n(6), n(3), chance.choice(VERDICTS))] * 2,
        lambda: world.not_eligible(n(12), n(3)),
        lambda: world.revise(n(12), chance.choice(VERDICTS)),
        lambda: world.withdraw(n(12)),
        lambda: world.undo(n(12)),
        *[lambda: world.match(n(12), n(6), n(3))] * 2,
        lambda: world.reject(n(12), n(3)),
        lambda: world.escalate(n(12), chance.choice([Ground.HATE, Ground.INCITES_VIOLENCE])),
        lambda: world.desk(n(6), chance.choice(["hide", "keep", "propose", "restore", "restrict"])),
        lambda: world.desk(n(6), chance.choice(["confirm", "refuse"]), specialist=1),
    ]


@pytest.mark.django_db(transaction=True)
def test_people_and_workers_who_meet_everywhere_never_lock_each_other_out():
    world = World()
    for text in range(4):
        world.publish(text, text % 3)
    p.settle(world.clock)
    until = time.monotonic() + SECONDS

    def somebody(seed: int) -> int:
        chance, did = random.Random(seed), 0
        while time.monotonic() < until:
            did += chance.choice(acts(world, chance))() is not None
        return did

    def worker(seed: int) -> int:
        order, did = random.Random(seed), 0
        while time.monotonic() < until:
            did += enforcement.drain(order.choice(p.QUEUES), limit=5, now=world.clock)
            changes.sequence()
            notices.deliver(now=world.clock())
            audit.seal()
        return did

    did = at_once(
        [lambda n=n: somebody(n) for n in range(PEOPLE)] + [lambda n=n: worker(n) for n in range(WORKERS)]
    )

    assert all(count > 0 for count in did)
    assert list(Outbox.objects.exclude(error="").values_list("kind", "error")) == []
    p.settle(world.clock)
    oracle.check_states(now=world.clock())
    oracle.check_feed()
    oracle.check_queue()
    audit.seal()
    assert audit.verify() == []
