"""The virtual environment, made for real in a folder of its own (from nothing but what Python brings)."""

import importlib.util
import os
from pathlib import Path

import pytest

from launcher import environment
from launcher.problems import Problem


@pytest.fixture
def checkout(tmp_path, monkeypatch) -> Path:
    """A checkout whose requirements are empty, so that nothing is downloaded."""
    venv = tmp_path / ".venv"
    for name, value in {
        "ROOT": tmp_path, "VENV": venv, "PYTHON": venv / "bin" / "python", "_STAMP": venv / "installed.json"
    }.items():  # fmt: skip
        monkeypatch.setattr(environment, name, value)
    for name in ("requirements.txt", "requirements-dev.txt", "constraints.txt"):
        (tmp_path / name).write_text("# nothing\n")
    return tmp_path


def ensure(checkout: Path, purpose: str = "run") -> None:
    environment.ensure(purpose, log=checkout / "log" / "install.log", interrupted=lambda: False)


def test_it_is_made_once_and_filled_again_when_the_pins_change(checkout, capsys):
    ensure(checkout)
    assert "Creating .venv" in capsys.readouterr().out
    assert os.access(checkout / ".venv" / "bin" / "python", os.X_OK)

    ensure(checkout)
    assert capsys.readouterr().out == ""

    ensure(checkout, "test")
    assert "Installing requirements-dev.txt" in capsys.readouterr().out

    (checkout / "constraints.txt").write_text("# another pin\n")
    ensure(checkout)
    said = capsys.readouterr().out
    assert "Installing requirements.txt" in said and "Creating" not in said

    (checkout / ".venv" / "bin" / "python").unlink()
    ensure(checkout)
    assert "Creating .venv" in capsys.readouterr().out


def test_a_package_that_cannot_be_had_is_said_in_one_sentence_and_tried_again(checkout):
    (checkout / "requirements.txt").write_text("./no-such-folder\n")

    for _ in range(2):
        with pytest.raises(Problem, match=r"^Could not install the Python packages: .*install.log$"):
            ensure(checkout)


def test_a_python_without_venv_and_pip_is_told_what_is_missing(checkout, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)

    with pytest.raises(Problem, match=r"can make no virtual environment: .* apt install python3-venv"):
        ensure(checkout)


def test_where_only_ensurepip_is_missing_pip_fills_it_from_outside(checkout, monkeypatch, capsys):
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ensurepip" else real(name))

    ensure(checkout)

    assert "Installing requirements.txt: done" in capsys.readouterr().out
    assert not list(checkout.glob(".venv/lib/*/site-packages/pip"))
