"""`manage.py verify_states`: every post's stored, cached and served state against its decisions in force."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from moderation.selectors import verification
from moderation.services import changes


class Command(BaseCommand):
    help = "Check that what is served is what the decisions in force say; exits with 1 on any difference."

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        changes.sequence()
        found = 0
        for fault in (*verification.faults(now=now), *verification.feed_faults()):
            found += 1
            self.stderr.write(fault)
        if found:
            raise CommandError(f"{found} differences in {verification.posts_checked()} posts.")
        self.stdout.write(
            f"{verification.posts_checked()} posts: stored, cached and served states are right."
        )
