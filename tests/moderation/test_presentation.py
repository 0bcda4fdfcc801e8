"""How figures, times, verdicts and changes are worded and drawn."""

from datetime import UTC, datetime, timedelta

import pytest
from django.template import engines

from moderation import presentation
from moderation.enums import FlagReason
from moderation.templatetags import veracity_ui

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def rendered(source: str, **values: object) -> str:
    return engines["django"].from_string("{% load veracity_ui %}" + source).render(values)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "–"),
        (0, "0"),
        (9_999, "9,999"),
        (12_400, "12.4k"),
        (12_000, "12k"),
        (999_499, "999k"),
        (999_500, "1M"),
        (3_120_441, "3.1M"),
        (2_000_000_000, "2B"),
        (-12_400, "-12.4k"),
    ],
)
def test_a_count_is_exact_below_ten_thousand_and_short_above(value, words):
    assert presentation.compact(value) == words


@pytest.mark.parametrize(
    ("value", "words"), [(2_000, "20%"), (10_000, "100%"), (1_250, "12.5%"), (0, "0%"), (None, "–")]
)
def test_basis_points_are_read_as_a_percentage(value, words):
    assert presentation.percent_of_basis_points(value) == words


@pytest.mark.parametrize(
    ("span", "urgency", "words"),
    [
        (timedelta(hours=-3), "late", "Late by 3 h"),
        (timedelta(), "late", "Late by under 1 min"),
        (timedelta(minutes=40), "soon", "Due in 40 min"),
        (timedelta(hours=2), "soon", "Due in 2 h"),
        (timedelta(hours=5), "later", "Due in 5 h"),
        (timedelta(days=3), "later", "Due in 3 days"),
    ],
)
def test_a_due_time_says_in_words_what_its_colour_says(span, urgency, words):
    assert presentation.urgency(NOW + span, NOW) == urgency
    assert presentation.due_words(NOW + span, NOW) == words


def test_an_item_without_due_time_says_so():
    assert presentation.urgency(None, NOW) == "none"
    assert "No due time" in veracity_ui.due(None, now=NOW)


def test_the_past_is_told_from_the_future():
    assert presentation.ago_words(NOW - timedelta(hours=5), NOW) == "5 h ago"
    assert presentation.ago_words(NOW + timedelta(hours=5), NOW) == "in 5 h"
    assert presentation.ago_words(NOW - timedelta(seconds=20), NOW) == "just now"


def test_an_unknown_outcome_looks_like_not_rated():
    assert str(presentation.verdict_look("nonsense").word) == "Not rated"
    assert presentation.rated_by("false", "Clarim") == "Rated false by Clarim"


def test_what_was_removed_and_added_together_give_back_both_texts():
    old, new = "Downtown right now after the dam failed", "Downtown in 2011 after the dam failed again"

    changes = list(presentation.text_changes(old, new))

    assert "".join(piece for change, piece in changes if change != "added") == old
    assert "".join(piece for change, piece in changes if change != "removed") == new
    assert ("same", "Downtown ") in changes


def test_very_long_texts_are_compared_by_line():
    old = "\n".join(f"line {i} of a very long text" for i in range(1_000))

    assert ("added", "one more\n") in presentation.text_changes(old + "\n", old + "\none more\n")


def test_text_by_people_is_isolated_and_never_markup():
    html = veracity_ui.post_text("<b>عاجل</b>\nhttps://evil.example", lang="ar")

    assert html.startswith('<bdi class="post-text" dir="auto" lang="ar">')
    assert "<b>" not in html
    assert "<a" not in html


def test_a_diff_cannot_smuggle_markup():
    assert "<script>" not in veracity_ui.text_diff("a", "<script>alert(1)</script>")


def test_a_sparkline_of_less_than_two_figures_draws_nothing():
    assert veracity_ui.sparkline([]) == ""
    assert veracity_ui.sparkline([4]) == ""
    assert 'aria-label="rising"' in veracity_ui.sparkline([1, 2, 3], label="rising")
    assert "NaN" not in veracity_ui.sparkline([0, 0, 0])


def test_a_limited_list_of_reasons_keeps_the_dangerous_one_and_counts_the_rest():
    reasons = [
        {"code": FlagReason.FALSE_INFORMATION, "label": "False information", "count": 941},
        {"code": FlagReason.VIOLENCE, "label": "Calls for violence", "count": 2},
        {"code": FlagReason.SCAM, "label": "Scam", "count": 1},
    ]

    html = rendered(
        '{% include "components/reasons.html" with reasons=reasons limit=1 only %}', reasons=reasons
    )

    assert "Calls for violence" in html
    assert "+2" in html
