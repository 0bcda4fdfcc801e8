"""Give the role that web and workers act as its rights, and not one more."""

from argparse import ArgumentParser
from typing import Any

from django.apps import apps
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction
from psycopg import sql


class Command(BaseCommand):
    help = (
        "Grants a database role what the running product needs: reading and writing every table, but no"
        " UPDATE, DELETE or TRUNCATE where rows are append-only. Run it as the owner after every migrate."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--role", required=True, help="An existing role that does not own the tables.")

    def handle(self, *, role: str, **options: Any) -> None:
        append_only = append_only_tables()
        with transaction.atomic():
            _refuse_unfit(role)
            who = sql.Identifier(role)
            _execute("GRANT USAGE ON SCHEMA public TO {}", who)
            _execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO {}", who)
            _execute("GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO {}", who)
            _execute("REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM {}", who)
            for table in append_only:
                _execute("REVOKE UPDATE, DELETE, TRUNCATE ON {} FROM {}", sql.Identifier(table), who)
        self.stdout.write(f"{role} may write every table, and only add to {len(append_only)}.")


def append_only_tables() -> list[str]:
    """Tables of the models that say `append_only = True`, sorted."""
    return sorted(model._meta.db_table for model in apps.get_models() if getattr(model, "append_only", False))


def _refuse_unfit(role: str) -> None:
    """Raises CommandError for a role that is missing, or whose rights nobody can take away."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper FROM pg_roles WHERE rolname = %s", [role])
        found = cursor.fetchone()
        if found is None:
            raise CommandError(
                f"There is no database role “{role}”: create it, as in CREATE ROLE {role} LOGIN."
            )
        cursor.execute("SELECT pg_has_role(%s, current_user, 'MEMBER')", [role])
        (may_become_owner,) = cursor.fetchone()
    if found[0] or may_become_owner:
        raise CommandError(
            f"“{role}” is a superuser or may act as the owner, so nothing can be kept from it."
        )


def _execute(statement: str, *names: sql.Identifier) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(statement).format(*names))
