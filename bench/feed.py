"""The reference client behind the change feed: its lag while many changes are committed, and how fast it reads.

The bound of reading is a bare SELECT of the same rows, JSON parsed, through the same driver as the server's.
"""

import json
import threading
import time
from collections.abc import Sequence

import psycopg
from veracity_client import Changed, Replica
from veracity_client.copies import Held

from bench import fill, measure
from bench.measure import Figures
from bench.stage import Stage

POSTS = 20_000
RATES = (200, 2_000)  # changes per second
AT_ONCE = 20  # changes in one transaction
SECONDS = 10.0
AIM = 1.0  # seconds of lag at the 99th percentile
BATCH = 1_000

# What recompute writes for posts whose effect changes, without computing it.
_CHANGE = """
WITH stored AS (
    UPDATE moderation_effectivestate SET version = version + 1, document = %(document)s, computed_at = %(now)s
    WHERE post_id = ANY(%(posts)s) RETURNING post_id, version, document
)
INSERT INTO moderation_feedpending (post_id, version, document, at)
SELECT post_id, version, document, %(now)s FROM stored ORDER BY post_id RETURNING post_id, version
"""


def run(stage: Stage) -> None:
    from django.utils import timezone

    from factcheck.rehearsal import cast

    key = cast.make(partner_count=1, reviewer_count=0, now=timezone.now()).platform
    with stage.database() as database:
        fill.posts(database, mark="followed-", count=POSTS)
        ids = [
            row[0]
            for row in database.execute("SELECT id FROM moderation_post WHERE external_id LIKE 'followed-%'")
        ]
    follower = _Follower(stage, key)
    try:
        for rate in RATES:
            _lag(stage, follower, ids, rate)
    finally:
        follower.replica.stop(30)
    _catch_up(stage, key)


class _Follower:
    """A replica, and when each change was in it."""

    def __init__(self, stage: Stage, key: str) -> None:
        self.seen: dict[tuple[str, int], float] = {}
        self.replica = Replica(stage.address, key, on_change=self._note).start()
        if not self.replica.wait_until_ready(60):
            raise RuntimeError(self.replica.status().error)

    def _note(self, changed: Sequence[Changed]) -> None:
        now = time.perf_counter()
        for one in changed:
            self.seen[one.post, one.version] = now


def _lag(stage: Stage, follower: _Follower, ids: Sequence[object], rate: int) -> None:
    """From commit to the copy, at a rate that is held as well as the machine can."""
    committed: dict[tuple[str, int], float] = {}
    threads = [
        threading.Thread(target=_write, args=(stage, ids[n::2], rate / 2, committed), daemon=True)
        for n in range(2)
    ]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - began
    deadline = time.perf_counter() + 60
    while committed.keys() - follower.seen.keys() and time.perf_counter() < deadline:
        time.sleep(0.05)
    missing = len(committed.keys() - follower.seen.keys())
    lags = [max(0.0, follower.seen[name] - at) for name, at in committed.items() if name in follower.seen]
    figures = measure.of(lags, elapsed=elapsed, errors=missing)
    measure.emit(
        f"feed_lag asked={rate}/s",
        AIM * 1000 / figures.p99,
        ours=figures,
        bound=f"p99 {AIM * 1000:.0f} ms",
        note=f"commit to copy, {len(committed)} changes; versions missing: {missing}; {follower.replica.status().error}",
    )


def _write(stage: Stage, ids: Sequence[object], rate: float, committed: dict[tuple[str, int], float]) -> None:
    from django.utils import timezone

    with stage.database() as database:
        began, done = time.perf_counter(), 0
        while (passed := time.perf_counter() - began) < SECONDS:
            if done > passed * rate:
                time.sleep((done - passed * rate) / rate)
                continue
            start = done % (len(ids) - AT_ONCE)
            values = {
                "posts": ids[start : start + AT_ONCE],
                "document": _document(done),
                "now": timezone.now(),
            }
            rows = database.execute(_CHANGE, values).fetchall()
            now = time.perf_counter()
            committed.update(((str(post), version), now) for post, version in rows)
            done += AT_ONCE


def _catch_up(stage: Stage, key: str) -> None:
    """How fast a reader that was away reads what it missed; the median of rounds by turns."""
    with stage.database() as database:
        rounds = [(_timed_client(stage, key), _timed_select(database)) for _ in range(measure.ROUNDS)]
    rounds.sort(key=lambda pair: pair[0].per_second / pair[1].per_second)
    ours, bound = rounds[len(rounds) // 2]
    note = f"changes per second; times are those of pages of {BATCH}"
    measure.emit(
        "feed_catch_up_vs_select", ours.per_second / bound.per_second, ours=ours, bound=bound, note=note
    )


def _timed_client(stage: Stage, key: str) -> Figures:
    replica = Replica(stage.address, key)
    api, follower = replica._api, replica._follower
    replica._replace(Held())
    follower.progress.cursor = "0"
    pages, began = [], time.perf_counter()
    while True:
        asked = time.perf_counter()
        follower._follow(follower.progress.cursor)
        pages.append(time.perf_counter() - asked)
        if follower._caught_up:
            break
    elapsed = time.perf_counter() - began
    api.close()
    return _per_change(pages, follower.progress.applied, elapsed)


def _timed_select(database: psycopg.Connection) -> Figures:
    position, count, pages, began = 0, 0, [], time.perf_counter()
    while True:
        asked = time.perf_counter()
        rows = database.execute(
            "SELECT position, post_id, version, document::text, at FROM moderation_changefeed "
            "WHERE position > %s ORDER BY position LIMIT %s",
            [position, BATCH],
        ).fetchall()
        for row in rows:
            json.loads(row[3] or "null")
        pages.append(time.perf_counter() - asked)
        if not rows:
            break
        position, count = rows[-1][0], count + len(rows)
    return _per_change(pages, count, time.perf_counter() - began)


def _per_change(pages: Sequence[float], count: int, elapsed: float) -> Figures:
    """Latencies of pages, rate of changes."""
    figures = measure.of(pages, elapsed=elapsed)
    return Figures(count / elapsed, figures.p50, figures.p95, figures.p99, 0)


def _document(n: int) -> str:
    """An effect as recompute stores it."""
    surfaces = ("feed", "explore", "recommendations", "search", "share", "ads")
    effect = {
        "multipliers": dict.fromkeys(surfaces, 0.2), "label": "warning", "interstitial": True,
        "warn_before_share": True, "ads": False, "recommendations": False, "monetisation": True,
        "removed": False, "contested": False, "made_on_earlier_version": False, "provisional": False,
        "articles": [{
            "verdict": "false", "publisher": "Clarim", "headline": "No, it was not so",
            "url": "https://clarim.example/checks/1", "language": "en",
        }],
        "actor_level": "none", "ground": None, "hidden_until": None, "regional": False, "regions": {},
        "rating_bp": dict.fromkeys(surfaces, 2000), "actor_bp": 10_000, "policy_version": 1,
        "because": [f"decision-{n}"],
    }  # fmt: skip
    return json.dumps(effect)
