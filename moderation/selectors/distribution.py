"""What must be done with posts now: from the cache, and from PostgreSQL for whatever the cache lacks."""

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from moderation import effective_cache, policy
from moderation.effective_cache import Entry
from moderation.enums import ViewerPreference
from moderation.models import EffectiveState, Post
from moderation.selectors import inputs, policies

EXT = "ext:"


@dataclass(frozen=True)
class Answer:
    """One post of a lookup: unknown, without effect (document None), or with its document."""

    ref: str
    post_id: uuid.UUID | None
    version: int
    document: dict[str, Any] | None


def lookup(
    refs: Sequence[str], *, region: str = "", preference: str = ViewerPreference.DEFAULT, now: datetime
) -> list[Answer]:
    """Answers in the order of `refs` (post ids, or ext:external ids). Unknown ones have no post id.

    A state whose time ran out is computed anew here, so an effect ends on the second whatever the workers do.
    """
    ids = resolve(refs)
    wanted = list(dict.fromkeys(i for i in ids.values() if i is not None))
    entries = effective_cache.read(wanted)
    missing = [i for i in wanted if i not in entries]
    if missing:
        epoch = effective_cache.epoch()
        from_database = _read(missing)
        effective_cache.write(from_database.items(), epoch)
        entries = {**entries, **from_database}
    ended = [i for i, e in entries.items() if not e.holds_at(now)]
    if ended:
        fresh = inputs.compute(ended, now=now)
        entries |= {i: Entry(entries[i].version, s.valid_until, s.document) for i, s in fresh.items()}
    rules = {} if preference == ViewerPreference.DEFAULT else policies.at(now).data
    answers = []
    for ref in refs:
        post_id = ids[ref]
        entry = entries.get(post_id) if post_id else None
        document = entry.document if entry else None
        if document is not None:
            document = policy.for_viewer(document, region=region, preference=preference, policy=rules)
        answers.append(Answer(ref, post_id if entry else None, entry.version if entry else 0, document))
    return answers


@dataclass(frozen=True)
class Known:
    """What the cache has at once for a lookup without region and choice, in JSON."""

    ids: dict[str, str | None]  # ref -> post id in small hexadecimal, None for what cannot be one
    served: dict[str, tuple[bytes, bytes]]  # post id -> as effective_cache.served


def known(refs: Sequence[str], *, now: datetime) -> Known:
    """The refs whose post id is not among those served are for `lookup`."""
    ids: dict[str, str | None] = {ref: ref for ref in refs if _CANONICAL.fullmatch(ref)}
    if len(ids) < len(refs):
        others = resolve([ref for ref in refs if ref not in ids])
        ids |= {ref: str(i) if i else None for ref, i in others.items()}
    wanted = list(dict.fromkeys(i for i in ids.values() if i is not None))
    return Known(ids, effective_cache.served(wanted, at=now))


_CANONICAL = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def resolve(refs: Sequence[str]) -> dict[str, uuid.UUID | None]:
    """Post ids of refs; None for what cannot be one. Plain ids are not checked for existence here."""
    external = [r.removeprefix(EXT) for r in refs if r.startswith(EXT) and "\0" not in r]
    known = (
        dict(Post.objects.filter(external_id__in=external).values_list("external_id", "pk"))
        if external
        else {}
    )
    return {r: known.get(r.removeprefix(EXT)) if r.startswith(EXT) else _uuid(r) for r in refs}


def document_for(post_id: uuid.UUID, *, region: str, preference: str, now: datetime) -> dict[str, Any] | None:
    """One post as one viewer gets it, for pages."""
    return lookup([str(post_id)], region=region, preference=preference, now=now)[0].document


def _read(post_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, Entry]:
    return {
        s.post_id: Entry(s.version, s.valid_until, s.document)
        for s in EffectiveState.objects.filter(post_id__in=post_ids).order_by("post_id")
    }


def _uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
