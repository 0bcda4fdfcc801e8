"""Effective states in Redis: "version|valid_until|document".

Absence of a key means "read PostgreSQL", never "no effect". Keys carry the server's run id. A value is
written only over an older version, so late writers lose.
"""

import json
import logging
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import redis

from moderation.redis_client import key, server

logger = logging.getLogger(__name__)

SECONDS_KEPT = 7 * 24 * 3600

_SET_IF_NEWER = """
for i, k in ipairs(KEYS) do
    local new = ARGV[i + 1]
    local now = redis.call('GETRANGE', k, 0, 24)
    local held = tonumber(string.match(now, '^(%d+)|') or '-1')
    if held < tonumber(string.match(new, '^(%d+)|')) then
        redis.call('SET', k, new, 'EX', ARGV[1])
    end
end
return 1
"""


@dataclass(frozen=True)
class Entry:
    version: int
    valid_until: datetime | None
    document: dict[str, Any] | None

    def holds_at(self, now: datetime) -> bool:
        return self.valid_until is None or now < self.valid_until


def read(post_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, Entry]:
    """What the cache knows of these posts; {} when Redis is absent or slow."""
    redis_server = server()
    if not post_ids or redis_server.absent():
        return {}
    try:
        prefix = key("effect", redis_server.run_id(), "")
        values = redis_server.client.mget([f"{prefix}{i}" for i in post_ids])
    except redis.RedisError as error:
        redis_server.failed()
        logger.warning("effective_cache_unreadable", extra={"error": str(error)})
        return {}
    return {i: _parse(v) for i, v in zip(post_ids, values, strict=True) if v is not None}


def write(entries: Iterable[tuple[uuid.UUID, Entry]]) -> bool:
    """Write what is newer; returns whether Redis took it."""
    rows = list(entries)
    redis_server = server()
    try:
        prefix = key("effect", redis_server.run_id(), "")
        script = redis_server.client.register_script(_SET_IF_NEWER)
        for start in range(0, len(rows), 500):
            part = rows[start : start + 500]
            script(
                keys=[f"{prefix}{i}" for i, _ in part], args=[SECONDS_KEPT, *(_format(e) for _, e in part)]
            )
    except redis.RedisError as error:
        redis_server.failed()
        logger.warning("effective_cache_unwritable", extra={"error": str(error)})
        return False
    return True


def _format(entry: Entry) -> str:
    until = entry.valid_until.timestamp() if entry.valid_until else ""
    body = (
        ""
        if entry.document is None
        else json.dumps(entry.document, separators=(",", ":"), ensure_ascii=False)
    )
    return f"{entry.version}|{until}|{body}"


def _parse(value: bytes) -> Entry:
    version, until, body = value.split(b"|", 2)
    return Entry(
        int(version),
        datetime.fromtimestamp(float(until), tz=UTC) if until else None,
        json.loads(body) if body else None,
    )
