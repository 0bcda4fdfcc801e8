"""/distribution/changes and /distribution/snapshot: a copy of every effect, and what changes since.

The feed is resumable and complete: positions are given in one order in which no reader can miss a part
(services.changes). A waiting reader holds no database connection, and few wait per process. A state that
ends by time comes with what follows, so that a copy is right on the second without asking.
"""

import base64
import json
import threading
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connection
from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from moderation import policy
from moderation.api import examples
from moderation.enums import ViewerPreference
from moderation.http import fields
from moderation.http.documents import EffectOut, WhereEffect
from moderation.http.problems import MEDIA_TYPE, Problem, field_error
from moderation.http.schema import ProblemOut, answered
from moderation.http.shapes import Query, query
from moderation.http.views import ApiView
from moderation.permissions import may_read_distribution
from moderation.selectors import policies, posts, timeline
from moderation.selectors.timeline import Stretch
from moderation.services import changes
from moderation.services.changes import Cursor, Told

MOST = 1000
USUAL = 200
FIRST_LOOK = 0.1  # seconds
INSIDE = ("rating_bp", "actor_bp")  # how the multipliers came about; not part of the contract
PREFERENCES = [p for p in ViewerPreference if p != ViewerPreference.DEFAULT]
_moment = fields.Moment()
_seats = threading.BoundedSemaphore(settings.LONG_POLL_WAITERS)


_BY_PREFERENCE = "Multipliers that differ for viewers with this preference, by surface."


class InsteadOut(EffectOut):
    """Members of the effect that are others in a country; those not named here hold as worldwide."""

    by_preference = serializers.DictField(
        child=serializers.DictField(child=serializers.FloatField()), help_text=_BY_PREFERENCE
    )


class RegionOut(serializers.Serializer):
    removed = serializers.BooleanField()
    interstitial = serializers.BooleanField()
    ground = serializers.CharField(allow_null=True)
    instead = InsteadOut(
        partial=True,
        required=False,
        help_text="Takes the place of the worldwide members, before a removal here.",
    )


class WorldOut(WhereEffect):
    """A worldwide effect, with what differs by region and by the viewer's preference."""

    state = serializers.ChoiceField(
        ["effect", "none"], help_text="`none`: nothing is to be done any more; no effect follows."
    )
    regions = serializers.DictField(
        child=RegionOut(), required=False, help_text="By region; a country's bind its subdivisions."
    )
    by_preference = serializers.DictField(
        child=serializers.DictField(child=serializers.FloatField()),
        required=False,
        help_text=_BY_PREFERENCE,
    )


class ThenOut(WorldOut):
    begins = fields.Moment()


class StateOut(WorldOut):
    post = serializers.UUIDField()
    external_id = serializers.CharField()
    version = serializers.IntegerField(help_text="Ignore a state older than the one you hold.")
    then = ThenOut(
        many=True,
        required=False,
        help_text="What takes its place by itself, soonest first, unless a change comes before.",
    )


class ChangeOut(StateOut):
    at = fields.Moment()


class ChangesOut(serializers.Serializer):
    changes = ChangeOut(many=True)
    cursor = serializers.CharField(help_text="Send it with the next request, also when `changes` is empty.")
    more = serializers.BooleanField(help_text="There is more already: ask again at once.")


class ChangesQuery(Query):
    cursor = serializers.RegexField(
        rf"^(?:{Cursor.PATTERN})$", help_text="From the snapshot or the last answer; `0` is the beginning."
    )
    limit = serializers.IntegerField(min_value=1, max_value=MOST, default=USUAL)
    wait = serializers.IntegerField(
        min_value=0,
        max_value=settings.LONG_POLL_SECONDS,
        default=0,
        help_text="Seconds to wait for the first change. Answered early when too many wait already.",
    )


class ChangesView(ApiView):
    @extend_schema(
        summary="Changes of effect since a cursor, oldest first",
        parameters=[ChangesQuery],
        responses={200: ChangesOut, (410, MEDIA_TYPE): ProblemOut},
        examples=[answered(examples.CHANGES)],
    )
    def get(self, request: Request) -> HttpResponse:
        may_read_distribution(self.caller).require()
        asked = query(ChangesQuery, request)
        place, limit = Cursor.parse(asked["cursor"]), asked["limit"]
        try:
            found = changes.after(place, limit=limit + 1)
            if not found and asked["wait"]:
                found = _wait(place, limit=limit + 1, seconds=asked["wait"])
        except changes.CursorLost as lost:
            raise Problem(410, lost.code, lost.message) from None
        shown = found[:limit]
        end = Cursor.behind(shown[-1]) if shown else place
        return _answer("changes", shown, cursor=str(end), more=len(found) > limit)


class SnapshotQuery(Query):
    limit = serializers.IntegerField(min_value=1, max_value=MOST, default=USUAL)
    cursor = serializers.CharField(max_length=200, required=False, help_text="`next` of the page before.")


class SnapshotOut(serializers.Serializer):
    states = StateOut(many=True, help_text="Posts that have, or had, an effect; all others have none.")
    next = serializers.CharField(allow_null=True, help_text="Cursor of the next page, or null.")
    changes_cursor = serializers.CharField(
        help_text="Where to begin with the changes once the last page is read; the same on every page."
    )


