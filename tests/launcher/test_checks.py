import re
import subprocess
import sys

import pytest

from launcher.checks import Tally, count

RESULTS = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="5">
<testcase classname="tests.a" name="test_passes"/>
<testcase classname="tests.a" name="test_fails"><failure message="x">x</failure></testcase>
<testcase classname="tests.a" name="test_fails"><error message="failed on teardown with x">x</error></testcase>
<testcase classname="tests.a" name="test_is_skipped"><skipped message="x">x</skipped></testcase>
<testcase classname="" name="tests.b"><error message="collection failure">x</error></testcase>
</testsuite></testsuites>
"""
# Eight tests, three of them of one name.
SUITE = """
import pytest

class Named(pytest.Item):
    def runtest(self):
        assert self.path.name

class File(pytest.File):
    def collect(self):
        for _ in range(3):
            yield Named.from_parent(self, name="same")

def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".named":
        return File.from_parent(parent, path=file_path)
"""
TESTS = """
import pytest

@pytest.fixture
def breaks():
    yield
    raise RuntimeError("tear-down")

def test_passes(): pass
def test_fails(): assert False
def test_fails_twice(breaks): assert False
def test_breaks_afterwards(breaks): pass
def test_breaks_before(missing): pass
def test_is_skipped(): pytest.skip("not here")
"""


@pytest.fixture
def tally() -> Tally:
    return Tally()


def test_a_test_counts_once_and_a_skipped_one_not_at_all(tmp_path, tally):
    results = tmp_path / "tests.xml"
    results.write_text(RESULTS)

    count(results, tally)

    assert (tally.passed, tally.failed) == (1, 2)


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_count_is_that_of_pytest_whatever_the_tests_are_called(tmp_path, tally, workers):
    (tmp_path / "conftest.py").write_text(SUITE)
    (tmp_path / "some.named").write_text("")
    (tmp_path / "test_some.py").write_text(TESTS)
    results = tmp_path / "tests.xml"

    said = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", workers, "-p", "no:django", "-p", "no:cacheprovider",
         "-c", "/dev/null", "--rootdir", ".", f"--junitxml={results}", "."],
        cwd=tmp_path, capture_output=True, text=True, timeout=60,
    ).stdout  # fmt: skip
    count(results, tally)

    assert re.search(r"2 failed, 5 passed, 1 skipped, 3 errors", said), said
    assert (tally.passed, tally.failed) == (4, 4)  # one passed and broke afterwards, one failed and broke
