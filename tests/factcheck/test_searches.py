"""Searches by words: what they find, in any script, and that they ask an index and not every row."""

from datetime import UTC, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from factcheck.selectors import claims as find_claims
from moderation.selectors import people as find_people
from moderation.selectors import posts as find_posts
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db

ROWS = 20_000
INDEXES = ("actor_by_words", "post_by_words", "post_by_link", "person_by_name", "person_by_address",
           "claim_by_words", "rating_by_words")  # fmt: skip
WORDS = "md5(n::text) || ' ' || md5((n * 7)::text) || ' وحتى هنا слово ' || n"
FILL = f"""
INSERT INTO moderation_actor (id, kind, external_id, name, country, added_at)
SELECT gen_random_uuid(), 'page', 'many-' || n, 'Page ' || md5(n::text), '', %(at)s FROM generate_series(1, {ROWS}) n;

INSERT INTO moderation_post (id, external_id, actor_id, language, regions, topic, published_at, added_at, deleted_by)
SELECT gen_random_uuid(), a.external_id, a.id, 'en', '{{}}', '', %(at)s, %(at)s, ''
FROM moderation_actor a WHERE a.external_id LIKE 'many-%%';

INSERT INTO moderation_postversion (id, post_id, number, content_sha256, seen_at)
SELECT gen_random_uuid(), id, 1, '', %(at)s FROM moderation_post WHERE external_id LIKE 'many-%%';

UPDATE moderation_post p SET current_version_id = v.id FROM moderation_postversion v
WHERE v.post_id = p.id AND p.external_id LIKE 'many-%%';

INSERT INTO moderation_effectivestate (post_id, version, feed_bp, removed, computed_at)
SELECT id, 0, 10000, false, %(at)s FROM moderation_post WHERE external_id LIKE 'many-%%';

INSERT INTO moderation_postcontent (version_id, text, links, media)
SELECT id, {WORDS}, jsonb_build_array('https://many.example/' || n), '[]'
FROM (SELECT id, row_number() OVER () AS n FROM moderation_postversion) v
WHERE NOT EXISTS (SELECT 1 FROM moderation_postcontent c WHERE c.version_id = v.id);

INSERT INTO moderation_cluster (id, added_at)
SELECT gen_random_uuid(), %(at)s FROM generate_series(1, {ROWS});

INSERT INTO factcheck_claim (id, cluster_id, text, language, added_for_id, added_at)
SELECT gen_random_uuid(), id, {WORDS}, 'en', %(partner)s, %(at)s
FROM (SELECT id, row_number() OVER () AS n FROM moderation_cluster c
      WHERE NOT EXISTS (SELECT 1 FROM factcheck_claim k WHERE k.cluster_id = c.id)) c;

INSERT INTO factcheck_rating (id, claim_id, partner_id, post_version_id, verdict, headline, explanation, evidence,
                              countries, language, rated_by_id, at)
SELECT gen_random_uuid(), id, %(partner)s, %(version)s, 'true', 'On ' || md5(id::text), '', '[]', '{{}}', 'en',
       %(person)s, %(at)s
FROM factcheck_claim c WHERE NOT EXISTS (SELECT 1 FROM factcheck_rating r WHERE r.claim_id = c.id);

INSERT INTO moderation_user (id, email, display_name, password, is_superuser, language, time_zone, viewer_preference,
                             shortcuts_on, media_shown, region, access_epoch, is_active, is_staff, date_joined)
SELECT gen_random_uuid(), md5(n::text) || '@many.example', 'Many ' || md5((n * 3)::text), '', false, 'en', 'UTC',
       'default', true, 'blurred', '', 1, true, false, %(at)s FROM generate_series(1, {ROWS}) n;
"""


