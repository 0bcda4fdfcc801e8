"""What lists share: what was asked for, and pages by keyset, so that nothing is shown twice or missed while rows come and go."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.core.exceptions import ValidationError
from django.db.models import Model, Q, QuerySet
from django.http import Http404, HttpRequest, QueryDict
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode

Row = TypeVar("Row", bound=Model)
AFTER = "after"


def asked(values: QueryDict, name: str, most: int = 254) -> str:
    """What somebody wrote into an address or a search field, fit to be looked for: trimmed, cut, no NUL."""
    return values.get(name, "").replace("\0", "").strip()[:most]


@dataclass(frozen=True)
class ListPage(Generic[Row]):
    """Some rows, and where the next ones are (None: these were the last)."""

    rows: Sequence[Row]
    next_url: str | None


def cursor_page(
    request: HttpRequest, rows: QuerySet[Row], limit: int, *, keys: Sequence[str] = ("pk",)
) -> ListPage[Row]:
    """The page of `rows` that `?after=` asks for. `keys`: what they are ordered by, all descending, the last unique."""
    after = request.GET.get(AFTER, "")
    if after:
        rows = rows.filter(_behind(rows.model, keys, decode_cursor(after)))
    found = list(rows[: limit + 1])
    if len(found) <= limit:
        return ListPage(found, None)
    last = found[limit - 1]
    return ListPage(found[:limit], url_after(request.GET, [str(getattr(last, key)) for key in keys]))


def url_after(query: QueryDict, values: Sequence[Any]) -> str:
    """The same query string, further down the list."""
    following = query.copy()
    following[AFTER] = urlsafe_base64_encode(json.dumps(list(values)).encode())
    return f"?{following.urlencode()}"


def decode_cursor(cursor: str) -> list[Any]:
    """What `url_after` was given. Raises Http404 for anything else."""
    try:
        values = json.loads(urlsafe_base64_decode(cursor))
    except ValueError:
        raise Http404 from None
    if not isinstance(values, list):
        raise Http404
    return values


def _behind(model: type[Model], keys: Sequence[str], values: Sequence[Any]) -> Q:
    """Rows that come after `values` when every key descends."""
    if len(keys) != len(values):
        raise Http404
    behind, same = Q(), Q()
    for key, value in zip(keys, values, strict=True):
        field = model._meta.pk if key == "pk" else model._meta.get_field(key)
        try:
            typed = field.to_python(value)  # type: ignore[union-attr]
        except (ValidationError, TypeError, ValueError, OverflowError):
            raise Http404 from None
        behind |= same & Q(**{f"{key}__lt": typed})
        same &= Q(**{key: typed})
    return behind
