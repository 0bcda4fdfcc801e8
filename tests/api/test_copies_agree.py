"""A copy at a client answers every viewer at every moment as the rules do: whatever was decided."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from veracity_client.answers import NO_EFFECT, Answer, read_effect
from veracity_client.copies import Copy, Held
from veracity_client.states import State

from moderation import policy
from moderation.api.changes import _time, _world
from moderation.policy import Inputs, Recorded, Switched
from moderation.reference import POLICY_V1
from moderation.selectors import timeline
from tests.depth import budget

RULES: dict[str, Any] = json.loads(POLICY_V1.read_text())
_MILD = {
    k: v for k, v in RULES["verdicts"]["missing_context"].items() if k not in ("strike", "article", "flag")
}
OTHER_RULES: dict[str, Any] = RULES | {"countries": {"DE": {"false": _MILD, "partly_false": _MILD}}}
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOURS = st.integers(min_value=0, max_value=30).map(lambda n: NOON + timedelta(hours=n))
VERDICTS = ["false", "altered", "partly_false", "missing_context", "satire", "true"]
REGIONS = ["LK", "LK-1", "DE"]
ARTICLE = {
    "verdict": "false",
    "publisher": "Clarim",
    "headline": "No",
    "url": "https://c.example",
    "language": "en",
}


@st.composite
def decisions(draw) -> Recorded:
    kind = draw(
        st.sampled_from(["standing_verdict", "provisional", "removal", "hide", "restriction", "kept"])
    )
    begins = draw(HOURS)
    regional = kind in ("removal", "restriction", "hide")
    return Recorded(
        id=draw(st.uuids()).hex,
        kind=kind,
        in_force_from=begins,
        in_force_until=draw(st.none() | HOURS.filter(lambda t: t > begins))
        if begins < NOON + timedelta(hours=30)
        else None,
        outcome=draw(st.sampled_from(VERDICTS)) if kind == "standing_verdict" else "",
        contested=kind == "standing_verdict" and draw(st.booleans()),
        regions=tuple(draw(st.lists(st.sampled_from(REGIONS), max_size=2, unique=True))) if regional else (),
        ground=draw(st.sampled_from(["hate", "harassment"])) if kind in ("removal", "hide") else "",
        presentation={"articles": [ARTICLE]},
    )


@st.composite
def switched(draw) -> Switched:
    begins = draw(HOURS)
    return Switched(
        begins,
        draw(st.none() | HOURS.filter(lambda t: t > begins)) if begins < NOON + timedelta(hours=30) else None,
        country=draw(st.sampled_from(["", "LK", "DE"])),
        outcome=draw(st.sampled_from(["", "false"])),
    )


def copied(known: Inputs) -> Copy:
    """What a client holds after it read the post's state at noon."""
    present, *then = timeline.stretches(known, NOON)
    written = {"post": "p", "external_id": "e", "version": 1, **_world(present.document, known.policy)}
    written["then"] = [{"begins": _time(s.begins), **_world(s.document, known.policy)} for s in then]
    held = Held()
    held.put(State(json.loads(json.dumps(written))))
    copy = Copy()
    copy._replace(held)
    return copy


def ruled(known: Inputs, at: datetime, region: str, preference: str) -> Answer:
    document = policy.effective_state(known, at).document
    if document is None:
        return NO_EFFECT
    return read_effect(policy.for_viewer(document, region=region, preference=preference, policy=known.policy))


@budget(200)
@given(
    made=st.lists(decisions(), max_size=5),
    strikes=st.lists(HOURS.map(lambda t: t + timedelta(minutes=30)), max_size=5),
    rules=st.sampled_from([RULES, OTHER_RULES]),
    lifts=st.lists(switched(), max_size=2),
    at=HOURS,
    early=st.timedeltas(min_value=timedelta(0), max_value=timedelta(microseconds=1)),
    region=st.sampled_from(["", *REGIONS, "LK-2", "DE-BE", "FR"]),
    preference=st.sampled_from(["default", "reduce_more", "do_not_reduce"]),
)
def test_a_copy_read_at_noon_answers_any_viewer_at_any_later_moment_as_the_rules_do(
    made, strikes, rules, lifts, at, early, region, preference
):
    known = Inputs("v1", made, strikes, 1, rules, lifts)
    copy = copied(known)

    for moment in {at, max(NOON, at - early)}:  # on the second, and just before
        answer = copy.lookup("p", region=region, viewer_preference=preference, at=moment)
        assert answer == ruled(known, moment, region, preference)
        assert [answer] == copy.lookup_many(["p"], region=region, viewer_preference=preference, at=moment)
