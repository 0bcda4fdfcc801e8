import os
import signal
import time

from launcher.children import (
    LOG_LIMIT_BYTES,
    MARK,
    Child,
    end_leftovers,
    last_lines,
    leftovers,
    stop,
    trim_log,
)
from tests.waiting import until

from .conftest import alive

STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready")
time.sleep(60)
"""
LAUNCH_ONE = """
import sys, time
from pathlib import Path
from launcher.children import Child, Command
child = Child(Command("sleeper", ("sleep", "60"), {}, Path(sys.argv[1]) / "log", cwd=Path("/")))
print(child.pid, flush=True)
time.sleep(60)
"""


def test_a_child_dies_with_its_launcher(tmp_path, launch):
    launcher = launch(LAUNCH_ONE, tmp_path)
    child = int(launcher.stdout.readline())
    assert alive(child)

    launcher.send_signal(signal.SIGKILL)

    assert until(lambda: not alive(child))


def test_ctrl_c_in_the_terminal_does_not_reach_a_child(python):
    child = Child(python("import time; time.sleep(60)"))

    assert os.getpgid(child.pid) == child.pid != os.getpgid(0)
    stop([child], in_a_hurry=lambda: False)


def test_a_child_that_ignores_the_request_is_ended_after_its_grace(python):
    child = Child(python(STUBBORN, grace=0.3))
    assert until(lambda: "ready" in last_lines(child.command.log))
    asked_at = time.monotonic()

    stop([child], in_a_hurry=lambda: False)

    assert child.exit_code() == -signal.SIGKILL
    assert 0.3 <= time.monotonic() - asked_at < 2


def test_a_second_request_cuts_the_grace_short(python):
    child = Child(python(STUBBORN, grace=30))
    assert until(lambda: "ready" in last_lines(child.command.log))
    asked_at = time.monotonic()

    stop([child], in_a_hurry=lambda: True)

    assert time.monotonic() - asked_at < 2


def test_children_of_a_stopped_child_are_ended_too(python):
    child = Child(python("import subprocess; p = subprocess.Popen(['sleep', '60']); print(p.pid); p.wait()"))
    assert until(lambda: last_lines(child.command.log).strip().isdigit())
    grandchild = int(last_lines(child.command.log))

    stop([child], in_a_hurry=lambda: False)

    assert until(lambda: not alive(grandchild))


def test_leftovers_are_recognised_by_the_mark_they_inherited(tmp_path, launch):
    other = tmp_path / "other"
    launched = launch("import subprocess, time; print(subprocess.Popen(['sleep', '60']).pid, flush=True); time.sleep(60)",
                      **{MARK: str(tmp_path)})  # fmt: skip
    grandchild = int(launched.stdout.readline())

    assert sorted(leftovers(tmp_path)) == sorted([launched.pid, grandchild])
    assert leftovers(other) == []

    assert end_leftovers(tmp_path, patience=0.1) == 2
    assert not alive(grandchild)


def test_a_log_stays_bounded_while_the_child_goes_on_writing(tmp_path):
    log = tmp_path / "child.log"
    with log.open("ab", buffering=0) as writer:
        writer.write(b"early\n" + b"x" * LOG_LIMIT_BYTES + b"\nlast words\n")
        trim_log(log)
        writer.write(b"afterwards\n")

    kept = log.with_suffix(".log.1")
    assert log.read_bytes() == b"afterwards\n"
    assert kept.read_bytes().endswith(b"last words\n")
    assert kept.stat().st_size <= LOG_LIMIT_BYTES / 2


def test_a_log_is_cut_although_its_older_lines_find_no_place(tmp_path):
    log = tmp_path / "child.log"
    log.write_bytes(b"x" * LOG_LIMIT_BYTES)
    log.with_suffix(".log.1").mkdir()  # cannot be written, as on a full disk

    trim_log(log)

    assert log.stat().st_size == 0


def test_a_small_log_is_left_alone(tmp_path):
    log = tmp_path / "child.log"
    log.write_text("few words\n")

    trim_log(log)

    assert last_lines(log) == "few words\n"