@pytest.fixture
def many(clock):
    """A well that was rated, among thousands of other posts, claims, ratings and people."""
    partner = f.partner(clock=clock)
    rita = f.reviewer(partner, clock=clock)
    post = p.post("The well in Bridge Street is POISONED, они сказали так.", clock=clock,
                  links=["https://wells.example/1"])  # fmt: skip
    f.rate(post, by=rita, clock=clock, claim="The well in Bridge Street is poisoned")
    values = {"at": datetime(2026, 11, 1, tzinfo=UTC), "partner": partner.pk, "version": post.current_version_id,
              "person": rita.person_id}  # fmt: skip
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for statement in FILL.split(";\n"):
            if statement.strip():
                cursor.execute(statement, values)
        for index in INDEXES:  # as autovacuum does
            cursor.execute("SELECT gin_clean_pending_list(%s::regclass)", [index])
        for table in ("actor", "post", "postversion", "postcontent", "user"):
            cursor.execute(f"ANALYZE moderation_{table}")
        cursor.execute("ANALYZE factcheck_claim, factcheck_rating")
    return post


def plans(act) -> str:
    """What PostgreSQL plans for the queries of `act`."""
    with CaptureQueriesContext(connection) as asked:
        act()
    said = []
    with connection.cursor() as cursor:
        for query in asked.captured_queries:
            if query["sql"].startswith("SELECT"):
                cursor.execute("EXPLAIN " + query["sql"].replace("%", "%%"), ())
                said += [row[0] for row in cursor.fetchall()]
    return "\n".join(said)


def test_a_search_among_many_asks_its_index(many):
    text = "They say that the well in Bridge Street is poisoned since Monday"
    searches = {
        "claim_by_words": lambda: find_claims.alike(text, language="en"),
        "post_by_words": lambda: find_posts.search("poisoned сказали", languages=["en"], limit=20),
        "actor_by_words": lambda: find_posts.search(
            "c4ca4238a0b923820dcc509a6f75849b", languages=["en"], limit=20
        ),
        "post_by_link": lambda: find_posts.search("https://wells.example/1", languages=["en"], limit=20),
        "rating_by_words": lambda: list(find_claims.search("poisoned")[:20]),
        "person_by_name": lambda: list(find_people.search("c4ca4238")[:20]),
    }
    for index, act in searches.items():
        plan = plans(act)
        assert index in plan, plan
        for table in ("moderation_postcontent", "moderation_actor", "factcheck_claim", "moderation_user"):
            assert f"Seq Scan on {table}" not in plan, plan


def test_the_well_is_found_among_many(many):
    (alike,) = find_claims.alike("They say the well in Bridge Street is poisoned", language="en")
    assert alike.claim.text == "The well in Bridge Street is poisoned"
    for query in ("WELL poisoned", "сказали", "Сказали Page", "page-1 poisoned", many.external_id, str(many.pk),
                  f"ext:{many.external_id}", "https://wells.example/1"):  # fmt: skip
        expected = query != "page-1 poisoned"  # the page is called Page 1
        found = find_posts.search(query, languages=["en"], limit=5)
        assert (many in found) is expected, query
    assert find_posts.search("poisoned", languages=["fr"], limit=5) == []
    assert find_posts.search(str(many.pk), languages=["fr"], limit=5) == [many]
    assert [c.text for c in find_claims.search("bridge of zebras")] == []
    assert [c.text for c in find_claims.search("bridge no")] == ["The well in Bridge Street is poisoned"]


@pytest.mark.parametrize("query", ["%", "_", "a%b", "\\", "'", '"', "50 %", "a" * 300, "🙂", "и"])
def test_what_was_typed_is_looked_for_as_it_is(clock, query):
    rita = f.reviewer(f.partner(clock=clock), clock=clock)
    other = p.post("Nothing to see here", clock=clock)
    post = p.post(f"It says {query} and no more", clock=clock)
    f.rate(post, by=rita, clock=clock, claim=f"It says {query}")

    found = find_posts.search(query, languages=["en"], limit=5)

    assert post in found
    assert other not in found
    assert [c.text for c in find_claims.search(query)] == [f"It says {query}"]
