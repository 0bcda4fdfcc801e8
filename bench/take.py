"""`queue/take` over HTTP with many open items, beside the least a database must do to hand one out."""

from collections.abc import Callable

from bench import fill, measure
from bench.stage import Stage

OPEN = (10_000, 100_000)
REVIEWERS = (1, 8, 32)
SECONDS = 6.0
BARE_SPARE = 600_000  # the bound hands out faster than the product: it must not run dry

_BARE_TABLE = "CREATE TABLE bare_item (id bigserial PRIMARY KEY, rank float8, holder int)"
_BARE_FILL = "INSERT INTO bare_item (rank) SELECT random() FROM generate_series(1, %s)"
_BARE_INDEX = "CREATE INDEX bare_item_free ON bare_item (rank DESC, id) WHERE holder IS NULL"
_BARE_TAKE = """
UPDATE bare_item SET holder = 1 WHERE id = (
    SELECT id FROM bare_item WHERE holder IS NULL ORDER BY rank DESC, id LIMIT 1 FOR UPDATE SKIP LOCKED
) RETURNING id
"""


def run(stage: Stage) -> None:
    from django.utils import timezone

    from factcheck.rehearsal import cast

    made = cast.make(
        partner_count=1, reviewer_count=max(REVIEWERS), languages=("en", "fr", "es"), now=timezone.now()
    )
    keys = [reviewer.key for reviewer in made.reviewers]
    for count in OPEN:
        mark = f"open-{count}-"
        with stage.database() as database:
            database.execute("UPDATE moderation_reviewitem SET status = 'closed', outcome = 'rated', closed_at = now(), "
                             "holder_id = NULL, held_for = NULL, held_since = NULL, held_until = NULL "
                             "WHERE status = 'open'")  # fmt: skip
            fill.posts(database, mark=mark, count=count)
            fill.open_items(database, mark=mark)
            database.execute("DROP TABLE IF EXISTS bare_item")
            database.execute(_BARE_TABLE)
            database.execute(_BARE_FILL, [count + BARE_SPARE])
            database.execute(_BARE_INDEX)
            database.execute("VACUUM ANALYZE bare_item")
        for reviewers in REVIEWERS:
            taken: list[str] = []
            measure.compare(
                f"take_vs_bare_skip_locked open={count} reviewers={reviewers}",
                [_take(stage, key, taken) for key in keys[:reviewers]],
                [_bare(stage) for _ in range(reviewers)],
                seconds=SECONDS,
                note=lambda taken=taken: f"handed out twice: {len(taken) - len(set(taken))}",
            )


def _take(stage: Stage, key: str, taken: list[str]) -> Callable[[], bool]:
    """Each taken item stays held, so the next take must find another: nothing may be handed out twice."""
    client = stage.client(key)

    def call() -> bool:
        status, answer = client.call("POST", "/queue/take", {})
        if status != 200 or not answer["item"]:
            return False
        taken.append(answer["item"]["id"])
        return True

    return call


def _bare(stage: Stage) -> Callable[[], bool]:
    database = stage.database()
    return lambda: database.execute(_BARE_TAKE).rowcount == 1
