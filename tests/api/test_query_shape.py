"""How often the busiest endpoints go to the database. Savepoints are not counted: they look at nothing."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test.utils import CaptureQueriesContext

from moderation.enums import Scope
from moderation.selectors import policies
from tests.api.clients import Api, key
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db


def asked(act: Callable[[], HttpResponse], *, status: int) -> list[str]:
    """The first words of what a request sends on each trip."""
    with CaptureQueriesContext(connection) as seen:
        assert act().status_code == status
    statements = (" ".join(query["sql"].split()) for query in seen.captured_queries)
    return [sql[:90] for sql in statements if not sql.startswith(("SAVEPOINT", "RELEASE"))]


@pytest.fixture
def flagging(platform, clock):
    """Flags one post for a member, under an idempotency key."""
    post = p.post(clock=clock)
    platform.get("/flags?flagger=nobody")  # the key's last use is noted once a minute,
    policies.at(clock())  # and a policy's rules are read once per process

    def flag(member: str, times: str = "") -> HttpResponse:
        body = {"post": f"ext:{post.external_id}", "reason": "false_information", "flagger": member}
        return platform.post("/flags", body, Idempotency_Key=f"{member}{times}")

    return flag


def test_the_first_flag_on_a_post_takes_ten_trips(flagging):
    # key, repeat, situation, reporter, flag, item (insert, read, audit), work owed and audit, answer kept
    assert len(asked(lambda: flagging("ada"), status=201)) == 10


def test_a_flag_by_another_member_takes_seven_trips(flagging):
    flagging("ada")

    assert len(asked(lambda: flagging("bea"), status=201)) == 7


def test_another_flag_by_a_member_who_flagged_before_takes_six(flagging, platform, clock):
    flagging("ada")
    other = {"post": str(p.post(clock=clock).pk), "reason": "scam", "flagger": "ada"}
    platform.post("/flags", {**other, "flagger": "bea"})

    assert len(asked(lambda: platform.post("/flags", other, Idempotency_Key="again"), status=201)) == 6


def test_a_repeated_flag_takes_four_trips(flagging):
    flagging("ada")

    assert len(asked(lambda: flagging("ada", "again"), status=200)) == 4


def test_the_same_request_sent_again_takes_three_trips(flagging):
    flagging("ada")

    assert len(asked(lambda: flagging("ada"), status=201)) == 3  # key, repeat, its answer


def test_a_lookup_of_known_posts_asks_only_for_the_key(platform, clock):
    refs = [str(p.post(f"Post {n}.", clock=clock).pk) for n in range(20)]
    platform.post("/distribution/lookup", {"posts": refs})

    assert len(asked(lambda: platform.post("/distribution/lookup", {"posts": refs}), status=200)) == 1


def test_taking_the_next_item_takes_as_many_trips_from_a_long_queue_as_from_a_short_one(clock):
    secret = key(Scope.QUEUE_WORK, clock=clock, of=f.reviewer(f.partner(clock=clock), clock=clock))
    api = Api(key=secret)
    counted = []
    for number in (2, 40):
        for n in range(number):
            p.flag(p.post(f"Post {n} of {number}.", clock=clock), clock=clock)
        api.get("/queue/summary")
        counted.append(
            len(asked(lambda n=number: api.post("/queue/take", {}, Idempotency_Key=f"k{n}"), status=200))
        )

    assert counted == [counted[0]] * 2
    assert counted[0] == 16  # two of them for the switches that stop ratings: their lock, and which are on
