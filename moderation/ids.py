"""Identifiers: UUIDv7, so that new rows land at the end of every index."""

import uuid
from collections.abc import Iterable

import uuid_utils.compat
from django.db.models.expressions import RawSQL


def new_id() -> uuid.UUID:
    return uuid_utils.compat.uuid7()


def array(ids: Iterable[object]) -> str:
    """The ids, UUIDs or their text, as PostgreSQL reads an array, for `%s::uuid[]`: one parameter, however many they are."""
    return f"{{{','.join(map(str, ids))}}}"


def among(ids: Iterable[object]) -> RawSQL:
    """For `__in`: as the ids themselves, but for thousands of them at a tenth of the cost."""
    return RawSQL("SELECT unnest(%s::uuid[])", [array(ids)])
