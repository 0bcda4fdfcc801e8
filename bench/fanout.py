"""One decision over many posts: from the rating sent until all of them are stored, fed, told and cached, beside
a bare UPDATE … FROM of the same rows with the same indexes.

Sizes: 10 000 and 100 000 posts, or those of `POSTS=1000000 make bench ONLY=fanout`.
"""

import os
import statistics
import time
import uuid
from collections.abc import Callable

import psycopg

from bench import effects, fill, measure
from bench.stage import Client, Stage

SIZES = tuple(int(n) for n in os.environ.get("POSTS", "10000,100000").split(","))
ROUNDS = 3
DEADLINE = 1200.0

_COPY = """
CREATE TABLE bare_state (LIKE moderation_effectivestate INCLUDING ALL);
INSERT INTO bare_state SELECT s.* FROM moderation_effectivestate s JOIN moderation_post p ON p.id = s.post_id
WHERE p.external_id LIKE '{mark}%'
"""

_BARE = """
UPDATE bare_state b
SET version = b.version + 1, document = s.document, feed_bp = s.feed_bp, removed = s.removed,
    valid_until = s.valid_until, computed_at = s.computed_at
FROM moderation_effectivestate s WHERE s.post_id = b.post_id
"""

_OTHERS_JOIN = """
INSERT INTO moderation_clustermember (id, cluster_id, post_version_id, post_id, joined_at)
SELECT uuidv7(), m.cluster_id, p.current_version_id, p.id, now()
FROM moderation_clustermember m, moderation_post p, moderation_post first
WHERE first.external_id = %(mark)s || '1' AND m.post_id = first.id
  AND p.external_id LIKE %(mark)s || '%%' AND p.id <> first.id
"""

_RUNNING = """
SELECT EXISTS (SELECT FROM moderation_fanout WHERE finished_at IS NULL)
    OR EXISTS (SELECT FROM moderation_outbox WHERE queue = 'effects')
"""


def run(stage: Stage) -> None:
    from django.utils import timezone

    from factcheck.rehearsal import cast

    made = cast.make(partner_count=1, reviewer_count=1, languages=("en", "fr", "es"), now=timezone.now())
    reviewer, domain = stage.client(made.reviewers[0].key), made.reviewers[0].domain
    for count in SIZES:
        for figure, prepared in (("fanout", _claim), ("actor_fanout", _actor)):
            name = f"{figure}_vs_bare_update posts={count}"
            _by_turns(stage, name, count, lambda count=count, prepared=prepared: prepared(
                stage, reviewer, domain, count))  # fmt: skip
    start = _claim(stage, reviewer, domain, max(SIZES))
    _beside(stage, reviewer, stage.client(made.platform), domain, start)


def _by_turns(stage: Stage, name: str, count: int, prepare: Callable[[], Callable[[], None]]) -> None:
    """Ours and the bare statement, ROUNDS times over fresh posts; printed is the round with the median ratio."""
    rounds = []
    with stage.database() as database:
        for _ in range(ROUNDS):
            start = prepare()
            began = time.perf_counter()
            start()
            _wait(database)
            ours = time.perf_counter() - began
            began = time.perf_counter()
            changed = database.execute(_BARE).rowcount
            rounds.append((ours, time.perf_counter() - began))
            if changed != count:
                raise RuntimeError(f"{changed} of {count} posts were updated beside.")
    rounds.sort(key=lambda pair: pair[0] / pair[1])
    ratios = [a / b for a, b in rounds]
    ours, bare = rounds[ROUNDS // 2]
    measure.emit(
        name,
        ours / bare,
        ours=f"{ours:.2f} s, {ours / count * 1e6:.0f} µs a post",
        bound=f"{bare:.2f} s, {bare / count * 1e6:.0f} µs a post",
        note=f"of {ROUNDS} rounds {ratios[0]:.2f} to {ratios[-1]:.2f}",
    )


def _claim(stage: Stage, reviewer: Client, domain: str, count: int) -> Callable[[], None]:
    """A rated claim whose rating has reached one post of `count`; the answer revises it for all of them."""
    mark = f"claim-{uuid.uuid4().hex[:8]}-"
    with stage.database() as database:
        fill.posts(database, mark=mark, count=count)
        article = f"https://{domain}/{mark}"
        rating = effects.rate(reviewer, f"ext:{mark}1", article)
        _wait(database)
        database.execute(_OTHERS_JOIN, {"mark": mark})
        _copy(database, mark)

    def revise() -> None:
        draft = effects.draft(f"ext:{mark}1", article) | {"verdict": "altered"}
        del draft["claim"]
        status, answer = reviewer.call("POST", f"/ratings/{rating['id']}/revise", draft)
        if status not in (200, 201):
            raise RuntimeError(f"The rating was not revised: {status} {answer}")

    return revise


def _actor(stage: Stage, reviewer: Client, domain: str, count: int) -> Callable[[], None]:
    """An actor of `count` posts one strike before the first level; the answer strikes it again."""
    mark = f"actor-{uuid.uuid4().hex[:8]}-"
    with stage.database() as database:
        fill.posts(database, mark=mark, count=count, actors=1)
        effects.rate(reviewer, f"ext:{mark}1", f"https://{domain}/{mark}1")
        _wait(database)
        _copy(database, mark)
    return lambda: effects.rate(reviewer, f"ext:{mark}2", f"https://{domain}/{mark}2") and None


def _beside(stage: Stage, reviewer: Client, platform: Client, domain: str, start: Callable[[], None]) -> None:
    """Single ratings while a fan-out runs: the second one begins when the first is served, until it is over."""
    mark = f"beside-{uuid.uuid4().hex[:8]}-"
    with stage.database() as database:
        fill.posts(database, mark=mark, count=500)
        start()
        began, latencies, errors = time.perf_counter(), [], 0
        for n in range(1, 501):
            seconds = effects.rate_and_wait(reviewer, platform, f"ext:{mark}{n}", f"https://{domain}/{n}")
            if seconds is None:
                errors += 1
            else:
                latencies.append(seconds)
            if not database.execute("SELECT FROM moderation_fanout WHERE finished_at IS NULL").rowcount:
                break
    ours = measure.of(latencies, elapsed=time.perf_counter() - began, errors=errors)
    measure.emit(
        f"rating_to_effect_beside_fanout p95 posts={max(SIZES)}",
        ours.p95 / 1000,
        ours=ours,
        bound="1 s",
        note=f"{len(latencies)} ratings; median {statistics.median(latencies) * 1000:.0f} ms",
    )


def _copy(database: psycopg.Connection, mark: str) -> None:
    database.execute("DROP TABLE IF EXISTS bare_state")
    database.execute(_COPY.format(mark=mark))
    database.execute("VACUUM ANALYZE")


def _wait(database: psycopg.Connection) -> None:
    """Until no fan-out runs and nothing is owed to the effects."""
    deadline = time.perf_counter() + DEADLINE
    while (row := database.execute(_RUNNING).fetchone()) and row[0]:
        if time.perf_counter() > deadline:
            raise TimeoutError("The fan-out did not end.")
        time.sleep(0.02)
