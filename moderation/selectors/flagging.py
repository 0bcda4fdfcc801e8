"""Everything that decides what becomes of a flag, in one question: intake is the busiest door."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from moderation.enums import ItemKind
from moderation.models import Flag, Post, PostVersion
from moderation.selectors import policies
from moderation.selectors.distribution import EXT, resolve

ANSWERING = (ItemKind.REVIEW, ItemKind.RE_CHECK)  # items of these kinds answer the flags on their posts


@dataclass(frozen=True)
class Around:
    """A cluster that the post is in, with some version."""

    cluster_id: uuid.UUID
    with_this_version: bool
    rated: bool  # a verdict is in force on it
    open_kinds: Sequence[str]  # of the open items about it


@dataclass(frozen=True)
class Situation:
    """A version that somebody flags, as it is now. `version.post` has only what opening an item needs."""

    version: PostVersion
    reporter_id: uuid.UUID | None  # None: this reporter never flagged before
    live: Flag | None  # the reporter's live flag on the version
    rules: Mapping[str, Any]  # of the policy that holds now
    decided_at: datetime | None  # when this version was decided last, so that flags need no second review
    open_kinds: Sequence[str]  # of the open items about the post itself
    clusters: Sequence[Around]  # by the time the post joined

    def cooling_off(self, now: datetime) -> bool:
        """As services.flags.cooling_off."""
        since = now - timedelta(days=self.rules["cool_off_days"])
        own = [c for c in self.clusters if c.with_this_version]
        lately = self.decided_at is not None and self.decided_at > since
        return lately or (bool(own) and all(c.rated for c in own))

    @property
    def in_review(self) -> bool:
        """Whether an open item will answer the flags on this post."""
        kinds = [*self.open_kinds, *(kind for c in self.clusters for kind in c.open_kinds)]
        return any(kind in ANSWERING for kind in kinds)

    @property
    def item_is_open(self) -> bool:
        """Whether any item is open about the post, or about a cluster that this version is in."""
        return bool(self.open_kinds) or any(c.open_kinds for c in self.clusters if c.with_this_version)

    def without_item(self) -> dict[str, uuid.UUID] | None:
        """What an item would have to be opened about, as in services.queue; None where one is open."""
        if ItemKind.RE_CHECK in self.open_kinds:
            return None
        unrated = next((c for c in self.clusters if c.with_this_version and not c.rated), None)
        if ItemKind.REVIEW in (unrated.open_kinds if unrated else self.open_kinds):
            return None
        return {"cluster_id": unrated.cluster_id} if unrated else {"post_id": self.version.post_id}


_SITUATION = """
SELECT seen.id, seen.number, p.id, p.language, p.regions, p.topic, r.id,
    live.id, live.reason, live.note, live.at, live.outcome,
    (HOLDING),
    (SELECT max(i.closed_at) FROM moderation_reviewitem i
     WHERE i.displayed_version_id = seen.id AND i.status = 'closed'
       AND (i.outcome IN ('not_eligible', 'desk_closed', 'removed') OR i.outcome = 'rated' AND (
           i.kind = 're_check' OR EXISTS (
               SELECT FROM moderation_clustermember m
               WHERE m.cluster_id = i.cluster_id AND m.post_version_id = seen.id AND m.left_at IS NULL)))),
    ARRAY(SELECT i.kind FROM moderation_reviewitem i WHERE i.post_id = p.id AND i.status = 'open'),
    (SELECT jsonb_agg(jsonb_build_array(
            m.cluster_id, m.post_version_id = seen.id,
            EXISTS (
                SELECT FROM moderation_decision d
                WHERE d.cluster_id = m.cluster_id AND d.kind = 'standing_verdict' AND NOT d.ends
                  AND d.in_force_from <= %(now)s
                  AND NOT EXISTS (SELECT FROM moderation_decision n WHERE n.supersedes_id = d.id)),
            ARRAY(SELECT i.kind FROM moderation_reviewitem i
                  WHERE i.cluster_id = m.cluster_id AND i.status = 'open')) ORDER BY m.joined_at, m.id)
     FROM moderation_clustermember m WHERE m.post_id = p.id AND m.left_at IS NULL)
FROM (
    SELECT v.id, v.number, v.post_id FROM moderation_postversion v
    WHERE {which} AND (%(number)s::int IS NULL OR v.number = %(number)s) ORDER BY v.number DESC LIMIT 1
) AS seen
JOIN moderation_post p ON p.id = seen.post_id
LEFT JOIN moderation_reporter r ON r.{who} = %(reporter)s
LEFT JOIN moderation_flag live
    ON live.post_version_id = seen.id AND live.reporter_id = r.id AND live.withdrawn_at IS NULL
""".replace("HOLDING", policies.HOLDING)
_BY_VERSION = "v.id = %(version)s"
_BY_POST = "v.post_id = %(version)s"
_BY_EXTERNAL_ID = "v.post_id = (SELECT id FROM moderation_post WHERE external_id = %(version)s)"


def of_version(version_id: uuid.UUID, reporter: "uuid.UUID | str", *, now: datetime) -> Situation | None:
    """None if there is no such version. A reporter is a person's id, or the platform's own id of a member."""
    return _read(_BY_VERSION, version_id, None, reporter, now)


def of_post(ref: str, number: int | None, reporter: "uuid.UUID | str", *, now: datetime) -> Situation | None:
    """As `of_version`, for the version of a post that somebody saw: the one with this number, or the newest."""
    if ref.startswith(EXT):
        return _read(_BY_EXTERNAL_ID, ref.removeprefix(EXT), number, reporter, now)
    post_id = resolve([ref])[ref]
    return _read(_BY_POST, post_id, number, reporter, now) if post_id is not None else None


def _read(
    which: str, seen: "uuid.UUID | str", number: int | None, reporter: "uuid.UUID | str", now: datetime
) -> Situation | None:
    who = "person_id" if isinstance(reporter, uuid.UUID) else "external_id"
    with connection.cursor() as cursor:
        cursor.execute(
            _SITUATION.format(which=which, who=who),
            {"version": seen, "number": number, "reporter": reporter, "now": now},
        )
        row = cursor.fetchone()
    if row is None:
        return None
    version_id, at_number, post_id, language, regions, topic, reporter_id, *rest = row
    flag_id, reason, note, at, outcome, policy_number, decided_at, open_kinds, clusters = rest
    post = Post(pk=post_id, language=language, regions=regions, topic=topic)
    version = PostVersion(pk=version_id, number=at_number, post=post)
    live = None
    if flag_id is not None:
        live = Flag(
            pk=flag_id, post=post, post_version=version, reporter_id=reporter_id,
            reason=reason, note=note, at=at, outcome=outcome,
        )  # fmt: skip
    return Situation(
        version, reporter_id, live, policies.numbered(policy_number), decided_at, open_kinds,
        [Around(uuid.UUID(i), *said) for i, *said in json.loads(clusters or "[]")],
    )  # fmt: skip
