import pytest

from launcher.checks import Tally, count

RESULTS = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="5">
<testcase classname="tests.a" name="test_passes"/>
<testcase classname="tests.a" name="test_fails"><failure message="x">x</failure></testcase>
<testcase classname="tests.a" name="test_fails"><error message="tear-down">x</error></testcase>
<testcase classname="tests.a" name="test_is_skipped"><skipped message="x">x</skipped></testcase>
<testcase classname="" name="tests.b"><error message="collection failure">x</error></testcase>
</testsuite></testsuites>
"""


@pytest.fixture
def tally() -> Tally:
    return Tally()


def test_a_test_counts_once_and_a_skipped_one_not_at_all(tmp_path, tally):
    results = tmp_path / "tests.xml"
    results.write_text(RESULTS)

    count(results, tally)

    assert (tally.passed, tally.failed) == (1, 2)
