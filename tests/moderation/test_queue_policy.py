"""The pure rules of the queue and of what a review says about flags (domain 6)."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderation import policy
from moderation.policy import Recorded
from moderation.reference import POLICY_V1
from tests.depth import budget

RULES: dict[str, Any] = json.loads(POLICY_V1.read_text())
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def decision(kind: str = "standing_verdict", outcome: str = "", **fields: Any) -> Recorded:
    return Recorded(**{"id": kind, "kind": kind, "outcome": outcome, "in_force_from": NOON, **fields})


REMOVAL = decision("removal", ground="hate")


# ── flags ──────────────────────────────────────────────────────────────────────────────────────────


def answers(*rows: Recorded, at: datetime = NOON + HOUR) -> tuple[Any, Any]:
    return policy.flag_answers(rows, at, RULES)


@pytest.mark.parametrize(
    ("outcome", "verb"),
    [
        ("false", "agree"),
        ("altered", "agree"),
        ("partly_false", "agree"),
        ("missing_context", "agree"),
        ("satire", "disagree"),
        ("true", "disagree"),
    ],
)
def test_a_verdict_answers_flags_of_truth_and_passes_over_those_of_harm(outcome, verb):
    truth, harm = answers(decision(outcome=outcome))

    assert (truth.verb, truth.since) == (verb, NOON)
    assert harm.verb == "pass over"


def test_flags_raised_after_the_answer_was_to_be_seen_say_nothing_about_the_flagger():
    truth, _ = answers(decision(outcome="false"))

    assert truth.verbs(item_is_open=False) == ("agree", "pass over")
    assert truth.verbs(item_is_open=True) == ("agree", "wait")


def test_a_revised_verdict_judges_the_flags_that_came_before_the_first_one():
    first = decision(outcome="false", id="a")
    second = decision(outcome="true", id="b", supersedes="a", in_force_from=NOON + HOUR)

    truth, _ = answers(first, second)
    assert (truth.verb, truth.since) == ("disagree", NOON)


def test_a_verdict_after_an_ending_judges_all_flags_until_then():
    first = decision(outcome="false", id="a")
    ending = decision(id="b", ends=True, supersedes="a", in_force_from=NOON + HOUR)
    again = decision(outcome="false", id="c", supersedes="b", in_force_from=NOON + 2 * HOUR)

    ended, _ = answers(first, ending)
    assert ended.verbs(item_is_open=False) == ("pass over", "wait")
    assert ended.verbs(item_is_open=True) == ("wait", "wait")
    truth, _ = answers(first, ending, again, at=NOON + 2 * HOUR)
    assert (truth.verb, truth.since) == ("agree", NOON + 2 * HOUR)


def test_a_removal_agrees_with_flags_of_harm_and_passes_over_those_of_truth_only_where_it_is_everywhere():
    truth, harm = answers(REMOVAL)
    assert (truth.verb, harm.verb) == ("pass over", "agree")

    truth, harm = answers(replace(REMOVAL, regions=("FR",)))
    assert (truth.verb, harm.verb) == ("", "agree")
    assert truth.verbs(item_is_open=True) == ("wait", "wait")


def test_a_dispute_and_not_eligible_say_nothing_about_flaggers():
    assert answers(decision(outcome="false", contested=True))[0].verb == "pass over"
    assert answers(decision("not_eligible", "not_eligible"))[0].verb == "pass over"


def test_a_hide_a_restriction_and_a_kept_post_leave_the_flags_to_the_reviewers():
    for kind in ("hide", "restriction", "kept", "provisional"):
        truth, harm = answers(decision(kind))
        assert (truth.verb, harm.verb, truth.since) == ("", "", None)


# ── the queue ──────────────────────────────────────────────────────────────────────────────────────


def rank(opened_at: datetime = NOON, **fields: Any) -> float:
    inputs = policy.PriorityInputs(
        **{
            "views_per_hour": 0.0,
            "reasons": {"other": 1},
            "flaggers": {(0, 0): 1},
            "strongest_signal": 0.0,
            "opened_at": opened_at,
            **fields,
        }
    )
    found, factors = policy.priority(inputs, RULES)
    assert all(f["value"] >= 0.1 and f["words"] for f in factors)
    return found


def test_what_may_harm_more_comes_first():
    assert rank(reasons={"violence": 1}) > rank(reasons={"false_information": 1}) > rank(reasons={"other": 1})
    assert rank(reasons={"other": 1, "violence": 1}) >= rank(reasons={"violence": 1})
    assert rank(views_per_hour=50_000) > rank(views_per_hour=500) > rank()
    assert rank(strongest_signal=0.9) > rank()


def test_flaggers_enter_logarithmically_and_nobody_is_counted_twice():
    ten, hundred, thousand = (rank(flaggers={(0, 0): n}) for n in (10, 100, 1000))

    assert ten < hundred < thousand
    assert thousand - hundred < hundred - ten
    assert rank(reasons={"other": 1, "scam": 1}, flaggers={(0, 0): 1}) == rank(
        reasons={"scam": 1}, flaggers={(0, 0): 1}
    )


@given(
    st.floats(0, 10_000_000),
    st.integers(0, 1_000_000),
    st.floats(0, 1),
    st.sampled_from(sorted(RULES["priority"]["harm"])),
)
@budget(80)
def test_nothing_starves_an_old_item_outranks_the_most_urgent_one_of_a_later_day(views, n, signal, reason):
    """An item that waits gains ln(e) every τ hours on all that come later, so the wait has an end."""
    urgent = {
        "views_per_hour": views,
        "flaggers": {(9, 9): n} if n else {},
        "strongest_signal": signal,
        "reasons": {reason: max(n, 1)},
    }
    weakest = {"reasons": {"other": 1}, "flaggers": {(100, 0): 1}}
    tau = timedelta(hours=RULES["priority"]["tau_hours"])
    lead = rank(**urgent) - rank(**weakest)

    assert rank(NOON, **weakest) > rank(NOON + max(lead, 0) * tau + HOUR, **urgent)


@given(st.integers(0, 400), st.integers(0, 400))
@budget(80)
def test_a_flagger_is_neutral_until_more_than_five_flags_were_judged_and_at_seventy_percent(judged, agreed):
    agreed = min(agreed, judged)
    weight = policy.reliability(judged, agreed, RULES)

    assert 0.1 <= weight <= 2
    if judged <= 5:
        assert weight == 1
    elif agreed / judged > 0.7:
        assert weight > 1
    elif agreed / judged < 0.7:
        assert weight < 1
    assert policy.reliability(100, 70, RULES) == 1


def test_reliability_rises_with_every_flag_that_is_agreed_with():
    weights = [policy.reliability(20, agreed, RULES) for agreed in range(21)]

    assert weights == sorted(weights)


def test_an_item_is_due_by_the_shortest_time_among_its_reasons():
    assert policy.due_at(["other", "violence"], NOON, RULES) == NOON + 2 * HOUR
    assert policy.due_at([], NOON, RULES) == NOON + 72 * HOUR
