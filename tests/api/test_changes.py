"""The change feed as its readers meet it: places that are lost, states that end by themselves, preferences."""

from datetime import timedelta

import pytest

from moderation import tasks
from moderation.enums import Ground
from moderation.models import ChangeFeed
from moderation.selectors import verification
from moderation.services import changes, escalations
from moderation.services.escalations import CaseRef
from tests.factories import platform as p

pytestmark = pytest.mark.django_db


def rated(clock, n=1, outcome="false"):
    post = p.post(f"Number {n} of the well stories.", clock=clock, actor=f"page-{n}")
    p.rated(post, outcome, clock=clock)
    p.settle(clock)
    return post


def hidden(post, clock):
    """Hidden at once by one specialist: for 24 hours at most."""
    paula = p.specialist(clock=clock)
    case, _ = escalations.open_case(
        version_id=post.current_version_id, ground=Ground.HATE, note="", caller=paula, now=clock()
    )
    escalations.hide(CaseRef(case.pk, case.version), explanation="Seen.", caller=paula, now=clock())
    p.settle(clock)


def only_change(platform, version):
    found = platform.get("/distribution/changes?cursor=0").json()["changes"]
    return next(c for c in found if c["version"] == version)


def test_changes_are_kept_for_a_week_and_an_older_cursor_says_so(platform, clock):
    rated(clock, 1)
    old = platform.get("/distribution/changes?cursor=0").json()["cursor"]
    rated(clock, 2)
    clock.advance(days=8)
    rated(clock, 3)
    third = platform.get(f"/distribution/changes?cursor={old}").json()

    assert changes.trim(now=clock()) == 2

    for cursor in ("0", old):
        answer = platform.get(f"/distribution/changes?cursor={cursor}")
        assert (answer.status_code, answer.json()["code"]) == (410, "cursor_expired")
    again = platform.get(f"/distribution/changes?cursor={third['cursor']}").json()
    assert again == {"changes": [], "cursor": third["cursor"], "more": False}
    assert list(verification.feed_faults()) == []


def test_the_newest_change_stays_however_old_it_is_and_the_feed_goes_on_behind_it(platform, clock):
    rated(clock, 1)
    rated(clock, 2)
    cursor = platform.get("/distribution/snapshot").json()["changes_cursor"]
    clock.advance(days=30)

    assert changes.trim(now=clock()) == 1
    assert changes.trim(now=clock()) == 0

    later = rated(clock, 3)
    news = platform.get(f"/distribution/changes?cursor={cursor}").json()
    assert [c["post"] for c in news["changes"]] == [str(later.pk)]


def test_forgetting_leaves_no_hole_where_changes_were_not_in_the_order_of_their_times(clock):
    for n in range(3):
        rated(clock, n)
    ChangeFeed.objects.filter(position=1).update(at=clock() + timedelta(days=3))
    clock.advance(days=8)

    assert changes.trim(now=clock()) == 0


def test_a_feed_that_was_set_back_and_grew_beyond_the_cursor_is_noticed(platform, clock):
    rated(clock, 1)
    rated(clock, 2)
    cursor = platform.get("/distribution/snapshot").json()["changes_cursor"]
    ChangeFeed.objects.filter(position=2).delete()  # restored from yesterday's back-up
    for n in (3, 4):
        rated(clock, n)

    answer = platform.get(f"/distribution/changes?cursor={cursor}")

    assert (answer.status_code, answer.json()["code"]) == (410, "cursor_unknown")


def test_a_hide_comes_with_what_holds_when_it_ends(platform, clock):
    post = rated(clock)
    hidden(post, clock)

    for state in (only_change(platform, 2), platform.get("/distribution/snapshot").json()["states"][0]):
        assert state["removed"] is True
        then, without_strike = state["then"]
        assert then["begins"] == (clock() + timedelta(hours=24)).isoformat().replace("+00:00", "Z")
        assert (then["state"], then["removed"], then["multipliers"]["feed"]) == ("effect", False, 0.2)
        assert (then["actor_level"], without_strike["actor_level"]) == ("notice", "none")
    assert "then" not in only_change(platform, 1)  # a newer one follows


def test_what_ends_in_nothing_says_so(platform, clock):
    post = p.post(clock=clock)
    hidden(post, clock)

    (then,) = only_change(platform, 1)["then"]

    assert then["state"] == "none" and "multipliers" not in then


def test_an_ended_state_that_no_worker_renewed_is_told_as_it_is_now(platform, clock):
    post = rated(clock)
    hidden(post, clock)
    clock.advance(hours=25)

    state = platform.get("/distribution/snapshot").json()["states"][0]

    assert (state["version"], state["removed"], state["multipliers"]["feed"]) == (2, False, 0.2)
    assert [s["actor_level"] for s in state["then"]] == ["none"]


def test_a_state_tells_what_each_preference_makes_of_it(platform, clock):
    rated(clock, 1, "false")
    rated(clock, 2, "missing_context")

    first, second = platform.get("/distribution/snapshot").json()["states"]

    assert first["by_preference"] == {"do_not_reduce": {"feed": 1.0}, "reduce_more": {"feed": 0.1}}
    assert second["by_preference"] == {"reduce_more": {"feed": 0.5}}
    assert "rating_bp" not in first


def test_the_sweep_forgets_old_changes(clock):
    rated(clock, 1)
    rated(clock, 2)
    clock.advance(days=8)

    tasks.sweep()

    assert [row.position for row in ChangeFeed.objects.all()] == [2]
