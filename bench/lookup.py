"""`distribution/lookup` of 500 posts over HTTP, beside a bare MGET of 500 through the same client library."""

import itertools
import json
import random
from collections.abc import Callable

from bench import fill, measure
from bench.stage import Stage

KNOWN = 20_000
AT_ONCE = 500
SAMPLES = 40
SECONDS = 6.0


def run(stage: Stage) -> None:
    from django.utils import timezone

    from factcheck.rehearsal import cast
    from moderation.services import effects

    with stage.database() as database:
        fill.posts(database, mark="looked-", count=KNOWN)
        ids = [
            row[0]
            for row in database.execute("SELECT id FROM moderation_post WHERE external_id LIKE 'looked-%'")
        ]
    for start in range(0, len(ids), 5000):
        effects.publish(ids[start : start + 5000])
    bare = stage.redis()
    bare.mset({f"bare:{i}": '1|{"feed":0.2,"label":"warning","articles":[]}' for i in ids})
    key = cast.make(partner_count=1, reviewer_count=0, now=timezone.now()).platform
    for clients in (1, 4):
        measure.compare(
            f"lookup_vs_mget posts={AT_ONCE} clients={clients}",
            [_lookup(stage, key, ids) for _ in range(clients)],
            [_mget(stage, ids) for _ in range(clients)],
            seconds=SECONDS,
        )


def _lookup(stage: Stage, key: str, ids: list[object]) -> Callable[[], bool]:
    """What the caller does with 500 answers is the caller's: they are counted, not read."""
    client = stage.client(key)
    bodies = itertools.cycle([json.dumps({"posts": [str(i) for i in some]}) for some in _samples(ids)])

    def call() -> bool:
        status, answer = client.send("POST", "/distribution/lookup", next(bodies))
        return status == 200 and answer.count(b'"state":') == AT_ONCE

    return call


def _mget(stage: Stage, ids: list[object]) -> Callable[[], bool]:
    client = stage.redis()
    keys = itertools.cycle([[f"bare:{i}" for i in some] for some in _samples(ids)])
    return lambda: len(client.mget(next(keys))) == AT_ONCE


def _samples(ids: list[object]) -> list[list[object]]:
    return [random.sample(ids, AT_ONCE) for _ in range(SAMPLES)]
