"""The platform exists without the programme: a copy of the tree without `factcheck/` works."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from launcher.places import ROOT

LEFT_OUT = shutil.ignore_patterns(
    ".venv",
    ".git",
    "var",
    "node_modules",
    "__pycache__",
    ".*_cache",
    ".hypothesis",
    "factcheck",
    "screenshots",
)


@pytest.fixture(scope="module")
def platform(tmp_path_factory) -> Path:
    """The tree without the programme, its pages and its tests."""
    copy = tmp_path_factory.mktemp("without") / "tree"
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
    assert not [path for path in copy.rglob("factcheck*") if path.is_dir()]
    return copy


def run(platform: Path, *argv: str) -> subprocess.CompletedProcess[str]:
    """Run Python there, on the suite's services but with a database and a folder of its own."""
    apart = ("VERACITY_TEST_FOLDER", "VERACITY_VAR", "REDIS_PREFIX", "DJANGO_SETTINGS_MODULE")
    env = {
        name: value
        for name, value in os.environ.items()
        if name not in apart and not name.startswith(("PYTEST_", "COV_"))
    }
    env["DATABASE_URL"] = env["DATABASE_URL"].rpartition("/")[0] + "/veracity_alone"
    env["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    return subprocess.run(
        [sys.executable, *argv], cwd=platform, env=env, capture_output=True, text=True, timeout=900
    )


def test_nothing_in_the_platform_mentions_the_programme():
    places = [ROOT / "moderation", ROOT / "templates" / "moderation", ROOT / "tests" / "moderation"]
    mentioned = [
        str(path.relative_to(ROOT))
        for place in places
        for path in place.rglob("*")
        if path.is_file() and path.suffix != ".pyc" and "factcheck" in path.read_text(errors="ignore").lower()
    ]

    assert mentioned == []


def test_the_platform_alone_passes_the_system_check(platform):
    result = run(platform, "manage.py", "check")

    assert result.returncode == 0, result.stdout + result.stderr


def test_the_platform_alone_needs_no_other_migrations(platform):
    result = run(platform, "manage.py", "makemigrations", "--check", "--dry-run")

    assert result.returncode == 0, result.stdout + result.stderr


def test_the_platform_alone_passes_its_own_tests(platform):
    result = run(platform, "-m", "pytest", "tests/moderation", "-q")

    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
