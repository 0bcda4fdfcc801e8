"""The pure rules: what the decisions in force and the policy make of a post (domain 4 and 5)."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderation import policy
from moderation.enums import DecisionKind, Surface
from moderation.policy import FULL, LABEL_SEVERITY, Inputs, Recorded
from moderation.reference import POLICY_V1
from tests.depth import budget

RULES: dict[str, Any] = json.loads(POLICY_V1.read_text())
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
VERDICTS = ["false", "altered", "partly_false", "missing_context", "satire", "true"]


def decision(kind: str = "standing_verdict", outcome: str = "", **fields: Any) -> Recorded:
    return Recorded(
        **{
            "id": f"{kind}-{outcome}-{fields.get('ground', '')}",
            "kind": kind,
            "outcome": outcome,
            "in_force_from": NOON,
            **fields,
        }
    )


def rated(*outcomes: str, **fields: Any) -> list[Recorded]:
    return [decision(outcome=o, id=f"rated-{i}", **fields) for i, o in enumerate(outcomes)]


def of(*decisions: Recorded, strikes: Sequence[datetime] = (), version: str = "v1") -> Inputs:
    return Inputs(version, decisions, strikes, 1, RULES)


def document(*decisions: Recorded, at: datetime = NOON, **more: Any) -> dict[str, Any] | None:
    return policy.effective_state(of(*decisions, **more), at).document


# ── in force ───────────────────────────────────────────────────────────────────────────────────────


def test_a_decision_is_in_force_from_its_beginning_until_just_before_its_end():
    hide = decision("hide", in_force_until=NOON + HOUR)

    assert policy.in_force([hide], NOON - timedelta(microseconds=1)) == []
    assert policy.in_force([hide], NOON) == [hide]
    assert policy.in_force([hide], NOON + HOUR - timedelta(microseconds=1)) == [hide]
    assert policy.in_force([hide], NOON + HOUR) == []


def test_a_decision_gives_way_only_once_the_one_that_supersedes_it_has_begun():
    old = decision(outcome="false", id="old")
    new = decision(outcome="true", id="new", supersedes="old", in_force_from=NOON + HOUR)

    assert policy.in_force([old, new], NOON) == [old]
    assert policy.in_force([old, new], NOON + HOUR) == [new]


def test_what_was_superseded_does_not_come_back_when_its_successor_runs_out():
    old = decision("restriction", id="old")
    new = decision("restriction", id="new", supersedes="old", in_force_until=NOON + HOUR)

    assert policy.in_force([old, new], NOON + HOUR) == []


def test_an_ending_ends_and_is_nothing_itself():
    removal = decision("removal", id="removal")
    ending = decision("removal", id="ending", ends=True, supersedes="removal", in_force_from=NOON + HOUR)

    assert policy.in_force([removal, ending], NOON + HOUR) == []


# ── composition ────────────────────────────────────────────────────────────────────────────────────


def test_a_post_about_which_nothing_was_decided_has_no_effect():
    state = policy.effective_state(of(), NOON)

    assert (state.document, state.feed_bp, state.removed, state.valid_until) == (None, FULL, False, None)


@pytest.mark.parametrize("outcome", VERDICTS)
def test_each_verdict_has_the_effect_that_the_domain_gives_it(outcome):
    table = {  # domain 4: feed, explore, label, interstitial, warn before share, article, ads
        "false": (0.2, 0, "warning", True, True, True, False),
        "altered": (0.2, 0, "warning", True, True, True, False),
        "partly_false": (0.5, 0, "context", False, True, True, False),
        "missing_context": (1, 1, "context", False, False, True, True),
        "satire": (1, 1, None, False, False, True, True),
        "true": (1, 1, None, False, False, True, True),
    }
    found = document(*rated(outcome, presentation={"articles": [{"url": "https://a.example"}]}))

    assert found is not None
    left = found["multipliers"]
    assert (
        left["feed"],
        left["explore"],
        found["label"],
        found["interstitial"],
        found["warn_before_share"],
        bool(found["articles"]),
        found["ads"],
    ) == table[outcome]
    assert left["recommendations"] == left["ads"] == left["explore"]


@given(st.lists(st.sampled_from(VERDICTS), min_size=1, max_size=5))
@budget(60)
def test_of_several_claims_the_lowest_multiplier_and_the_gravest_label_win_and_any_no_wins(outcomes):
    found = document(*rated(*outcomes))
    alone = [document(*rated(o)) for o in outcomes]

    for surface in Surface:
        assert found["multipliers"][surface] == min(a["multipliers"][surface] for a in alone)
    assert LABEL_SEVERITY.index(found["label"] or "") == max(
        LABEL_SEVERITY.index(a["label"] or "") for a in alone
    )
    for no in ("ads", "recommendations", "monetisation"):
        assert found[no] == all(a[no] for a in alone)
    for yes in ("interstitial", "warn_before_share"):
        assert found[yes] == any(a[yes] for a in alone)


@given(st.permutations(range(4)), st.lists(st.sampled_from(VERDICTS), min_size=4, max_size=4))
@budget(40)
def test_the_order_in_which_decisions_are_read_changes_nothing_but_the_order_of_articles(order, outcomes):
    rows = rated(*outcomes)

    assert document(*rows) == document(*[rows[i] for i in order])


@given(st.lists(st.sampled_from(VERDICTS), max_size=3), st.integers(0, 8))
@budget(80)
def test_being_wrong_however_often_takes_neither_feed_nor_search_nor_share_to_zero(outcomes, strikes):
    found = document(*rated(*outcomes), strikes=[NOON + HOUR] * strikes)

    for surface in ("feed", "search", "share"):
        assert found is None or found["multipliers"][surface] >= 0.05


@pytest.mark.parametrize(
    ("strikes", "level", "feed"),
    [(0, "none", 0.2), (1, "notice", 0.2), (2, "repeat_offender", 0.1), (3, "repeat_offender", 0.1), (4, "severe", 0.05)],
)  # fmt: skip
def test_post_and_actor_multiply_and_the_highest_level_reached_applies(strikes, level, feed):
    found = document(*rated("false"), strikes=[NOON + HOUR] * strikes)

    assert (found["actor_level"], found["multipliers"]["feed"]) == (level, feed)


def test_a_first_strike_alone_is_a_notice_and_changes_nothing_that_is_served():
    assert document(strikes=[NOON + HOUR]) is None


def test_a_repeat_offenders_other_posts_are_halved_and_kept_from_ads_and_recommendations():
    found = document(strikes=[NOON + HOUR] * 2)

    assert found["multipliers"]["feed"] == found["multipliers"]["explore"] == 0.5
    assert found["multipliers"]["ads"] == found["multipliers"]["recommendations"] == 0
    assert not found["monetisation"]
    assert found["label"] is None


def test_a_disputed_verdict_says_so():
    found = document(*rated("missing_context", contested=True))

    assert found["contested"]
    assert found["label"] == "disputed"


def test_a_verdict_made_on_an_earlier_version_is_marked():
    row = decision(outcome="false", about_version="v1")

    assert not document(row, version="v1")["made_on_earlier_version"]
    assert document(row, version="v2")["made_on_earlier_version"]


def test_a_demotion_before_review_halves_and_ends_with_any_judgement():
    demotion = decision("provisional", in_force_until=NOON + 72 * HOUR)

    found = document(demotion)
    assert found["provisional"] and found["multipliers"]["feed"] == 0.5
    for judgement in (
        decision("not_eligible", "not_eligible"),
        decision("kept"),
        decision(outcome="true", id="r"),
    ):
        state = document(demotion, judgement)
        assert state is None or not state["provisional"]
        assert state is None or demotion.id not in state["because"]
    assert document(demotion, at=NOON + 72 * HOUR) is None


def test_not_eligible_and_kept_alone_have_no_effect():
    assert document(decision("not_eligible", "not_eligible"), decision("kept")) is None


# ── removal and regions ────────────────────────────────────────────────────────────────────────────

REMOVAL = decision("removal", ground="hate")


@given(st.lists(st.sampled_from(VERDICTS), max_size=3), st.integers(0, 5))
@budget(40)
def test_a_removal_takes_every_surface_to_zero_and_masks_what_the_ratings_left(outcomes, strikes):
    state = policy.effective_state(of(REMOVAL, *rated(*outcomes), strikes=[NOON + HOUR] * strikes), NOON)

    assert state.removed and state.feed_bp == 0
    assert set(state.document["multipliers"].values()) == {0.0}
    assert not state.document["ads"] and not state.document["recommendations"]
    assert state.document["ground"] == "hate"


def viewed(found: dict[str, Any], region: str = "", preference: str = "default") -> dict[str, Any]:
    return policy.for_viewer(found, region=region, preference=preference, policy=RULES)


@pytest.mark.parametrize(
    ("removed_in", "seen_from", "gone"),
    [
        ("LK", "LK", True),
        ("LK", "LK-1", True),
        ("LK", "FR", False),
        ("LK", "", False),
        ("LK-1", "LK", False),
        ("LK-1", "LK-1", True),
        ("LK-1", "LK-2", False),
        ("LK-1", "LK-11", False),
    ],
)
def test_a_country_includes_its_subdivisions_and_no_subdivision_its_country(removed_in, seen_from, gone):
    found = document(replace(REMOVAL, regions=(removed_in,)), *rated("partly_false"))

    seen = viewed(found, seen_from)
    assert seen["removed"] is gone
    assert seen["multipliers"]["feed"] == (0 if gone else 0.5)
    assert seen["regional"]
    assert not found["removed"]


def test_a_restriction_puts_a_page_before_the_post_in_its_regions_only():
    found = document(decision("restriction", regions=("FR",)))

    assert viewed(found, "FR")["interstitial"] and viewed(found, "FR-75")["interstitial"]
    assert not viewed(found, "LK")["interstitial"]
    assert viewed(found, "FR")["multipliers"]["feed"] == 1


def test_a_removal_in_a_country_outdoes_a_restriction_in_its_subdivision():
    found = document(replace(REMOVAL, regions=("FR",)), decision("restriction", regions=("FR-75",)))

    assert viewed(found, "FR-75")["removed"] and viewed(found, "FR-75")["interstitial"]
    assert viewed(found, "FR-75")["ground"] == "hate"


def test_a_viewer_never_gets_the_inner_figures():
    assert not {"regions", "rating_bp", "actor_bp"} & viewed(document(*rated("false"))).keys()


# ── the viewer's choice ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("outcome", "strikes", "preference", "feed"),
    [
        ("false", 0, "do_not_reduce", 1.0),
        ("false", 0, "reduce_more", 0.1),
        ("partly_false", 0, "reduce_more", 0.25),
        ("false", 2, "do_not_reduce", 0.5),
        ("false", 4, "reduce_more", 0.05),
    ],
)
def test_the_viewer_changes_what_a_rating_takes_from_the_feed_and_nothing_else(
    outcome, strikes, preference, feed
):
    found = document(*rated(outcome), strikes=[NOON + HOUR] * strikes)

    seen, plain = viewed(found, preference=preference), viewed(found)
    assert seen["multipliers"]["feed"] == feed
    assert {**seen["multipliers"], "feed": 0} == {**plain["multipliers"], "feed": 0}
    assert {k: v for k, v in seen.items() if k != "multipliers"} == {
        k: v for k, v in plain.items() if k != "multipliers"
    }


@pytest.mark.parametrize("preference", ["do_not_reduce", "reduce_more"])
def test_no_choice_of_a_viewer_brings_back_what_was_removed(preference):
    everywhere = document(REMOVAL, *rated("false"))
    in_france = document(replace(REMOVAL, regions=("FR",)), *rated("false"))

    assert viewed(everywhere, preference=preference)["multipliers"]["feed"] == 0
    assert viewed(in_france, "FR", preference)["multipliers"]["feed"] == 0


# ── time ───────────────────────────────────────────────────────────────────────────────────────────

instants = st.integers(-5, 5).map(lambda n: NOON + n * HOUR)


@st.composite
def histories(draw: st.DrawFn) -> Inputs:
    """Decisions of every kind with beginnings, ends and successors, and some strikes."""
    rows: list[Recorded] = []
    for number in range(draw(st.integers(0, 6))):
        kind = draw(st.sampled_from([k.value for k in DecisionKind]))
        earlier = [r for r in rows if r.kind == kind and not any(x.supersedes == r.id for x in rows)]
        previous = draw(st.sampled_from(earlier)) if earlier and draw(st.booleans()) else None
        begins = draw(instants)
        lasts = draw(st.none() | st.integers(1, 6))
        rows.append(
            decision(
                kind,
                draw(st.sampled_from(VERDICTS)) if kind == "standing_verdict" else "",
                id=f"d{number}",
                in_force_from=max(begins, previous.in_force_from) if previous else begins,
                in_force_until=begins + lasts * HOUR if lasts and kind != "standing_verdict" else None,
                supersedes=previous.id if previous else None,
                ends=previous is not None and draw(st.booleans()),
                contested=draw(st.booleans()),
                regions=draw(st.sampled_from([(), ("LK",), ("FR", "FR-75")])) if kind == "removal" else (),
            )
        )
    strikes = draw(st.lists(instants, max_size=5))
    return of(*rows, strikes=strikes)


@given(histories(), instants)
@budget(120)
def test_a_state_holds_until_just_before_its_valid_until_and_is_another_one_then(inputs, at):
    state = policy.effective_state(inputs, at)
    moment = timedelta(microseconds=1)

    if state.valid_until is None:
        later = [at + n * HOUR / 2 for n in range(30)]
    else:
        assert state.valid_until > at
        changed = policy.effective_state(inputs, state.valid_until)
        assert (changed.document, changed.feed_bp, changed.removed) != (
            state.document,
            state.feed_bp,
            state.removed,
        )
        later = [at + (state.valid_until - at) / 3, state.valid_until - moment]
    for instant in later:
        same = policy.effective_state(inputs, instant)
        assert (same.document, same.feed_bp, same.removed) == (state.document, state.feed_bp, state.removed)


@given(histories(), instants)
@budget(60)
def test_a_document_is_json_and_comes_back_from_it_unchanged(inputs, at):
    found = policy.effective_state(inputs, at).document

    assert json.loads(json.dumps(found)) == found


def test_a_hide_names_its_end_unless_a_removal_backs_it():
    hide = decision("hide", ground="hate", in_force_until=NOON + 24 * HOUR)

    assert document(hide)["hidden_until"] == (NOON + 24 * HOUR).isoformat()
    assert document(hide, REMOVAL)["hidden_until"] is None
    assert document(hide, REMOVAL, at=NOON + 24 * HOUR)["removed"]
