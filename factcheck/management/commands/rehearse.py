"""`manage.py rehearse PATH`: the whole job under load, over HTTP, against the running product; then verified."""

import os
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from factcheck.rehearsal import acts, cast, checks, order
from factcheck.rehearsal.figures import Figures, until
from moderation.errors import DomainError
from moderation.selectors import feed
from moderation.services import audit, changes

SETTLES_WITHIN = 240.0  # seconds


class Command(BaseCommand):
    help = "Publish, flag, review, escalate and think again at load; print figures and check every invariant."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, help="a top_*.csv of titles, or its folder")

    def handle(self, *args: Any, path: Path, **options: Any) -> None:
        address = os.environ.get("VERACITY_ADDRESS", "")
        if not address:
            raise CommandError("Nothing runs here: use `make rehearse`, which starts what is missing.")
        now = timezone.now()
        figures = Figures()
        made = cast.make(partner_count=5, reviewer_count=16, specialist_count=3, now=now)
        stage = acts.Stage(address, made, figures)
        self._say("Publishing")
        try:
            acts.publish(stage, path, now=now)
        except DomainError as error:
            raise CommandError(error.message) from None
        self._say("300 members flag")
        acts.flag(stage)
        figures.lag("flags → all counted in the queue", self._settled())
        before = feed.order(now=now)
        self._say("16 reviewers rate, the desk removes")
        acts.review(stage)
        acts.think_again(stage)
        figures.lag("last decision → nothing owed", self._settled())
        while audit.seal():
            pass
        changes.sequence()
        self._say("Checking")
        figures.faults.extend(checks.faults(stage, now=timezone.now()))
        self._report(stage, before, feed.order(now=now))
        if figures.faults:
            raise CommandError(f"{len(figures.faults)} faults.")

    def _settled(self) -> float:
        waited = until(lambda: checks.owed(now=timezone.now()) == 0, seconds=SETTLES_WITHIN, every=0.2)
        if waited is None:
            raise CommandError(f"The workers still owe something after {SETTLES_WITHIN:.0f} s.")
        return waited

    def _report(self, stage: acts.Stage, before: dict[str, int], after: dict[str, int]) -> None:
        figures = stage.figures
        figures.counts["double leases"] = len(list(acts.double_leases(stage.takes)))
        for line in figures.lines():
            self.stdout.write(line)
        for row in order.moved(before, after, sunk=stage.rated_false(), removed=stage.removed):
            self.stdout.write(row)
        for fault in figures.faults[:40]:
            self.stderr.write(f"FAULT {fault}")
        self.stdout.write(f"{len(figures.faults)} faults")

    def _say(self, what: str) -> None:
        sys.stderr.write(f"· {what}\n")
