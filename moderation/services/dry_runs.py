"""Dry runs: what a policy draft or a programme switch would change, found out post by post on the real data.

Nothing is stored but figures. A `dry_run` holds: `run` (its id), `at` (the moment it is computed for, UTC),
`started_at`, `ended_at` (null while it runs), `posts` and `total` (looked at, to be looked at), `changed` (posts
whose effect would be another), `by` (how many posts per kind of change), `sample` (some of them, before and
after), and of actors `rise`, `fall` and `actor_sample`; of a switch that stops ratings, `stops` in their place
(see moderation.selectors.organisations.Stopping).
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from moderation import locks, policy
from moderation.enums import (
    OutboxKind,
    PolicyStatus,
    StandingLevel,
    Surface,
    SwitchKind,
    SwitchStatus,
    ViewerPreference,
)
from moderation.ids import new_id
from moderation.models import PolicyDraft, Strike, Switch
from moderation.selectors import inputs, organisations, policies, standing, switches
from moderation.selectors.policies import Policy
from moderation.selectors.switches import Switching
from moderation.services import outbox

if TYPE_CHECKING:
    from django.db.models import QuerySet

SAMPLE = 20
ACTOR_BATCH = 1000

Tried = PolicyDraft | Switch

_FACE: Mapping[str, Any] = {
    "label": None,
    "interstitial": False,
    "warn_before_share": False,
    "ads": True,
    "recommendations": True,
    "monetisation": True,
    "actor_level": StandingLevel.NONE.value,
}
_LEVELS = [level.value for level in StandingLevel]


@dataclass(frozen=True)
class _Way:
    """One way in which the same decisions are read. `country`: as its viewers see it, "" for the world."""

    rules: Policy
    switching: Switching
    country: str = ""


def start(tried: Tried, *, now: datetime) -> None:
    """Begin anew; the caller saves what is tried. A run before this one ends by itself."""
    run = str(new_id())
    begins = tried.valid_from if isinstance(tried, PolicyDraft) else None
    tried.dry_run = {
        "run": run,
        "at": max(begins or now, now).isoformat(),
        "started_at": now.isoformat(),
        "ended_at": None,
        "posts": 0,
        "total": 0,
        "changed": 0,
        "by": {},
        "sample": [],
        "rise": 0,
        "fall": 0,
        "actor_sample": [],
    }
    if isinstance(tried, Switch) and tried.kind == SwitchKind.STOP_RATINGS:
        stops = organisations.stopping(
            tried.organisation, country=tried.country, outcome=tried.outcome, now=now
        )
        tried.dry_run |= {"stops": asdict(stops), "ended_at": now.isoformat()}
        return
    tried.dry_run["total"] = posts_of(tried, now=now).count()
    kind = OutboxKind.DRY_RUN_POLICY if isinstance(tried, PolicyDraft) else OutboxKind.DRY_RUN_SWITCH
    outbox.put(kind, [tried.pk], now=now, payload={"run": run})


def ended(tried: Tried) -> bool:
    """Whether it was tried to the end, as it is now."""
    return tried.dry_run is not None and tried.dry_run["ended_at"] is not None


def waiting(kind: OutboxKind, target: uuid.UUID, run: str) -> Tried | None:
    """The draft or switch, if it may still be tried and waits for this very run."""
    found: Tried | None
    if kind == OutboxKind.DRY_RUN_POLICY:
        found = PolicyDraft.objects.filter(pk=target, status=PolicyStatus.DRAFT).first()
    else:
        found = Switch.objects.filter(pk=target, status=SwitchStatus.PROPOSED).first()
    return found if found is not None and found.dry_run and found.dry_run["run"] == run else None


def posts_of(tried: Tried, *, now: datetime) -> "QuerySet[Any, uuid.UUID]":
    """Ids of the posts that it could change."""
    return inputs.under_policy(now) if isinstance(tried, PolicyDraft) else switches.touched(tried, now=now)


def add(tried: Tried, run: str, post_ids: Sequence[uuid.UUID], *, last: bool, now: datetime) -> None:
    """Compute these posts as they would be else and as they would be with it, and count the differences."""
    lock = locks.policy_draft if isinstance(tried, PolicyDraft) else locks.switch
    tried = lock(tried.pk)
    figures = tried.dry_run
    if figures is None or figures["run"] != run:
        return
    at = datetime.fromisoformat(figures["at"])
    old, new = _ways(tried, at)
    before, after = (
        inputs.compute(post_ids, now=at, rules=way.rules, switching=way.switching) for way in (old, new)
    )
    for post_id, state in before.items():
        changes = _changes(_face(state, old), _face(after[post_id], new))
        if not changes:
            continue
        figures["changed"] += 1
        for kind in {c["what"] for c in changes}:
            figures["by"][kind] = figures["by"].get(kind, 0) + 1
        if len(figures["sample"]) < SAMPLE:
            figures["sample"].append({"post": str(post_id), "changes": changes})
    figures["posts"] += len(post_ids)
    if last:
        _add_actors(figures, old, new, at=at)
        figures["total"] = figures["posts"]
        figures["ended_at"] = now.isoformat()
    tried.save(update_fields=["dry_run"])


def _ways(tried: Tried, at: datetime) -> tuple[_Way, _Way]:
    rules, switching = policies.at(at), switches.at(at)
    if isinstance(tried, PolicyDraft):
        return _Way(rules, switching), _Way(Policy(tried.base_id + 1, tried.data), switching)
    country = tried.country if tried.kind == SwitchKind.LIFT_EFFECTS else ""
    with_it = switching.with_one_more(tried, begins=at)
    return _Way(rules, switching, country), _Way(rules, with_it, country)


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a platform would do differently, one row per kind: `what`, `before`, `after`."""
    return [{"what": name, "before": old[name], "after": new[name]} for name in old if old[name] != new[name]]


