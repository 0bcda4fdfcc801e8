"""Flag intake over HTTP, beside inserting one flag (two indexes, on conflict) on a bare connection."""

import itertools
from collections.abc import Callable

from bench import fill, measure
from bench.stage import Stage

CLIENTS = (1, 8)
SECONDS = 6.0
POSTS = 2000

_BARE_TABLE = """
CREATE TABLE IF NOT EXISTS bare_flag (
    id uuid PRIMARY KEY DEFAULT uuidv7(), post bigint, reporter bigint, reason text, note text, at timestamptz,
    UNIQUE (post, reporter))
"""
_BARE_INSERT = (
    "INSERT INTO bare_flag (post, reporter, reason, note, at) VALUES (%s, %s, 'false', '', now()) "
    "ON CONFLICT DO NOTHING"
)


def run(stage: Stage) -> None:
    from django.utils import timezone

    from factcheck.rehearsal import cast

    with stage.database() as database:
        fill.posts(database, mark="flagged-", count=POSTS)
        database.execute(_BARE_TABLE)
    key = cast.make(partner_count=1, reviewer_count=0, now=timezone.now()).platform
    numbers = itertools.count()
    for clients in CLIENTS:
        measure.compare(
            f"flag_intake_vs_bare_insert clients={clients}",
            [_flag(stage, key, numbers) for _ in range(clients)],
            [_insert(stage, numbers) for _ in range(clients)],
            seconds=SECONDS,
        )


def _flag(stage: Stage, key: str, numbers: "itertools.count[int]") -> Callable[[], bool]:
    client = stage.client(key)

    def call() -> bool:
        n = next(numbers)
        body = {
            "post": f"ext:flagged-{1 + n % POSTS}",
            "reason": "false_information",
            "flagger": f"member-{n}",
        }
        return client.call("POST", "/flags", body)[0] == 201

    return call


def _insert(stage: Stage, numbers: "itertools.count[int]") -> Callable[[], bool]:
    database = stage.database()

    def call() -> bool:
        n = next(numbers)
        return database.execute(_BARE_INSERT, [n % POSTS, n]).rowcount == 1

    return call
