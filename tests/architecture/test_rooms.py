"""Habits of the house that no other tool checks."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from launcher.places import ROOT
from launcher.product import WORKERS

CODE = ("bench", "clients", "config", "factcheck", "launcher", "moderation", "tests")
LONGEST_FILE = 400
NAMES_THAT_SAY_NOTHING = {"utils", "helpers", "common", "misc", "manager"}


def modules(*rooms: str) -> Iterator[Path]:
    for room in rooms or CODE:
        yield from (path for path in (ROOT / room).rglob("*.py") if "migrations" not in path.parts)


def offences(pattern: str, *rooms: str) -> list[str]:
    found = re.compile(pattern)
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in modules(*rooms)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if found.search(line)
    ]


def test_no_file_is_longer_than_a_room_allows():
    too_long = {
        str(p.relative_to(ROOT)): n
        for p in modules()
        if (n := len(p.read_text().splitlines())) > LONGEST_FILE
    }

    assert too_long == {}


def test_every_file_is_named_after_what_it_holds():
    assert [str(path.relative_to(ROOT)) for path in modules() if path.stem in NAMES_THAT_SAY_NOTHING] == []


def test_the_launcher_uses_the_standard_library_only():
    foreign = set()
    for path in modules("launcher"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            foreign |= {
                name for name in names if name.partition(".")[0] not in {*sys.stdlib_module_names, "launcher"}
            }

    assert foreign == set()


def test_due_times_are_rows_never_a_countdown_in_the_broker():
    assert offences(r"\b(eta|countdown)\s*=", "factcheck", "moderation", "config") == []


def test_nothing_happens_behind_a_save():
    assert offences(r"\b(post_save|pre_save|post_delete|pre_delete)\b", "factcheck", "moderation") == []


def test_time_is_passed_in_and_never_asked_of_the_database():
    assert (
        offences(r"\bNow\(\)|(?i:\bCURRENT_TIMESTAMP\b|\bnow\(\)\s*(AT|-|\+|<|>))", "factcheck", "moderation")
        == []
    )


def test_reference_data_comes_after_migrate_not_in_a_migration():
    migrations = [
        path for app in ("factcheck", "moderation") for path in (ROOT / app / "migrations").glob("*.py")
    ]

    assert [path.name for path in migrations if "RunPython" in path.read_text()] == []


def test_a_worker_waits_at_every_queue():
    served = [queue for queues, _ in WORKERS.values() for queue in queues]

    assert sorted(served) == sorted(settings.TASK_QUEUES)


def test_every_scheduled_task_exists_and_goes_to_a_queue_with_a_worker():
    from config.celery import app

    app.loader.import_default_modules()
    for name, entry in settings.CELERY_BEAT_SCHEDULE.items():
        assert entry["task"] in app.tasks, name
        assert entry["options"]["queue"] in settings.TASK_QUEUES, name


def test_a_task_is_stopped_before_its_message_is_given_to_somebody_else():
    visible_again = settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"]

    assert settings.CELERY_TASK_SOFT_TIME_LIMIT < settings.CELERY_TASK_TIME_LIMIT < visible_again


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt", "constraints.txt"])
def test_every_requirement_is_pinned_exactly(name):
    wanted = [line.split("#")[0].strip() for line in (ROOT / name).read_text().splitlines()]

    assert [line for line in wanted if line and not line.startswith("-") and "==" not in line] == []


PAGE_OFFENCES = {
    "an inline script": r"<script(?![^>]*\bsrc=)",
    "an inline style": r"<style\b|\sstyle\s*=",
    "an inline handler": r"\son[a-z]+\s*=\s*[\"']",
    "something from another host": r"<(script|link|img|iframe)[^>]*(src|href)\s*=\s*[\"'](https?:)?//",
}


@pytest.mark.parametrize("what", PAGE_OFFENCES)
def test_no_page_contains(what):
    found = re.compile(PAGE_OFFENCES[what], re.IGNORECASE)
    comments = re.compile(r"\{#.*?#\}|\{% comment.*?endcomment %\}|<!--.*?-->", re.DOTALL)
    pages = [*ROOT.glob("templates/**/*.html"), *ROOT.glob("*/templates/**/*.html")]

    assert [str(p.relative_to(ROOT)) for p in pages if found.search(comments.sub("", p.read_text()))] == []
