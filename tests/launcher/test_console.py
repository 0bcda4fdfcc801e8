import os
import sys

import pytest

from launcher.console import step, table
from launcher.problems import Interrupted, Problem


def run(tmp_path, code: str, interrupted=lambda: False) -> None:
    step(
        "Preparing", [sys.executable, "-c", code],
        doing="prepare", env=os.environ, log=tmp_path / "log", interrupted=interrupted,
    )  # fmt: skip


def test_a_step_says_when_it_begins_and_how_long_it_took(tmp_path, capsys):
    run(tmp_path, "print('many details')")

    begun, ended = capsys.readouterr().out.splitlines()
    assert begun == "  Preparing …"
    assert ended.startswith("  Preparing: done (")
    assert "many details" in (tmp_path / "log").read_text()


def test_a_failed_step_is_a_problem_with_its_reason_and_its_log(tmp_path):
    with pytest.raises(Problem, match=f"^Could not prepare: out of luck. All of its output: {tmp_path}/log$"):
        run(tmp_path, "raise SystemExit('out of luck')")


def test_a_step_ends_at_once_when_somebody_wants_to_stop(tmp_path):
    with pytest.raises(Interrupted):
        run(tmp_path, "import time; time.sleep(60)", interrupted=lambda: True)


def test_a_table_is_aligned():
    rows = [("role", "email"), ("policy specialist", "p@x"), ("member", "m@x")]

    assert table(rows).splitlines() == [
        "  role               email",
        "  policy specialist  p@x",
        "  member             m@x",
    ]
