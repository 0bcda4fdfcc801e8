"""Lists are read to the end exactly once, whatever is added or closed meanwhile (API-01)."""

from datetime import timedelta

import pytest

from moderation.caller import SYSTEM
from moderation.enums import ItemOutcome, Scope
from moderation.models import ReviewItem
from moderation.services import queue
from tests.api.clients import Api, as_person, key
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db
ITEMS = 120


@pytest.fixture
def rita(clock):
    return as_person(f.reviewer(f.partner(clock=clock), clock=clock))


def items(clock, number):
    """Items with one identical time, rank and due time."""
    posts = [p.post(f"Story {n}.", clock=clock, actor=f"page-{n % 7}") for n in range(number)]
    for post in posts:
        queue.open_for_version(post.current_version, now=clock(), caller=SYSTEM)
    return {str(i) for i in ReviewItem.objects.order_by("id").values_list("pk", flat=True)}


def read_all(api, path, between=lambda n: None, limit=17):
    """Every row, page by page; `between` happens after each page."""
    seen, cursor, n = [], "", 0
    while cursor is not None:
        sign = "&" if "?" in path else "?"
        page = api.get(f"{path}{sign}limit={limit}" + (f"&cursor={cursor}" if cursor else "")).json()
        seen += [row["id"] for row in page["results"]]
        cursor = page["next"]
        between(n)
        n += 1
    return seen


@pytest.mark.parametrize("order", ["priority", "due", "opened"])
def test_items_present_throughout_are_read_once_while_others_come_and_go(rita, clock, order):
    there = items(clock, ITEMS)
    gone = set()

    def meanwhile(n):
        post = p.post(f"New {n}.", clock=clock, actor="page-new")
        queue.open_for_version(post.current_version, now=clock(), caller=SYSTEM)
        victim = ReviewItem.objects.filter(status="open", pk__in=there - gone).order_by("id")[n]
        queue.close(victim, outcome=ItemOutcome.DESK_CLOSED, caller=SYSTEM, now=clock())
        gone.add(str(victim.pk))

    seen = read_all(rita, f"/queue?order={order}", between=meanwhile)

    assert len(seen) == len(set(seen))
    assert there - gone <= set(seen)


def test_a_list_is_read_backwards_as_it_was_read_forwards(rita, clock):
    items(clock, 10)
    first = rita.get("/queue?limit=4").json()
    second = rita.get(f"/queue?limit=4&cursor={first['next']}").json()
    third = rita.get(f"/queue?limit=4&cursor={second['next']}").json()

    back = rita.get(f"/queue?limit=4&cursor={third['previous']}").json()
    front = rita.get(f"/queue?limit=4&cursor={back['previous']}").json()

    assert [len(page["results"]) for page in (first, second, third)] == [4, 4, 2]
    assert (first["previous"], third["next"]) == (None, None)
    assert back["results"] == second["results"]
    assert front["results"] == first["results"]
    assert front["previous"] is None


def test_a_cursor_belongs_to_its_order(rita, clock):
    items(clock, 3)
    cursor = rita.get("/queue?limit=1").json()["next"]

    answer = rita.get(f"/queue?limit=1&order=due&cursor={cursor}")

    assert (answer.status_code, answer.json()["errors"]["cursor"][0]["code"]) == (400, "invalid_cursor")


@pytest.mark.parametrize(
    "cursor", ["W10", "WyJhIl0", "bnVsbA", "WyJvcGVuZWQiLCAibiIsICIxIl0", "x" * 601, "é"]
)
def test_a_cursor_that_is_none_of_ours_is_refused(rita, cursor):
    answer = rita.get(f"/queue?order=opened&cursor={cursor}")

    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == ["cursor"]


def test_every_other_list_is_read_to_the_end_too(platform, clock):
    post = p.post("The town well is poisoned and everybody knows it but nobody says it.", clock=clock)
    partner = f.partner(clock=clock)
    lena = f.lead(partner, clock=clock)
    for _ in range(6):
        f.reviewer(partner, clock=clock)
        f.partner(clock=clock)
    rating = f.rate(post, by=lena, clock=clock)
    for n in range(6):
        p.post(post.current_version.content.text, clock=clock, actor=f"copy-{n}")
        other = p.post(f"Story {n}.", clock=clock, actor=f"page-{n}")
        f.rate(other, by=lena, clock=clock, claim=f"Claim {n}.")
        platform.post("/flags", {"post": str(other.pk), "reason": "scam", "flagger": "member/1"})
        desk = Api(key=key(Scope.DESK_WORK, clock=clock, of=p.specialist(clock=clock)))
        desk.post("/escalations", {"post": str(other.pk), "ground": "hate", "note": "See."})
        clock.advance(minutes=1)
    p.settle(clock)
    expected = {
        "/flags?flagger=member/1": 6,
        "/escalations": 6,
        "/claims": 7,
        f"/claims/{rating.claim_id}/matches": 7,
        "/partners": 7,
    }

    for path, number in expected.items():
        seen = read_all(platform, path, limit=2)
        assert len(seen) == len(set(seen)) == number, path
    people = read_all(as_person(lena), f"/partners/{partner.pk}/people", limit=2)
    assert len(people) == len(set(people)) == 7


def test_newest_flags_come_first(platform, clock):
    for n in range(3):
        platform.post(
            "/flags", {"post": str(p.post(f"S {n}.", clock=clock).pk), "reason": "scam", "flagger": "m"}
        )
        clock.now += timedelta(minutes=1)

    times = [row["at"] for row in platform.get("/flags?flagger=m").json()["results"]]

    assert times == sorted(times, reverse=True)
