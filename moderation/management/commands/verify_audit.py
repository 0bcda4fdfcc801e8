"""`manage.py verify_audit`: the audit log's hash chain."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from moderation.services import audit


class Command(BaseCommand):
    help = "Check the audit log's hash chain; exits with 1 on a changed or missing row."

    def handle(self, *args: Any, **options: Any) -> None:
        faults = audit.verify()
        for fault in faults:
            self.stderr.write(fault)
        if faults:
            raise CommandError(f"{len(faults)} faults in the audit log.")
        self.stdout.write(f"The audit log is whole; {audit.unsealed()} rows wait for their seal.")
