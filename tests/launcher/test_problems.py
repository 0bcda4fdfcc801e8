"""Whatever goes wrong, a person reads one sentence: no traceback, and a status that is not zero."""

import errno
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from launcher import __main__ as launcher
from launcher.places import ROOT
from launcher.problems import Problem, from_os_error, from_output
from launcher.product import chosen_port, require_free
from launcher.valkey import find_binary


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        (errno.ENOSPC, "The disk is full at /x: free some space and start again."),
        (errno.EACCES, "Permission denied at /x: run as the user who owns this folder."),
        (errno.EROFS, "The file system is read-only at /x: choose another folder with VERACITY_VAR."),
        (errno.EIO, "The operating system refused at /x: Input/output error."),
    ],
)
def test_an_operating_system_error_becomes_a_sentence(code, sentence):
    assert str(from_os_error(OSError(code, os.strerror(code), "/x"))) == sentence


def test_a_failed_command_is_told_by_its_last_telling_line():
    output = """Traceback (most recent call last):
  File "x.py", line 1, in <module>
    connect()
psycopg.OperationalError: connection refused.

"""
    assert str(from_output("prepare the database", output, "/log")) == (
        "Could not prepare the database: psycopg.OperationalError: connection refused. All of its output: /log"
    )


def test_a_disk_that_fills_under_a_command_is_named():
    output = "PANIC: could not write to file: No space left on device\nserver stopped"

    assert "the disk is full. Free some space" in str(from_output("start postgres", output, "/log"))


def test_a_taken_port_is_noticed_even_when_the_other_one_would_share_it():
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        with pytest.raises(Problem, match=rf"^Port {port} is taken by another program"):
            require_free(port)

    require_free(port)


@pytest.mark.parametrize("text", ["http", "0", "70000", "-1", "80 80"])
def test_a_port_that_is_none_is_refused(text, monkeypatch):
    monkeypatch.setenv("PORT", text)

    with pytest.raises(Problem, match="PORT must be a number from 1 to 65535"):
        chosen_port()


def test_the_port_is_8000_unless_chosen(monkeypatch):
    monkeypatch.setenv("PORT", "")
    assert chosen_port() == 8000
    monkeypatch.setenv("PORT", "8123")
    assert chosen_port() == 8123


def test_without_any_valkey_the_sentence_says_what_to_do(monkeypatch):
    monkeypatch.setattr("launcher.valkey.find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)

    with pytest.raises(Problem, match=r"^Valkey is missing: install .* or set REDIS_URL\.$"):
        find_binary()


def test_a_problem_ends_the_launcher_with_one_line_and_status_1(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("VERACITY_VAR", str(tmp_path / "file"))
    (tmp_path / "file").write_text("not a folder")

    assert launcher.main(["stop"]) == 1

    assert capsys.readouterr().err.count("\n") == 1


def with_path(folder: Path, *argv: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", str(ROOT / "launcher" / "find_python.sh"), *argv],
        env={"PATH": str(folder), **env},
        capture_output=True,
        text=True,
        timeout=30,
    )


@pytest.fixture
def bare_path(tmp_path) -> Path:
    """A PATH with `dirname` and nothing else."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "dirname").symlink_to(shutil.which("dirname"))
    return folder


def test_without_python_the_sentence_says_which_one_is_needed(bare_path):
    result = with_path(bare_path, "run")

    assert result.returncode == 1
    assert result.stderr.startswith("veracity: Python 3.11 or newer is missing")
    assert result.stderr.count("\n") == 1


def test_a_python_that_is_too_old_is_passed_over(bare_path, tmp_path):
    old = bare_path / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    assert with_path(bare_path, "stop").returncode == 1

    (bare_path / "python3.12").symlink_to(sys.executable)
    result = with_path(bare_path, "stop", VERACITY_VAR=str(tmp_path / "var"))

    assert result.returncode == 0, result.stderr
    assert result.stdout == "Veracity is not running.\n"


def test_a_python_named_by_hand_is_tried_first(bare_path, tmp_path):
    result = with_path(bare_path, "stop", PYTHON=sys.executable, VERACITY_VAR=str(tmp_path / "var"))

    assert result.stdout == "Veracity is not running.\n"
