"""Dry runs: what a policy draft would change, found out post by post on the real data. Nothing is stored but figures.

A draft's `dry_run` holds: `run` (its id), `at` (the moment it is computed for, UTC), `started_at`, `ended_at`
(null while it runs), `posts` and `total` (looked at, to be looked at), `changed` (posts whose effect would be
another), `by` (how many posts per kind of change), `sample` (some of them, before and after), and of actors
`rise`, `fall` and `actor_sample`.
"""

import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from moderation import locks, policy
from moderation.enums import OutboxKind, PolicyStatus, StandingLevel, Surface
from moderation.ids import new_id
from moderation.models import PolicyDraft, Strike
from moderation.selectors import inputs, policies, standing
from moderation.selectors.policies import Policy
from moderation.services import outbox

SAMPLE = 20
ACTOR_BATCH = 1000

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


def start(draft: PolicyDraft, *, now: datetime) -> None:
    """Begin anew; the caller saves the draft. A run before this one ends by itself."""
    run = str(new_id())
    draft.dry_run = {
        "run": run,
        "at": max(draft.valid_from or now, now).isoformat(),
        "started_at": now.isoformat(),
        "ended_at": None,
        "posts": 0,
        "total": inputs.under_policy(now).count(),
        "changed": 0,
        "by": {},
        "sample": [],
        "rise": 0,
        "fall": 0,
        "actor_sample": [],
    }
    outbox.put(OutboxKind.DRY_RUN_POLICY, [draft.pk], now=now, payload={"run": run})


def ended(draft: PolicyDraft) -> bool:
    """Whether the draft, as it is now, was tried to the end."""
    return draft.dry_run is not None and draft.dry_run["ended_at"] is not None


def goes_on(draft_id: uuid.UUID, run: str) -> bool:
    """Whether the draft is still one and waits for this very run."""
    held = PolicyDraft.objects.filter(pk=draft_id, status=PolicyStatus.DRAFT).values_list(
        "dry_run", flat=True
    )
    return any(found is not None and found["run"] == run for found in held)


def add(draft_id: uuid.UUID, run: str, post_ids: Sequence[uuid.UUID], *, last: bool, now: datetime) -> None:
    """Compute these posts under the policy that would hold else and under the draft, and count the differences."""
    draft = locks.policy_draft(draft_id)
    figures = draft.dry_run
    if figures is None or figures["run"] != run:
        return
    at = datetime.fromisoformat(figures["at"])
    old, new = policies.at(at), Policy(draft.base.number + 1, draft.data)
    before = inputs.compute(post_ids, now=at, rules=old)
    after = inputs.compute(post_ids, now=at, rules=new)
    for post_id, state in before.items():
        changes = _changes(state, after[post_id])
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
    draft.save(update_fields=["dry_run"])


def _changes(before: policy.State, after: policy.State) -> list[dict[str, Any]]:
    """What a platform would do differently, one row per kind: `what`, `before`, `after`."""
    old, new = _face(before), _face(after)
    return [{"what": name, "before": old[name], "after": new[name]} for name in old if old[name] != new[name]]


def _face(state: policy.State) -> dict[str, Any]:
    """What members and their feeds would notice."""
    document = state.document or {}
    multipliers = document.get("multipliers", {})
    return {
        **{surface.value: multipliers.get(surface.value, 1.0) for surface in Surface},
        **{
            # (the surface of the same name says how much; these say whether at all)
            f"{name}_allowed" if name in Surface.values else name: document.get(name, default)
            for name, default in _FACE.items()
        },
        "countries": sorted(code for code, here in document.get("regions", {}).items() if "instead" in here),
    }


def _add_actors(figures: dict[str, Any], old: Policy, new: Policy, *, at: datetime) -> None:
    """Which actors would stand higher or lower."""
    actors = list(
        Strike.objects.filter(counts_until__gt=at)
        .order_by("actor_id")
        .values_list("actor_id", flat=True)
        .distinct()
    )
    for first in range(0, len(actors), ACTOR_BATCH):
        some = actors[first : first + ACTOR_BATCH]
        before, after = (standing.counting(some, now=at, rules=rules.data) for rules in (old, new))
        for actor_id in some:
            was = policy.level(len(before.get(actor_id, ())), old.data)["level"]
            becomes = policy.level(len(after.get(actor_id, ())), new.data)["level"]
            if was == becomes:
                continue
            rises = _LEVELS.index(becomes) > _LEVELS.index(was)
            figures["rise" if rises else "fall"] += 1
            if len(figures["actor_sample"]) < SAMPLE:
                figures["actor_sample"].append({"actor": str(actor_id), "before": was, "after": becomes})
