"""Effective states in Redis: "version|valid_until|document", and behind the bars nothing for no effect.

The document is two JSON objects on two lines: what is kept back for regions and viewers' choices, and what
every lookup answers, so that hundreds of posts are answered without reading what is about them.

Absence of a key means "read PostgreSQL", never "no effect". Keys carry the server's run id. A value is
written only over an older version, so late writers lose, and only into the cache that was there when its
writer read PostgreSQL: what a flush took with it, no late writer brings back in an older state.
"""

import json
import logging
import re
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import redis

from moderation.redis_client import key, server

logger = logging.getLogger(__name__)

SECONDS_KEPT = 7 * 24 * 3600
# Members of a document that no viewer sees: policy.for_viewer takes them out.
KEPT_BACK = ("regions", "rating_bp", "actor_bp")
_ENTRY = re.compile(rb"(\d+)\|(\d+\.\d+)?\|(?:\{[^\n]*\}\n\{([^\n]*)\})?")

# Versions and what they say come apart: thousands of posts may say the same, which is sent once.
# A full server refuses to SET but not to DEL: better no value than an outdated one.
_SET_IF_NEWER = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local refusal
local bodies = #ARGV - 2 * (#KEYS - 1)
for i = 2, #KEYS do
    local k, version, body = KEYS[i], ARGV[bodies + 2 * i - 3], ARGV[ARGV[bodies + 2 * i - 2] + 2]
    local held = tonumber(string.match(redis.call('GETRANGE', k, 0, 24), '^(%d+)|') or '-1')
    if held < tonumber(version) then
        local done = redis.pcall('SET', k, version .. '|' .. body, 'EX', ARGV[2])
        if done.err then
            refusal = done
            redis.call('DEL', k)
        end
    end
end
return refusal or 1
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
    values = _values(post_ids)
    found = {i: _parse(v) for i, v in zip(post_ids, values, strict=True) if v is not None}
    return {i: entry for i, entry in found.items() if entry is not None}


def served(post_ids: Sequence[str], *, at: datetime) -> dict[str, tuple[bytes, bytes]]:
    """For the posts (ids in small hexadecimal) of which the cache knows what holds at `at`: the version, and
    the members of the JSON object that says what to do, b"" for no effect."""
    found, seconds, read_entry = {}, at.timestamp(), _ENTRY.fullmatch
    for post_id, value in zip(post_ids, _values(post_ids), strict=True):
        entry = read_entry(value) if value is not None else None
        if entry is not None:
            version, until, members = entry.groups(b"")
            if not until or seconds < float(until):
                found[post_id] = (version, members)
    return found


def _values(post_ids: Sequence[object]) -> list[bytes | None]:
    redis_server = server()
    nothing: list[bytes | None] = [None] * len(post_ids)
    if not post_ids or redis_server.absent():
        return nothing
    try:
        run_id = redis_server.run_id()
        prefix = _key(run_id, "")
        values = redis_server.client.mget([f"{prefix}{i}" for i in post_ids])
        if redis_server.run_id() != run_id:  # it restarted in between: these are an earlier run's values
            return nothing
    except redis.RedisError as error:
        redis_server.failed()
        logger.warning("effective_cache_unreadable", extra={"error": str(error)})
        return nothing
    return [value if isinstance(value, bytes) else None for value in values]


@dataclass(frozen=True)
class Epoch:
    """The cache as it is between two restarts or flushes."""

    run_id: str
    token: bytes


def epoch() -> Epoch | None:
    """The present epoch, to be asked for before PostgreSQL is read; None when Redis is absent or slow."""
    redis_server = server()
    if redis_server.absent():
        return None
    try:
        run_id = redis_server.run_id()
        name = _key(run_id, "epoch")
        token = redis_server.client.get(name)
        if token is None:
            redis_server.client.set(name, uuid.uuid4().hex, nx=True)
            token = redis_server.client.get(name)
    except redis.RedisError as error:
        redis_server.failed()
        logger.warning("effective_cache_unreadable", extra={"error": str(error)})
        return None
    return Epoch(run_id, token) if isinstance(token, bytes) else None


def write(entries: Iterable[tuple[object, Entry]], during: Epoch | None) -> bool:
    """Write what is newer, if the epoch in which it was read still lasts; returns whether Redis took it."""
    redis_server = server()
    if during is None or redis_server.absent():
        return False
    rows = list(entries)
    try:
        script = redis_server.client.register_script(_SET_IF_NEWER)
        prefix = _key(during.run_id, "")
        for start in range(0, len(rows), 500):
            part = rows[start : start + 500]
            numbers: dict[tuple[datetime | None, int], int] = {}
            bodies: list[str] = []
            said: list[int] = []
            for _, entry in part:
                which = (entry.valid_until, id(entry.document))
                if which not in numbers:
                    bodies.append(_body(entry))
                    numbers[which] = len(bodies)
                said += (entry.version, numbers[which])
            taken = script(
                keys=[_key(during.run_id, "epoch"), *(f"{prefix}{i}" for i, _ in part)],
                args=[during.token, SECONDS_KEPT, *bodies, *said],
            )
            if not taken:
                return False
    except redis.RedisError as error:
        redis_server.failed()
        logger.warning("effective_cache_unwritable", extra={"error": str(error)})
        return False
    return True


def _key(run_id: str, name: object) -> str:
    return key("effects", run_id, name)


def _body(entry: Entry) -> str:
    """What stands behind the version."""
    until = entry.valid_until.timestamp() if entry.valid_until else ""
    body = ""
    if entry.document is not None:
        kept_back = {k: v for k, v in entry.document.items() if k in KEPT_BACK}
        told = {k: v for k, v in entry.document.items() if k not in KEPT_BACK}
        body = f"{_json(kept_back)}\n{_json(told)}"
    return f"{until}|{body}"


def _json(members: dict[str, Any]) -> str:
    return json.dumps(members, separators=(",", ":"), ensure_ascii=False)


def _parse(value: bytes) -> Entry | None:
    """None for what is no entry of ours."""
    try:
        version, until, body = value.split(b"|", 2)
        kept_back, _, told = body.partition(b"\n")
        return Entry(
            int(version),
            datetime.fromtimestamp(float(until), tz=UTC) if until else None,
            {**json.loads(told), **json.loads(kept_back)} if body else None,
        )
    except (ValueError, TypeError):
        logger.warning("effective_cache_garbled")
        return None