class SnapshotView(ApiView):
    @extend_schema(
        summary="Every state with an effect, to begin with",
        parameters=[SnapshotQuery],
        responses=SnapshotOut,
        examples=[answered(examples.SNAPSHOT)],
    )
    def get(self, request: Request) -> HttpResponse:
        may_read_distribution(self.caller).require()
        asked = query(SnapshotQuery, request)
        limit = asked["limit"]
        # The place comes first: what changes while the pages are read is in the feed behind it.
        place, after = _read(asked["cursor"]) if "cursor" in asked else (changes.newest(), None)
        found = changes.snapshot(after, limit=limit + 1)
        shown = found[:limit]
        following = _write(place, shown[-1].post_id) if len(found) > limit else None
        return _answer("states", shown, next=following, changes_cursor=str(place))


def _wait(place: Cursor, *, limit: int, seconds: int) -> list[Told]:
    """Look again until something came or the time is over; at once if every seat is taken.

    Soon at first, then less often: a busy feed is followed closely, and a quiet one costs little.
    """
    if not _seats.acquire(blocking=False):
        return []
    try:
        until = time.monotonic() + seconds
        pause = FIRST_LOOK
        found: list[Told] = []
        while not found and (left := until - time.monotonic()) > 0:
            _let_connection_go()
            time.sleep(min(left, pause))
            pause = min(pause * 2, settings.LONG_POLL_LOOKS_EVERY)
            found = changes.after(place, limit=limit)
        return found
    finally:
        _seats.release()


def _let_connection_go() -> None:
    if not connection.in_atomic_block:
        connection.close()


def _answer(name: str, rows: Sequence[Told], **members: object) -> HttpResponse:
    """The rows under a name, and more members. Posts with the same effect share the JSON of it."""
    now = timezone.now()  # the request may have waited
    rules = policies.at(now).data
    known = posts.external_ids([row.post_id for row in rows])
    ending = changes.ending(rows)
    ahead = timeline.ahead({post_id for post_id, _ in ending}, now=now) if ending else {}
    worlds: dict[str | None, str] = {}
    written = []
    for row in rows:
        until = ending.get((row.post_id, row.version))
        if until is not None:
            present, *then = ahead[row.post_id]
            world = _json(_course(row, until, present, then, rules, now=now))
        elif row.document in worlds:
            world = worlds[row.document]
        else:
            world = worlds[row.document] = _json(_world(_document(row), rules))
        at = f',"at":"{_time(row.at)}"' if row.at else ""
        head = (
            f'{{"post":"{row.post_id}","external_id":{json.dumps(known[row.post_id])},"version":{row.version}'
        )
        written.append(f"{head}{at},{world[1:]}")
    body = f'{{"{name}":[{",".join(written)}],{_json(members)[1:]}'
    return HttpResponse(body.encode(), content_type="application/json")


def _course(
    row: Told,
    until: datetime,
    present: Stretch,
    then: Sequence[Stretch],
    rules: Mapping[str, Any],
    *,
    now: datetime,
) -> dict[str, Any]:
    """A state that ends by time, with what follows; one that has ended is told as it is now."""
    found = _world(_document(row) if now < until else present.document, rules)
    if then:
        found["then"] = [{"begins": _time(s.begins), **_world(s.document, rules)} for s in then]
    return found


def _document(row: Told) -> dict[str, Any] | None:
    return json.loads(row.document) if row.document is not None else None


def _json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, separators=(",", ":"))


def _world(document: Mapping[str, Any] | None, rules: Mapping[str, Any]) -> dict[str, Any]:
    """A document as the contract has it: what each preference makes of the multipliers instead of their parts."""
    if document is None:
        return {"state": "none"}
    world = {name: value for name, value in document.items() if name not in INSIDE}
    regions = {}
    for code, here in document["regions"].items():
        regions[code] = dict(here)
        if "instead" in here:
            told = {name: value for name, value in here["instead"].items() if name not in INSIDE}
            regions[code]["instead"] = {**told, "by_preference": _differing(document, code, told, rules)}
    differing = _differing(document, "", document, rules)
    return {"state": "effect", **world, "regions": regions, "by_preference": differing}


def _differing(
    document: Mapping[str, Any], region: str, told: Mapping[str, Any], rules: Mapping[str, Any]
) -> dict[str, dict[str, float]]:
    """The multipliers by preference that are not those told for the region."""
    left = told["multipliers"]
    differing: dict[str, dict[str, float]] = {}
    for preference in PREFERENCES:
        own = policy.for_viewer(document, region=region, preference=preference, policy=rules)["multipliers"]
        if own != left:
            differing[preference] = {s: m for s, m in own.items() if m != left[s]}
    return differing


def _time(at: datetime) -> str:
    return _moment.to_representation(at)


def _write(place: Cursor, post_id: uuid.UUID) -> str:
    return base64.urlsafe_b64encode(json.dumps([str(place), str(post_id)]).encode()).decode().rstrip("=")


def _read(cursor: str) -> tuple[Cursor, uuid.UUID]:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        words: Iterable[Any] = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        place, post_id = words
        return Cursor.parse(place), uuid.UUID(post_id)
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise field_error("cursor", "invalid_cursor", "This cursor is not from a snapshot.") from None
