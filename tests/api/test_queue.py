"""A partner's own tool works the queue."""

from datetime import timedelta

import pytest

from moderation.enums import FlagReason, Scope
from moderation.models import ReviewItem
from tests.api.clients import Api, as_person, key
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db


@pytest.fixture
def partner(clock):
    return f.partner(clock=clock)


@pytest.fixture
def rita(partner, clock):
    return f.reviewer(partner, clock=clock)


@pytest.fixture
def ritas_tool(rita, clock):
    """Rita's own program, with a key that acts as her."""
    return Api(key=key(Scope.QUEUE_WORK, clock=clock, of=rita))


def flagged(clock, number=1, **fields):
    posts = [p.post(f"Story number {n} about the well.", clock=clock, **fields) for n in range(number)]
    for post in posts:
        p.flag(post, clock=clock)
    p.settle(clock)
    return posts


def test_take_hands_out_one_item_with_what_a_decision_needs(ritas_tool, partner, clock):
    (post,) = flagged(clock)

    item = ritas_tool.post("/queue/take").json()["item"]

    assert item["post"]["id"] == str(post.pk)
    assert item["post"]["text"] == "Story number 0 about the well."
    assert item["version"] == 1
    assert item["lease"]["yours"] is True
    assert item["lease"]["organisation"] == {"id": str(partner.pk), "name": partner.name}
    assert item["reasons"] == {"false_information": 1}


def test_nothing_to_take_says_why(ritas_tool, partner, clock):
    empty = ritas_tool.post("/queue/take", {}).json()
    flagged(clock)
    other = as_person(f.reviewer(partner, clock=clock))
    item = other.post("/queue/take").json()["item"]
    taken = ritas_tool.post("/queue/take").json()
    other.post(f"/items/{item['id']}/release")
    ritas_tool.post(f"/items/{ritas_tool.post('/queue/take').json()['item']['id']}/skip", {"reason": "time"})
    skipped = ritas_tool.post("/queue/take").json()

    assert [answer["item"] for answer in (empty, taken, skipped)] == [None, None, None]
    assert [a["reason"] for a in (empty, taken, skipped)] == ["queue_empty", "all_taken", "only_skipped_left"]


def test_the_holds_verbs_answer_with_the_item_as_it_is(ritas_tool, clock):
    flagged(clock)
    item = ritas_tool.post("/queue/take").json()["item"]["id"]

    clock.advance(minutes=5)
    renewed = ritas_tool.post(f"/items/{item}/renew").json()["lease"]
    released = ritas_tool.post(f"/items/{item}/release").json()["lease"]
    lost = ritas_tool.post(f"/items/{item}/renew")
    again = ritas_tool.post(f"/items/{item}/take").json()["lease"]
    wake = (clock() + timedelta(hours=4)).isoformat()
    snoozed = ritas_tool.post(f"/items/{item}/snooze", {"wake_at": wake}).json()["lease"]

    assert renewed["until"] > renewed["since"]
    assert released == {"held": False, "yours": False, "organisation": None, "since": None, "until": None}
    assert (lost.status_code, lost.json()["code"]) == (409, "lease_lost")
    assert again["yours"] and not snoozed["held"]
    assert ritas_tool.post("/queue/take").json()["item"] is None
    clock.advance(hours=4, seconds=1)
    assert ritas_tool.post("/queue/take").json()["item"]["id"] == item


def test_an_item_that_somebody_holds_is_refused_with_until_when(ritas_tool, partner, clock):
    flagged(clock)
    other = as_person(f.reviewer(partner, clock=clock))
    item = other.post("/queue/take").json()["item"]

    answer = ritas_tool.post(f"/items/{item['id']}/take")

    assert answer.status_code == 409
    assert answer.json()["code"] == "held_by_other"
    assert answer.json()["held_until"] == item["lease"]["until"]


def test_the_list_is_narrowed_by_its_filters(ritas_tool, clock):
    flagged(clock, 2, regions=["LK"])
    violent = p.post("They meet at the square at noon.", clock=clock, topic="unrest", regions=["IN"])
    p.flag(violent, clock=clock, reason=FlagReason.VIOLENCE)
    p.settle(clock)
    mine = ritas_tool.post("/queue/take").json()["item"]

    def listed(query):
        return [row["post"]["id"] for row in ritas_tool.get(f"/queue?{query}").json()["results"]]

    assert mine["post"]["id"] == str(violent.pk)  # the most harmful comes first
    assert len(listed("")) == 3
    assert listed("mine") == listed("reason=violence") == listed("topic=unrest") == [str(violent.pk)]
    assert len(listed("country=LK")) == 2
    assert listed("language=fr") == []
    assert listed(f"min_priority={mine['priority']}") == [str(violent.pk)]
    assert listed("kind=conflict") == []
    due = ReviewItem.objects.order_by("due_at")[0].due_at + timedelta(seconds=1)
    assert listed(f"due={due.strftime('%Y-%m-%dT%H:%M:%SZ')}") == [str(violent.pk)]


@pytest.mark.parametrize(
    "query",
    [
        "order=views", "language=english", "country=XX", "reason=boring", "limit=0", "limit=201",
        "cursor=abc", "colour=red", "min_priority=nan", "min_priority=-1", "due=yesterday", "limit=1&limit=2",
        "topic=%00", "mine=perhaps",
    ],
)  # fmt: skip
def test_a_filter_that_means_nothing_is_refused_by_name(ritas_tool, query):
    answer = ritas_tool.get(f"/queue?{query}")

    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == [query.partition("=")[0]]


def test_the_summary_counts_what_is_in_scope(ritas_tool, clock):
    flagged(clock, 3)
    p.flag(p.post("Une histoire du puits.", clock=clock, language="fr"), clock=clock)
    item = ritas_tool.post("/queue/take").json()["item"]["id"]
    ritas_tool.post(f"/items/{item}/skip", {"reason": "language"})

    summary = ritas_tool.get("/queue/summary").json()

    assert (summary["open"], summary["free"], summary["set_aside"]) == (3, 3, 1)
    assert summary["by_language"] == {"en": 3}


def test_an_item_in_another_language_does_not_exist_here(ritas_tool, clock):
    (post,) = flagged(clock, language="fr")
    foreign = ReviewItem.objects.get(post=post)

    for path in (f"/items/{foreign.pk}/take", f"/items/{foreign.pk}/release"):
        assert ritas_tool.post(path).json()["detail"] == "There is no such item."
    assert ritas_tool.get(f"/items/{foreign.pk}").status_code == 404


def test_a_suspended_partners_people_and_keys_are_out_at_once(ritas_tool, rita, partner, clock):
    from factcheck.services import partners

    on_the_pages = as_person(rita)
    assert on_the_pages.get("/queue").status_code == ritas_tool.get("/queue").status_code == 200

    partners.suspend(partner.pk, caller=p.administrator(clock=clock), now=clock())

    assert ritas_tool.get("/queue").status_code == 401
    assert on_the_pages.get("/queue").status_code == 401


def test_a_lapsed_partner_reads_but_takes_nothing(ritas_tool, clock):
    flagged(clock)
    clock.advance(days=300)

    assert ritas_tool.get("/queue").status_code == 200
    answer = ritas_tool.post("/queue/take")
    assert (answer.status_code, answer.json()["code"]) == (403, "not_certified")
