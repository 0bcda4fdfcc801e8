"""Posts from files: read line by line, written in small transactions, to be resumed where it stopped.

A format turns a file into the objects of the HTTP contract (`POST /posts`); the same check that guards
the API guards the import. What a line lacks is said by its number, and the line is set aside.
"""

import calendar
import csv
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, Any

from moderation.errors import Invalid


@dataclass(frozen=True)
class Line:
    """One record of a file: the object to post, or why there is none. `number` counts lines from 1."""

    number: int
    raw: str
    post: Mapping[str, Any] | None
    fault: str = ""


Reader = Callable[[Path, IO[str]], Iterator[Line]]


def jsonl(path: Path, stream: IO[str]) -> Iterator[Line]:
    """JSON Lines of the HTTP contract's post objects, one a line; blank lines are nothing."""
    for number, raw in enumerate(stream, 1):
        if not raw.strip():
            continue
        try:
            post = json.loads(raw)
        except ValueError as error:
            yield Line(number, raw, None, f"not JSON: {error}")
            continue
        if isinstance(post, dict):
            yield Line(number, raw, post)
        else:
            yield Line(number, raw, None, "not an object")


def buzzfeed_top(path: Path, stream: IO[str]) -> Iterator[Line]:
    """The CSV files of the BuzzFeed News lists of 2016 to 2018: a title, its URL, and Facebook engagement.

    The publisher is the domain. A row is one publication: the same URL under another title is another.
    Views are not in the data: everybody who engaged has seen it, so engagement stands for them, reached
    within the first day.
    """
    rows = csv.DictReader(stream)
    for row in rows:
        number, raw = rows.line_num, json.dumps(row, ensure_ascii=False)
        try:
            yield Line(number, raw, _buzzfeed_row(row, path.stem))
        except (KeyError, ValueError, TypeError) as error:
            yield Line(number, raw, None, f"cannot be read: {error}")


FORMATS: Mapping[str, tuple[Reader, str]] = {  # format -> reader, files of a folder
    "jsonl": (jsonl, "*.jsonl"),
    "buzzfeed-top": (buzzfeed_top, "top_*.csv"),
}


def files(path: Path, format_name: str) -> list[Path]:
    """The file, or the folder's files of this format. Raises Invalid (`path`, `format`)."""
    if format_name not in FORMATS:
        raise Invalid(f"There is no format {format_name}; there are {', '.join(FORMATS)}.", field="format")
    if not path.exists():
        raise Invalid(f"{path} does not exist.", field="path")
    found = sorted(path.glob(FORMATS[format_name][1])) if path.is_dir() else [path]
    if not found:
        raise Invalid(f"{path} holds no {FORMATS[format_name][1]}.", field="path")
    return found


def lines(path: Path, format_name: str) -> Iterator[Line]:
    """The records of one file, streamed. Bytes that are no UTF-8 appear as faults of their line."""
    reader, _ = FORMATS[format_name]
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as stream:
        for line in reader(path, stream):
            if line.post is not None and _broken(line.raw):
                yield Line(line.number, line.raw, None, "not UTF-8")
            else:
                yield line


def _broken(text: str) -> bool:
    return any("\udc80" <= c <= "\udcff" for c in text)


def _buzzfeed_row(row: Mapping[str, str], year_of_file: str) -> dict[str, Any]:
    engagement = int(float(row.get("fb_engagement") or row.get("fb_engagements") or 0))
    published = _published(row, year_of_file)
    name = hashlib.sha256(f"{row['url']}\n{row['title']}".encode()).hexdigest()[:24]
    domain = row["domain"].strip().lower()
    if not domain:
        raise ValueError("no domain")
    return {
        "external_id": f"buzzfeed:{name}",
        "actor": {"kind": "domain", "external_id": domain, "name": domain},
        "text": row["title"],
        "links": [row["url"]],
        "language": "en",
        "published_at": published.isoformat(),
        "reach": {
            "at": (published + timedelta(days=1)).isoformat(),
            "views": engagement,
            "shares": engagement,
            "comments": 0,
        },
    }


def _published(row: Mapping[str, str], year_of_file: str) -> datetime:
    """The day, at midnight UTC; the list of 2016 knows the month only."""
    if date := row.get("published_date"):
        return datetime.fromisoformat(date).replace(tzinfo=UTC)
    month = list(calendar.month_name).index(row["month"])
    return datetime(int(year_of_file.rsplit("_", 1)[-1]), month, 1, tzinfo=UTC)
