"""Writes that nobody waits for one by one: several statements go to the database in one trip.

That works because parameters are bound on our side (Django's default for PostgreSQL).
"""

from collections.abc import Sequence
from typing import Any

from django.db import connection

Statement = tuple[str, Sequence[Any]]  # SQL with a %s for each parameter


def run(*statements: Statement) -> None:
    """In their order, in the caller's transaction."""
    with connection.cursor() as cursor:
        cursor.execute(
            ";".join(sql for sql, _ in statements), [value for _, values in statements for value in values]
        )
