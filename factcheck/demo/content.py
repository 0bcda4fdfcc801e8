"""The demo's files, read into plain rows. All people, organisations and places in them are invented."""

import json
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
MEDIA = FOLDER / "media"


@cache
def rows(name: str) -> list[dict[str, Any]]:
    """The rows of `name`.json or `name`.jsonl."""
    lines = FOLDER / f"{name}.jsonl"
    if lines.exists():
        return [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines() if line.strip()]
    found: list[dict[str, Any]] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return found
