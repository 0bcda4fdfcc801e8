"""What a programme switch makes of a post, as a pure rule (domain 4, programme switches)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moderation import policy
from moderation.enums import Surface
from moderation.policy import FULL, Inputs, Recorded, Switched
from tests.depth import budget
from tests.moderation.test_policy import HOUR, NOON, RULES, VERDICTS, decision, rated

ONE, TWO = "organisation-1", "organisation-2"
EVERYWHERE = Switched(NOON)
ARTICLE = {"articles": [{"url": "https://a.example"}]}


def of(*decisions: Recorded, lifts: Sequence[Switched] = (), strikes: int = 0) -> Inputs:
    return Inputs("v1", decisions, [NOON + HOUR] * strikes, 1, RULES, lifts)


def seen(inputs: Inputs, region: str = "", *, at: Any = NOON) -> dict[str, Any] | None:
    found = policy.effective_state(inputs, at).document
    return found and policy.for_viewer(found, region=region, preference="default", policy=RULES)


verdicts = st.lists(
    st.builds(
        lambda n, outcome, contested, organisations: decision(
            outcome=outcome, id=f"rated-{n}", contested=contested, organisations=tuple(organisations),
            presentation=ARTICLE,
        ),
        st.integers(0, 999), st.sampled_from(VERDICTS), st.booleans(), st.sets(st.sampled_from([ONE, TWO])),
    ),
    max_size=4, unique_by=lambda d: d.id,
)  # fmt: skip
measures = st.lists(
    st.builds(
        lambda n, kind, regions: decision(
            kind, id=f"{kind}-{n}", ground="hate", regions=regions, in_force_until=NOON + 9 * HOUR
        ),
        st.integers(0, 99),
        st.sampled_from(["removal", "hide", "restriction"]),
        st.sampled_from([(), ("US",), ("FR", "US-TX")]),
    ),
    max_size=3, unique_by=lambda d: d.id,
)  # fmt: skip
scopes = st.builds(
    lambda country, organisation, outcome: Switched(NOON, None, country, organisation, outcome),
    st.sampled_from(["", "US", "FR"]),
    st.sampled_from(["", ONE, TWO]),
    st.sampled_from(["", *VERDICTS]),
)


def test_an_effect_is_lifted_for_the_viewers_of_a_country_and_stays_for_all_others():
    inputs = of(*rated("false", presentation=ARTICLE), lifts=[Switched(NOON, country="US")])

    for region in ("US", "US-TX"):
        there = seen(inputs, region)
        assert (there["multipliers"]["feed"], there["label"], there["interstitial"], there["articles"]) == (
            1.0, None, False, [],
        )  # fmt: skip
        assert (there["because"], there["lifted"]) == ([], ["rated-0"])
    for region in ("", "FR"):
        elsewhere = seen(inputs, region)
        assert (elsewhere["multipliers"]["feed"], elsewhere["label"]) == (0.2, "warning")
        assert "lifted" not in elsewhere


def test_what_is_lifted_everywhere_has_no_effect_and_is_named():
    found = seen(of(*rated("false", presentation=ARTICLE), lifts=[EVERYWHERE]))

    assert set(found["multipliers"].values()) == {1.0}
    assert (found["label"], found["ads"], found["articles"], found["because"]) == (None, True, [], [])
    assert found["lifted"] == ["rated-0"]


def test_a_switch_for_a_verdict_or_a_partner_leaves_the_others():
    false, partly = (
        decision(outcome=o, id=o, organisations=(who,)) for o, who in (("false", ONE), ("partly_false", TWO))
    )

    assert seen(of(false, partly, lifts=[Switched(NOON, outcome="false")]))["multipliers"]["feed"] == 0.5
    assert seen(of(false, partly, lifts=[Switched(NOON, organisation=TWO)]))["multipliers"]["feed"] == 0.2


def test_a_verdict_that_rests_on_two_partners_is_lifted_when_both_are():
    both = decision(outcome="false", organisations=(ONE, TWO))
    one, two = Switched(NOON, organisation=ONE), Switched(NOON, country="US", organisation=TWO)

    assert seen(of(both, lifts=[one]), "US")["label"] == "warning"
    assert seen(of(both, lifts=[one, two]), "US")["label"] is None
    assert seen(of(both, lifts=[one, two]), "FR")["label"] == "warning"


def test_a_lifted_rating_leaves_the_demotion_before_review_ended():
    demotion = decision("provisional", id="demotion")

    assert seen(of(demotion, *rated("true"), lifts=[EVERYWHERE]))["multipliers"]["feed"] == 1.0


def test_the_authors_standing_stays():
    found = seen(of(*rated("false"), lifts=[EVERYWHERE], strikes=2))

    assert (found["multipliers"]["feed"], found["actor_level"]) == (0.5, "repeat_offender")


def test_a_switch_begins_and_ends_on_the_second():
    lift = Switched(NOON + HOUR, NOON + 2 * HOUR)
    inputs = of(*rated("false"), lifts=[lift])
    second = timedelta(microseconds=1)

    assert policy.effective_state(inputs, NOON).valid_until == NOON + HOUR
    assert seen(inputs, at=NOON + HOUR - second)["label"] == "warning"
    assert policy.effective_state(inputs, NOON + HOUR).valid_until == NOON + 2 * HOUR
    assert seen(inputs, at=NOON + HOUR)["label"] is None
    assert seen(inputs, at=NOON + 2 * HOUR)["label"] == "warning"


def test_a_country_with_its_own_rule_keeps_it_for_what_is_not_lifted():
    softer = {**RULES["verdicts"]["false"], "multiplier": dict.fromkeys(Surface, FULL)}
    rules = {**RULES, "countries": {"US": {"false": softer}}}
    inputs = of(*rated("false", "partly_false"), lifts=[Switched(NOON, country="US", outcome="partly_false")])
    document = policy.effective_state(replace(inputs, policy=rules), NOON).document

    there = policy.for_viewer(document, region="US", preference="default", policy=rules)
    assert (there["multipliers"]["feed"], there["label"], there["lifted"]) == (1.0, "warning", ["rated-1"])


@given(verdicts, measures, st.lists(scopes, max_size=3), st.integers(0, 4))
@budget(120)
def test_a_lift_that_has_ended_never_happened(ratings, measures, lifts, strikes):
    ended = [replace(lift, ends=NOON) for lift in lifts]

    after = policy.effective_state(of(*ratings, *measures, lifts=ended, strikes=strikes), NOON)
    assert after == policy.effective_state(of(*ratings, *measures, strikes=strikes), NOON)


@given(verdicts, measures, scopes, scopes)
@budget(120)
def test_lifts_commute(ratings, measures, one, other):
    there, back = (
        policy.effective_state(of(*ratings, *measures, lifts=order), NOON)
        for order in ([one, other], [other, one])
    )
    assert there == back


@given(verdicts, measures, st.lists(scopes, max_size=3), st.sampled_from(["", "US", "US-TX", "FR", "DE"]))
@budget(200)
def test_no_lift_touches_what_the_desk_decided(ratings, measures, lifts, region):
    with_lifts = seen(of(*ratings, *measures, lifts=lifts), region)
    desk_alone = seen(of(*measures), region)

    if desk_alone is None:
        assert with_lifts is None or not with_lifts["removed"]
        return
    assert (with_lifts["removed"], with_lifts["ground"]) == (desk_alone["removed"], desk_alone["ground"])
    assert with_lifts["hidden_until"] == desk_alone["hidden_until"]
    assert with_lifts["interstitial"] or not desk_alone["interstitial"]
    if with_lifts["removed"]:
        assert set(with_lifts["multipliers"].values()) == {0.0}


@given(verdicts, measures, st.sampled_from(["US", "FR"]))
@budget(120)
def test_with_everything_lifted_in_a_country_its_viewers_see_what_the_desk_decided_alone(
    ratings, measures, country
):
    there = seen(of(*ratings, *measures, lifts=[Switched(NOON, country=country)]), country)
    alone = seen(of(*measures), country)

    if alone is None:
        assert there is None or (there["label"], there["articles"], there["because"]) == (None, [], [])
        return
    for name in ("multipliers", "label", "interstitial", "warn_before_share", "ads", "removed", "articles"):
        assert there[name] == alone[name]


@pytest.mark.parametrize(
    ("country", "organisations", "outcome", "covered"),
    [
        ("US", (ONE,), "false", True),
        ("", (ONE,), "false", False),
        ("FR", (ONE,), "false", False),
        ("US", (ONE, TWO), "false", False),
        ("US", (), "false", False),
        ("US", (ONE,), "altered", False),
    ],
)
def test_a_switch_covers_what_fits_its_whole_scope(country, organisations, outcome, covered):
    switch = Switched(NOON, country="US", organisation=ONE, outcome="false")

    found = policy.covers([switch], country=country, outcome=outcome, organisations=organisations)
    assert found is covered
