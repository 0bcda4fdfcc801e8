"""`manage.py import_posts PATH --format …`: posts from files, with progress, to be resumed where it stopped."""

import json
import sys
from argparse import ArgumentParser
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import click
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone
from rest_framework.exceptions import ValidationError

from moderation.api.posts import PostIn, draft_of
from moderation.caller import SYSTEM
from moderation.errors import DomainError, Invalid
from moderation.http.problems import refusal
from moderation.http.shapes import check
from moderation.services import imports, posts
from moderation.services.posts import Reach

BATCH = 200  # lines to a transaction


@dataclass
class Mark:
    """How far a file was read: the last line that is committed, and what became of the lines."""

    line: int = 0
    added: int = 0
    edited: int = 0
    unchanged: int = 0
    set_aside: int = 0


class Command(BaseCommand):
    help = "Load posts from files. Repeating it changes nothing; after an interruption it goes on where it stopped."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, help="a file, or a folder of them")
        parser.add_argument("--format", required=True, choices=sorted(imports.FORMATS), dest="format_name")
        parser.add_argument(
            "--again", action="store_true", help="read from the first line, not from where it stopped"
        )

    def handle(self, *args: Any, path: Path, format_name: str, again: bool, **options: Any) -> None:
        try:
            files = imports.files(path, format_name)
        except Invalid as error:
            raise CommandError(error.message) from None
        folder = Path(settings.VAR_DIR) / "imports"
        folder.mkdir(parents=True, exist_ok=True)
        for file in files:
            self._load(file, format_name, folder, again=again)

    def _load(self, file: Path, format_name: str, folder: Path, *, again: bool) -> None:
        name = f"{file.stem}-{_fingerprint(file, format_name)}"
        mark_file, rejects = folder / f"{name}.json", folder / f"{name}.set-aside.jsonl"
        mark = Mark() if again or not mark_file.exists() else Mark(**json.loads(mark_file.read_text()))
        if mark.line == 0:
            rejects.unlink(missing_ok=True)
        elif mark.line:
            self.stdout.write(f"{file.name}: going on behind line {mark.line}.")
        waiting = (line for line in imports.lines(file, format_name) if line.number > mark.line)
        with self._progress(file) as bar, rejects.open("a", encoding="utf-8") as aside:
            while batch := list(islice(waiting, BATCH)):
                for fault in self._store(batch, mark):
                    aside.write(json.dumps(fault, ensure_ascii=True) + "\n")
                aside.flush()
                staged = mark_file.with_suffix(".new")
                staged.write_text(json.dumps(asdict(mark)))
                staged.replace(mark_file)
                bar.update(len(batch))
        if not rejects.stat().st_size:
            rejects.unlink()
        self.stdout.write(
            f"{file.name}: {mark.added} added, {mark.edited} edited, {mark.unchanged} unchanged, "
            f"{mark.set_aside} set aside" + (f" in {rejects}." if mark.set_aside else ".")
        )

    @transaction.atomic
    def _store(self, batch: list[imports.Line], mark: Mark) -> list[dict[str, Any]]:
        """One transaction: a batch is stored whole, but for the lines that say why they are not."""
        faults = []
        for line in batch:
            mark.line = line.number
            fault: Any = line.fault
            if line.post is not None:
                try:
                    with transaction.atomic():
                        done = _store_one(line.post)
                except (ValidationError, DomainError) as error:
                    fault = refusal(error)
                else:
                    kind = "added" if done.added else "edited" if done.edited else "unchanged"
                    setattr(mark, kind, getattr(mark, kind) + 1)
                    continue
            mark.set_aside += 1
            faults.append({"line": line.number, "fault": fault, "raw": line.raw})
            self.stderr.write(f"line {line.number}: {_words(fault)}")
        return faults

    def _progress(self, file: Path) -> Any:
        with file.open("rb") as stream:
            length = sum(1 for _ in stream)
        return click.progressbar(length=length, label=file.name, file=sys.stderr)


def _store_one(row: Any) -> posts.Upserted:
    data = check(PostIn, row)
    now = timezone.now()
    done = posts.upsert(draft_of(data), caller=SYSTEM, now=now)
    if "reach" in data:
        posts.record_reach([Reach(done.post.pk, **data["reach"])], caller=SYSTEM, now=now)
    return done


def _fingerprint(file: Path, format_name: str) -> str:
    """Names the content: a file that changed is another file."""
    digest = sha256(format_name.encode())
    with file.open("rb") as stream:
        for block in iter(lambda: stream.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()[:12]


def _words(fault: Any) -> str:
    return fault if isinstance(fault, str) else json.dumps(fault, ensure_ascii=False, default=str)
