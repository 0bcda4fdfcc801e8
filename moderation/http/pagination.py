"""Pages by cursor: where the last row stood, never how many came before it.

A row that is there throughout is read exactly once, whatever is added or closed meanwhile, as long as
the columns of the ordering do not change. Nothing is counted.
"""

import base64
import binascii
import json
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Model, Q, QuerySet
from rest_framework import serializers

from moderation.http.problems import field_error
from moderation.http.shapes import Query

MOST = 200
USUAL = 50
FORWARD, BACK = "n", "p"


class PageQuery(Query):
    """The parameters of every list."""

    limit = serializers.IntegerField(
        min_value=1, max_value=MOST, default=USUAL, help_text="How many at most."
    )
    cursor = serializers.CharField(
        max_length=600, required=False, help_text="`next` or `previous` of another page."
    )


def page_of(row: type[serializers.Serializer], name: str) -> type[serializers.Serializer]:
    """The shape of a page of rows, for the schema."""
    fields = {
        "results": row(many=True),
        "next": serializers.CharField(allow_null=True, help_text="Cursor of the next page, or null."),
        "previous": serializers.CharField(allow_null=True, help_text="Cursor of the page before, or null."),
    }
    return type(name, (serializers.Serializer,), fields)


@dataclass(frozen=True)
class Column:
    """A column to order by, never null. `kind` reads its value back from a cursor."""

    name: str
    kind: Callable[[Any], Any] = uuid.UUID
    down: bool = False


@dataclass(frozen=True)
class Ordering:
    """Columns of which the last is unique."""

    name: str
    columns: tuple[Column, ...]


def moment(word: str) -> datetime:
    """A time as a cursor holds it. Raises ValueError."""
    at = datetime.fromisoformat(word)
    if at.tzinfo is None:
        raise ValueError("A time in a cursor has its offset.")
    return at


NEWEST_FIRST = Ordering("newest", (Column("id", down=True),))
OLDEST_FIRST = Ordering("oldest", (Column("id"),))


@dataclass(frozen=True)
class Page:
    rows: Sequence[Any]
    next: str | None
    previous: str | None

    def document(self, write: Callable[[Any], Any]) -> dict[str, Any]:
        return {"results": [write(row) for row in self.rows], "next": self.next, "previous": self.previous}


def paginate(rows: QuerySet[Any], ordering: Ordering, asked: dict[str, Any]) -> Page:
    """The page that `asked` (a read PageQuery) names. Raises Problem for a cursor that is none of ours."""
    limit = asked["limit"]
    direction, anchor = _read(asked["cursor"], ordering) if "cursor" in asked else (FORWARD, None)
    back = direction == BACK
    found = rows.order_by(*(_term(column, back) for column in ordering.columns))
    if anchor is not None:
        found = found.filter(_beyond(ordering.columns, anchor, back))
    taken: list[Model] = list(found[: limit + 1])
    more, taken = len(taken) > limit, taken[:limit]
    if back:
        taken.reverse()
    first = _values(taken[0], ordering) if taken else anchor
    last = _values(taken[-1], ordering) if taken else anchor
    return Page(
        rows=taken,
        next=_write(ordering, FORWARD, last) if last and (more or back) else None,
        previous=_write(ordering, BACK, first) if first and (more if back else anchor is not None) else None,
    )


def _term(column: Column, back: bool) -> str:
    return f"-{column.name}" if column.down != back else column.name


def _beyond(columns: Sequence[Column], anchor: Sequence[Any], back: bool) -> Q:
    """Rows after the anchor: beyond in the first column, or equal there and beyond in the next."""
    beyond, equal = Q(), Q()
    for column, value in zip(columns, anchor, strict=True):
        side = "lt" if column.down != back else "gt"
        beyond |= equal & Q(**{f"{column.name}__{side}": value})
        equal &= Q(**{column.name: value})
    return beyond


def _values(row: Model, ordering: Ordering) -> list[Any]:
    return [getattr(row, column.name) for column in ordering.columns]


def _write(ordering: Ordering, direction: str, values: Sequence[Any]) -> str:
    words = [
        v if isinstance(v, float | int) else v.isoformat() if isinstance(v, datetime) else str(v)
        for v in values
    ]
    return (
        base64.urlsafe_b64encode(json.dumps([ordering.name, direction, *words]).encode()).decode().rstrip("=")
    )


def _read(cursor: str, ordering: Ordering) -> tuple[str, list[Any]]:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        name, direction, *words = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        anchor = [c.kind(word) for c, word in zip(ordering.columns, words, strict=True)]
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError, binascii.Error):
        raise _foreign() from None
    if name != ordering.name or direction not in (FORWARD, BACK):
        raise _foreign()
    return direction, anchor


def _foreign() -> Exception:
    return field_error("cursor", "invalid_cursor", "This cursor is not from a list in this order.")
