"""What the page tests need of the machine: installed where that may be done, said where not."""

import os

import pytest

from launcher import browser
from launcher.problems import Problem


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """One whose programs and packages a test decides: `starts` by name, `installed` in order."""

    class Machine:
        root = True
        starts = {"chromium"}
        installed: list[str] = []

    here = Machine()
    here.starts, here.installed = {"chromium"}, []
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("chromium", "apt-get"):
        (programs / name).write_text("#!/bin/sh\nexit 0\n")
        (programs / name).chmod(0o755)

    def step(title, argv, **_):
        if argv[:2] == ["apt-get", "install"]:
            here.installed.append(argv[-1])
            here.starts.add({"libatomic1": "playwright"}.get(argv[-1], argv[-1]))

    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setattr(browser, "step", step)
    monkeypatch.setattr(os, "geteuid", lambda: 0 if here.root else 1000)
    monkeypatch.setattr(
        browser, "_starts", lambda *program: str(program[-1]).rsplit("/", 1)[-1] in here.starts
    )
    return here


def ensured(tmp_path):
    return browser.ensure(log=tmp_path / "log", interrupted=lambda: False)


def test_a_machine_that_has_everything_is_left_alone(machine, tmp_path):
    machine.starts.add("playwright")

    assert ensured(tmp_path).name == "chromium"
    assert machine.installed == []


def test_as_root_the_library_that_the_driver_lacks_is_installed(machine, tmp_path):
    ensured(tmp_path)

    assert machine.installed == ["libatomic1"]


def test_as_a_normal_user_a_sentence_names_what_is_missing(machine, tmp_path):
    machine.root = False

    with pytest.raises(Problem, match="need the system package libatomic1"):
        ensured(tmp_path)


def test_a_browser_that_does_not_start_is_told_and_not_used(machine, tmp_path):
    machine.starts.clear()

    with pytest.raises(Problem, match="does not start"):
        ensured(tmp_path)
