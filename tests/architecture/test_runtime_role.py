"""What web and workers cannot do to history, whatever bug they have."""

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from launcher.postgres import OWNER, RUNTIME
from moderation.management.commands.grant_runtime import append_only_tables

pytestmark = pytest.mark.django_db


@pytest.fixture
def granted(capsys) -> None:
    call_command("grant_runtime", role=RUNTIME)


def rights(table: str) -> set[str]:
    """What the runtime role may do to a table."""
    names = ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "TRIGGER")
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM unnest(%s::text[]) AS name WHERE has_table_privilege(%s, %s, name)",
            [list(names), RUNTIME, f'"{table}"'],
        )
        return {name for (name,) in cursor.fetchall()}


def test_history_can_be_read_and_added_to_and_nothing_else(granted):
    tables = append_only_tables()

    assert len(tables) > 5
    assert {table: rights(table) for table in tables} == {table: {"SELECT", "INSERT"} for table in tables}


def test_everything_else_can_be_written_but_never_emptied_at_once(granted):
    everything = {
        model._meta.db_table for model in apps.get_models(include_auto_created=True) if model._meta.managed
    }

    for table in everything - set(append_only_tables()):
        assert rights(table) == {"SELECT", "INSERT", "UPDATE", "DELETE"}, table


def test_the_record_of_migrations_is_only_read(granted):
    assert rights("django_migrations") == {"SELECT"}


def test_rights_that_crept_in_are_taken_away_again(granted):
    table = append_only_tables()[0]
    with connection.cursor() as cursor:
        cursor.execute(f'GRANT ALL ON "{table}" TO {RUNTIME}')

    call_command("grant_runtime", role=RUNTIME)

    assert rights(table) & {"UPDATE", "DELETE", "TRUNCATE"} == set()


def test_the_database_itself_refuses(granted):
    table = append_only_tables()[0]

    with (
        pytest.raises(DatabaseError, match="permission denied"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(f"SET LOCAL ROLE {RUNTIME}")
        cursor.execute(f'DELETE FROM "{table}"')


@pytest.mark.parametrize(
    ("role", "sentence"),
    [("nobody_there", "There is no database role “nobody_there”"), (OWNER, "nothing can be kept from it")],
)
def test_a_role_from_which_nothing_can_be_kept_is_refused(role, sentence):
    with pytest.raises(CommandError, match=sentence):
        call_command("grant_runtime", role=role)