def _face(state: policy.State, way: _Way) -> dict[str, Any]:
    """What members and their feeds would notice."""
    document = state.document or {}
    countries = sorted(code for code, here in document.get("regions", {}).items() if "instead" in here)
    if document and way.country:
        document = policy.for_viewer(
            document, region=way.country, preference=ViewerPreference.DEFAULT, policy=way.rules.data
        )
    multipliers = document.get("multipliers", {})
    return {
        **{surface.value: multipliers.get(surface.value, 1.0) for surface in Surface},
        **{
            # (the surface of the same name says how much; these say whether at all)
            f"{name}_allowed" if name in Surface.values else name: document.get(name, default)
            for name, default in _FACE.items()
        },
        "articles": len(document.get("articles", ())),
        "countries": [] if way.country else countries,
    }


def _add_actors(figures: dict[str, Any], old: _Way, new: _Way, *, at: datetime) -> None:
    """Which actors would stand higher or lower."""
    actors = list(
        Strike.objects.filter(counts_until__gt=at)
        .order_by("actor_id")
        .values_list("actor_id", flat=True)
        .distinct()
    )
    for first in range(0, len(actors), ACTOR_BATCH):
        some = actors[first : first + ACTOR_BATCH]
        before, after = (
            standing.counting(some, now=at, rules=way.rules.data, switching=way.switching)
            for way in (old, new)
        )
        for actor_id in some:
            was = policy.level(len(before.get(actor_id, ())), old.rules.data)["level"]
            becomes = policy.level(len(after.get(actor_id, ())), new.rules.data)["level"]
            if was == becomes:
                continue
            rises = _LEVELS.index(becomes) > _LEVELS.index(was)
            figures["rise" if rises else "fall"] += 1
            if len(figures["actor_sample"]) < SAMPLE:
                figures["actor_sample"].append({"actor": str(actor_id), "before": was, "after": becomes})
