import os
import signal
import time

import pytest

import launcher.supervisor as supervisor_module
from launcher import children
from launcher.children import last_lines, stop
from launcher.problems import Interrupted
from launcher.supervisor import Signals, Supervisor
from tests.waiting import until

from .conftest import alive

FOREVER = "import time; time.sleep(60)"
SAY_WHEN_STOPPED = """
import signal, sys, time
def end(*_):
    print(time.monotonic())
    sys.exit()
signal.signal(signal.SIGTERM, end)
print("ready")
time.sleep(60)
"""


@pytest.fixture
def signals():
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield Signals()
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def said():
    return []


@pytest.fixture
def supervisor(signals, said):
    with Supervisor(signals, said.append) as supervisor:
        yield supervisor


def test_a_killed_child_is_started_again_and_it_is_said(supervisor, said, python):
    first = supervisor.start(python(FOREVER, name="web"), stop_group=1)

    os.kill(first.pid, signal.SIGKILL)

    assert supervisor.wait_for(lambda: supervisor.child("web").pid != first.pid, seconds=5)
    assert alive(supervisor.child("web").pid)
    assert said[0].startswith("web ended (SIGKILL); starting again in 0.5 s.")


def test_a_child_that_keeps_failing_is_given_growing_pauses(supervisor, said, python):
    supervisor.start(python("raise SystemExit(3)", name="web"), stop_group=1)

    assert supervisor.wait_for(lambda: supervisor.failures("web") == 3, seconds=10)

    assert [line.split("again in ")[1].split(" s")[0] for line in said] == ["0.5", "1", "2"]
    assert "(exit status 3)" in said[0]


def test_children_that_others_need_end_last(signals, said, python):
    with Supervisor(signals, said.append) as supervisor:
        logs = []
        for group, name in enumerate(("database", "broker", "worker", "web")):
            command = python(SAY_WHEN_STOPPED, name=name, grace=60)
            supervisor.start(command, stop_group=group)
            logs.append(command.log)
        assert until(lambda: all("ready" in last_lines(log) for log in logs))

    ended = [float(last_lines(log).split()[1]) for log in logs]
    assert ended == sorted(ended, reverse=True)


def test_leaving_by_an_error_ends_the_children(signals, said, python):
    with pytest.raises(ZeroDivisionError), Supervisor(signals, said.append) as supervisor:
        child = supervisor.start(python(FOREVER), stop_group=1)
        1 / 0  # noqa: B018

    assert not alive(child.pid)


def test_ctrl_c_ends_the_waiting(supervisor):
    os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(Interrupted):
        supervisor.wait_for(lambda: False, seconds=60)


def test_a_child_that_lives_but_does_not_work_is_replaced(supervisor, said, python):
    first = supervisor.start(python(FOREVER, name="worker"), stop_group=1)

    supervisor.restart("worker", "answers nothing")

    assert supervisor.wait_for(lambda: supervisor.child("worker").pid != first.pid, seconds=5)
    assert said[0] == "worker answers nothing: starting it again."


def test_the_logs_of_several_children_stay_bounded_each_for_itself(supervisor, monkeypatch, python):
    monkeypatch.setattr(children, "LOG_LIMIT_BYTES", 20_000)
    monkeypatch.setattr(supervisor_module, "_TRIM_EVERY_SECONDS", 0.1)
    names = ("web", "worker", "beat")
    kept = {}
    for name in names:
        command = python(f"while True: print('{name} says', 'x' * 200)", name=name)
        supervisor.start(command, stop_group=1)
        kept[name] = command.log.with_suffix(command.log.suffix + ".1")

    assert supervisor.wait_for(lambda: all(path.exists() for path in kept.values()), seconds=10)
    stop([supervisor.child(name) for name in names], in_a_hurry=lambda: True)

    for name in names:
        older = kept[name].read_text()
        assert len(older) < 20_000
        assert f"{name} says" in older
        assert not any(f"{other} says" in older for other in names if other != name)


def test_waiting_has_an_end(supervisor):
    started_at = time.monotonic()

    assert supervisor.wait_for(lambda: False, seconds=0.2) is False
    assert time.monotonic() - started_at < 2
