"""Which verdict stands when several partners rated one claim (domain 4, conflict)."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from factcheck.enums import Verdict
from factcheck.policy import SEVERITY, Given, standing
from tests.depth import budget

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
FALSE, ALTERED, PARTLY, CONTEXT, SATIRE, TRUE = (
    Verdict.FALSE,
    Verdict.ALTERED,
    Verdict.PARTLY_FALSE,
    Verdict.MISSING_CONTEXT,
    Verdict.SATIRE,
    Verdict.TRUE,
)


def given_by(*verdicts: Verdict) -> list[Given]:
    """One rating per partner, a minute apart."""
    return [
        Given(f"rating-{i}", f"partner-{i}", v, NOON + timedelta(minutes=i)) for i, v in enumerate(verdicts)
    ]


def test_nobody_rated_nothing_stands():
    assert standing([]) is None


def test_one_partners_word_stands_alone():
    stands = standing(given_by(FALSE))

    assert (stands.verdict, stands.contested, stands.rests_on) == (FALSE, False, ("rating-0",))


def test_equal_severity_never_conflicts_and_the_earliest_word_stands():
    stands = standing(given_by(ALTERED, FALSE))

    assert (stands.verdict, stands.contested) == (ALTERED, False)
    assert stands.rests_on == ("rating-0", "rating-1")


def test_two_who_differ_leave_the_softer_effect_disputed_with_both_articles():
    stands = standing(given_by(FALSE, CONTEXT))

    assert (stands.verdict, stands.contested) == (CONTEXT, True)
    assert stands.rests_on == ("rating-0", "rating-1")


def test_a_third_who_agrees_settles_it_in_either_direction():
    harder, softer = standing(given_by(FALSE, CONTEXT, ALTERED)), standing(given_by(FALSE, CONTEXT, CONTEXT))

    assert (harder.verdict, harder.contested) == (FALSE, False)
    assert harder.rests_on == ("rating-0", "rating-2")
    assert (softer.verdict, softer.contested) == (CONTEXT, False)


def test_three_who_all_differ_settle_nothing():
    stands = standing(given_by(FALSE, PARTLY, TRUE))

    assert (stands.verdict, stands.contested) == (TRUE, True)


def test_two_against_two_is_still_disputed():
    assert standing(given_by(FALSE, FALSE, TRUE, TRUE)).contested


verdicts = st.lists(st.sampled_from(list(Verdict)), min_size=1, max_size=6)


@given(verdicts, st.randoms(use_true_random=False))
@budget(80)
def test_the_order_in_which_ratings_are_read_does_not_matter(words, order):
    rows = given_by(*words)
    mixed = list(rows)
    order.shuffle(mixed)

    assert standing(rows) == standing(mixed)


@given(verdicts)
@budget(80)
def test_a_dispute_never_has_more_effect_than_its_softest_rating(words):
    stands = standing(given_by(*words))

    assert stands.verdict in words
    if stands.contested:
        assert SEVERITY[stands.verdict] == min(SEVERITY[w] for w in words)
        assert len(stands.rests_on) == len(words)
    else:
        shown = {SEVERITY[words[int(r.removeprefix("rating-"))]] for r in stands.rests_on}
        assert shown == {SEVERITY[stands.verdict]}


@given(verdicts)
@budget(40)
def test_agreement_of_one_more_partner_never_makes_a_settled_verdict_disputed(words):
    stands = standing(given_by(*words))

    if not stands.contested:
        again = standing(given_by(*words, stands.verdict))
        assert not again.contested
        assert SEVERITY[again.verdict] == SEVERITY[stands.verdict]
