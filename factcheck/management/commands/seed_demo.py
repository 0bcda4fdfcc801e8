"""`manage.py seed_demo`: an invented platform with people, partners and a history, told once."""

import json
import secrets
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from factcheck.demo import cast, story
from factcheck.models import Partner
from moderation.caller import SYSTEM
from moderation.enums import Role, Scope
from moderation.services import api_clients

PLATFORM_SCOPES = (
    Scope.POSTS_WRITE,
    Scope.FLAGS_WRITE,
    Scope.SIGNALS_WRITE,
    Scope.DISTRIBUTION_READ,
    Scope.DECISIONS_READ,
    Scope.PARTNERS_READ,
)
# The account that shows each role, in the order in which one meets them.
SHOWN = (
    (Role.MEMBER, "member@veracity.example"),
    (Role.REVIEWER, "reviewer@veracity.example"),
    (Role.LEAD, "lead@veracity.example"),
    (Role.POLICY_SPECIALIST, "policy@veracity.example"),
    (Role.POLICY_SPECIALIST, "policy2@veracity.example"),
    (Role.ADMINISTRATOR, "admin@veracity.example"),
    (Role.ADMINISTRATOR, "admin2@veracity.example"),  # the second key of policies and switches
    (Role.AUDITOR, "auditor@veracity.example"),
)


class Command(BaseCommand):
    help = "Load the demo: invented people, partners, posts, flags, ratings and escalations."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--if-empty", action="store_true", help="do nothing if partners are here already")

    def handle(self, *args: Any, **options: Any) -> None:
        if Partner.objects.exists():
            if options["if_empty"]:
                self.stdout.write("Partners are here already: nothing to load.")
                return
            raise CommandError("The database holds partners already; the demo goes into an empty one.")
        now = timezone.now()
        password = secrets.token_urlsafe(9)
        people = cast.make(password=password, now=now)
        story.tell(people, now=now, progress=self._progress)
        _, key = api_clients.create(name="Demo platform", scopes=PLATFORM_SCOPES, caller=SYSTEM, now=now)
        sign_ins = [{"role": role, "email": email, "password": password} for role, email in SHOWN]
        sign_ins.append({"role": Role.API_CLIENT, "email": "Authorization: Bearer", "password": key})
        file = Path(settings.VAR_DIR) / "sign-ins.json"
        file.touch(mode=0o600)
        file.write_text(json.dumps(sign_ins, indent=1))
        self.stdout.write(f"Everybody's password is {password}; sign-ins are in {file}.")

    def _progress(self, what: str, done: int, total: int) -> None:
        end = "\n" if done == total else "\r"
        if sys.stderr.isatty() or done == total:
            self.stderr.write(f"{what} {done}/{total}", ending=end)
