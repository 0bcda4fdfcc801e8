"""What a replica answers: per viewer, region and moment, and never "no effect" for what it does not know."""

from datetime import UTC, datetime, timedelta

import pytest
from fake_server import EFFECT, NONE
from veracity_client import NO_EFFECT, UNKNOWN_POST, Effect, NotReady, Replica
from veracity_client.copies import Copy, Held
from veracity_client.states import State

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def copy_of(*states: dict, clock=lambda: NOW.timestamp()) -> Copy:
    copy = Copy(clock=clock)
    held = Held()
    for n, state in enumerate(states, 1):
        held.put(State({"post": f"p{n}", "external_id": f"status/{n}", "version": 1, **state}))
    copy._replace(held)
    return copy


def test_a_post_is_found_by_both_its_names():
    copy = copy_of(EFFECT)

    assert copy.lookup("p1") is copy.lookup("ext:status/1")
    assert copy.lookup("p1").multiplier("feed") == 0.2
    assert copy.lookup("p1").articles[0].publisher == "Clarim"
    assert copy.version("p1") == 1 and len(copy) == 1


def test_an_unknown_post_is_neither_an_effect_nor_none():
    copy = copy_of(NONE)

    assert copy.lookup("p1") is NO_EFFECT and NO_EFFECT.multiplier("feed") == 1.0
    for answer in (copy.lookup("p2"), *copy.lookup_many(["p2"])):
        assert answer is UNKNOWN_POST
        assert answer.state == "unknown" and not hasattr(answer, "multiplier")
    assert copy.version("p2") is None


def test_before_the_first_copy_nothing_is_answered():
    replica = Replica("http://127.0.0.1:9", "vk_test")

    for ask in (replica.lookup, replica.version, lambda p: replica.lookup_many([p])):
        with pytest.raises(NotReady):
            ask("p1")
    assert not replica.ready and len(replica) == 0
    assert replica.status().stale_for is None


def test_a_preference_changes_its_surfaces_only():
    copy = copy_of(EFFECT)

    for preference, left in (("default", 0.2), ("reduce_more", 0.1), ("do_not_reduce", 1.0)):
        one = copy.lookup("p1", viewer_preference=preference)
        assert [one] == copy.lookup_many(["p1"], viewer_preference=preference)
        assert (one.multiplier("feed"), one.multiplier("search"), one.label) == (left, 0.2, "warning")


def test_a_preference_that_does_not_exist_is_an_error():
    copy = copy_of(
        EFFECT, {**EFFECT, "regions": {"LK": {"removed": True, "interstitial": False, "ground": "hate"}}}
    )

    for ask in (
        lambda: copy.lookup("p1", viewer_preference="none"),
        lambda: copy.lookup("p2", region="LK", viewer_preference="none"),
        lambda: copy.lookup_many(["p1"], viewer_preference="none"),
    ):
        with pytest.raises(ValueError, match="'none'"):
            ask()


REGIONS = {
    "LK": {"removed": False, "interstitial": True, "ground": None},
    "LK-1": {"removed": True, "interstitial": False, "ground": "hate"},
}


@pytest.mark.parametrize(
    ("region", "removed", "covered"),
    [
        ("", False, False),
        ("DE", False, False),
        ("LK", False, True),
        ("LK-2", False, True),
        ("lk-1", True, True),
    ],
)
def test_a_countrys_effects_bind_its_subdivisions_and_theirs_come_on_top(region, removed, covered):
    copy = copy_of({**EFFECT, "interstitial": False, "regional": True, "regions": REGIONS})

    for preference in ("default", "do_not_reduce"):
        for _ in range(2):
            found = copy.lookup("p1", region=region, viewer_preference=preference)
            assert [found] == copy.lookup_many(["p1"], region=region, viewer_preference=preference)
            assert isinstance(found, Effect)
            assert (found.removed, found.interstitial) == (removed, covered)
            assert (found.ground, found.monetisation) == (("hate", False) if removed else (None, True))
            assert set(found.multipliers.values()) == {0.0} if removed else found.multiplier("search") == 0.2


def test_where_country_and_subdivision_both_removed_a_post_the_subdivisions_ground_is_told():
    removed = {"removed": True, "interstitial": False}
    copy = copy_of(
        {**EFFECT, "regions": {"LK": {**removed, "ground": "hate"}, "LK-1": {**removed, "ground": "illegal"}}}
    )

    assert [copy.lookup("p1", region=r).ground for r in ("LK", "LK-1", "LK-2")] == ["hate", "illegal", "hate"]


def test_what_ends_by_time_ends_on_the_second_by_the_clients_own_clock():
    moment = [NOW.timestamp()]
    hidden = {**EFFECT, "removed": True, "then": [
        {"begins": "2026-11-30T12:00:10Z", **EFFECT},
        {"begins": "2026-11-30T12:01:00Z", **NONE},
    ]}  # fmt: skip
    copy = copy_of(hidden, clock=lambda: moment[0])

    seen = []
    for second in (0, 9.999, 10, 59.999, 60, 3600):
        moment[0] = NOW.timestamp() + second
        one = copy.lookup("p1")
        assert [one] == copy.lookup_many(["p1"])
        assert one == copy.lookup("p1", at=NOW + timedelta(seconds=second))
        seen.append("none" if one is NO_EFFECT else one.removed)

    assert seen == [True, True, False, False, "none", "none"]


def test_a_later_moment_is_answered_as_it_will_be():
    copy = copy_of({**EFFECT, "then": [{"begins": "2026-11-30T12:01:00Z", **NONE}]})

    assert copy.lookup("p1", at=NOW + timedelta(minutes=1)) is NO_EFFECT
    assert copy.lookup_many(["p1"], at=NOW + timedelta(minutes=1)) == [NO_EFFECT]
    assert copy.lookup("p1").state == "effect"


def test_copies_of_a_claim_share_one_effect_in_memory():
    copy = copy_of(*[EFFECT] * 50)

    assert len({id(copy.lookup(f"p{n}")) for n in range(1, 51)}) == 1
