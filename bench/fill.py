"""Many rows at once, written as the services would have left them."""

import psycopg

_POSTS = """
WITH actor AS (
    INSERT INTO moderation_actor (id, kind, external_id, name, country, added_at)
    SELECT uuidv7(), 'page', %(mark)s || g, 'Page ' || g, '', now() FROM generate_series(1, %(actors)s) g
    RETURNING id
), numbered AS (SELECT id, row_number() OVER () AS n, count(*) OVER () AS total FROM actor
), post AS (
    INSERT INTO moderation_post
        (id, external_id, actor_id, language, regions, topic, published_at, added_at, deleted_by)
    SELECT uuidv7(), %(mark)s || g, a.id, (ARRAY['en','fr','es'])[1 + g %% 3], '{}', '',
           now() - g * interval '1 second', now(), ''
    FROM generate_series(1, %(count)s) g JOIN numbered a ON a.n = 1 + g %% a.total
    RETURNING id, external_id
), version AS (
    INSERT INTO moderation_postversion (id, post_id, number, content_sha256, seen_at)
    SELECT uuidv7(), id, 1, md5(external_id), now() FROM post RETURNING id, post_id
), content AS (
    INSERT INTO moderation_postcontent (version_id, text, links, media)
    SELECT id, 'The bridge over the river will be closed next week, says a neighbour who heard it. ' || id, '[]', '[]'
    FROM version
)
INSERT INTO moderation_effectivestate (post_id, version, feed_bp, removed, computed_at)
SELECT id, 0, 10000, false, now() FROM post
"""

_CURRENT = """
UPDATE moderation_post p SET current_version_id = v.id FROM moderation_postversion v
WHERE v.post_id = p.id AND p.current_version_id IS NULL
"""

_ITEMS = """
INSERT INTO moderation_reviewitem
    (id, kind, post_id, displayed_version_id, status, outcome, language, countries, topic, opened_at, due_at,
     picked, touched, flaggers, reasons, signals, factors, rank, version, fence)
SELECT uuidv7(), 'review', p.id, p.current_version_id, 'open', '', p.language, '{}', '', now(), now() + interval '1 day',
       false, false, 1, '{"false_information": 1}', 0, '[]', random() * 10, 1, 0
FROM moderation_post p WHERE p.external_id LIKE %(mark)s || '%%'
"""


def posts(connection: psycopg.Connection, *, mark: str, count: int, actors: int | None = None) -> None:
    """`count` posts with external ids `mark`1 … `mark`count, of one actor for each 50 or of so many."""
    with connection.transaction():
        connection.execute(_POSTS, {"mark": mark, "count": count, "actors": actors or max(count // 50, 1)})
        connection.execute(_CURRENT)
    connection.execute("ANALYZE")


def open_items(connection: psycopg.Connection, *, mark: str) -> None:
    """An open item for each of the posts of `mark`."""
    connection.execute(_ITEMS, {"mark": mark})
    connection.execute("VACUUM ANALYZE moderation_reviewitem")
