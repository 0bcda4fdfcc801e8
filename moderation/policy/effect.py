"""The effective state of a post: what the decisions in force and the policy make of it.

Multipliers are integer basis points (10_000 = everything is left); times are UTC.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any

from moderation.enums import DecisionKind, StandingLevel, Surface, ViewerPreference
from moderation.policy.switches import Switched, covers

BasisPoints = int
FULL: BasisPoints = 10_000

# The most severe label wins (domain 4, composition).
LABEL_SEVERITY = ("", "context", "disputed", "warning")


@dataclass(frozen=True)
class Recorded:
    """A decision row as the rules see it."""

    id: str
    kind: str
    in_force_from: datetime
    in_force_until: datetime | None = None
    supersedes: str | None = None
    ends: bool = False
    outcome: str = ""
    contested: bool = False
    regions: tuple[str, ...] = ()
    ground: str = ""
    about_version: str = ""  # the post version it was made on, or the version through which a cluster holds
    presentation: Mapping[str, Any] = field(default_factory=dict)
    organisations: tuple[str, ...] = ()


@dataclass(frozen=True)
class Inputs:
    """Everything the effective state of one post depends on.

    `decisions` are all rows on the post and on the clusters it is in now; `strikes` the `counts_until`
    of its actor's strikes whose decision stands and which no switch clears; `lifts` the switches that lift
    the effects of verdicts.
    """

    current_version: str
    decisions: Sequence[Recorded]
    strikes: Sequence[datetime]
    policy_number: int
    policy: Mapping[str, Any]
    lifts: Sequence[Switched] = ()


@dataclass(frozen=True)
class State:
    """What to serve, and until when that holds without new input."""

    document: dict[str, Any] | None  # None: no effect
    feed_bp: BasisPoints
    removed: bool
    valid_until: datetime | None = None


def in_force(decisions: Iterable[Recorded], at: datetime) -> list[Recorded]:
    """The decisions that hold at `at`: begun, not run out, not superseded by a begun one, not an ending."""
    begun = [d for d in decisions if d.in_force_from <= at]
    superseded = {d.supersedes for d in begun if d.supersedes}
    return [
        d
        for d in begun
        if d.id not in superseded and not d.ends and (d.in_force_until is None or at < d.in_force_until)
    ]


def unbroken_run(tip: Recorded, chain: Iterable[Recorded]) -> list[Recorded]:
    """A decision and those it superseded, newest first, back to the last ending."""
    by_id = {d.id: d for d in chain}
    run = [tip]
    while (older := by_id.get(run[-1].supersedes or "")) is not None and not older.ends:
        run.append(older)
    return run


def post_multiplier(outcomes: Iterable[Mapping[str, Any]], surface: Surface) -> BasisPoints:
    """What the ratings leave of a post's distribution on one surface.

    Several claims on one post: the lowest multiplier wins (domain 4, composition).
    A post nobody rated keeps everything.
    """
    return min((outcome["multiplier"][surface] for outcome in outcomes), default=FULL)


def level(count: int, policy: Mapping[str, Any]) -> Mapping[str, Any]:
    """The level that `count` counting strikes imply: the highest one reached (domain 5)."""
    none = {
        "level": StandingLevel.NONE,
        "multiplier": FULL,
        "recommendations": True,
        "ads": True,
        "monetisation": True,
    }
    reached = [row for row in policy["strikes"]["levels"] if count >= row["at"]]
    return max(reached, key=lambda row: row["at"], default=none)


def effective_state(inputs: Inputs, at: datetime) -> State:
    """What must be done with a post at `at`: a pure function of the decisions in force and the policy.

    Composition (domain 4): per surface the lowest multiplier of the ratings times the actor's; the most
    severe label; any "no" wins; every article listed; the floor binds feed, search and share; a removal
    masks everything in its regions. A verdict that a switch lifts has no effect and is named in `lifted`;
    removals, restrictions and the actor's standing stay.

    `valid_until` is the next instant at which time alone makes the result another one.
    """
    state = _state_at(inputs, at)
    for instant in _instants_after(inputs, at):
        if _state_at(inputs, instant) != state:
            return replace(state, valid_until=instant)
    return state


def _instants_after(inputs: Inputs, at: datetime) -> list[datetime]:
    """When something begins or ends by itself after `at`, soonest first."""
    instants = set(inputs.strikes)
    for d in inputs.decisions:
        instants.add(d.in_force_from)
        if d.in_force_until is not None:
            instants.add(d.in_force_until)
    for lift in inputs.lifts:
        instants.add(lift.begins)
        if lift.ends is not None:
            instants.add(lift.ends)
    return sorted(t for t in instants if t > at)


def _state_at(inputs: Inputs, at: datetime) -> State:
    policy = inputs.policy
    now = in_force(inputs.decisions, at)
    verdicts = [d for d in now if d.kind == DecisionKind.STANDING_VERDICT]
    demotions = _demotions(now)
    removals = [d for d in now if d.kind in (DecisionKind.REMOVAL, DecisionKind.HIDE)]
    restrictions = [d for d in now if d.kind == DecisionKind.RESTRICTION]
    standing = level(sum(1 for until in inputs.strikes if until > at), policy)
    removed = any(not d.regions for d in removals)
    lifts = [lift for lift in inputs.lifts if lift.holds_at(at)]
    seen_in = partial(
        _seen_in, verdicts, lifts, [*demotions, *removals, *restrictions], standing, inputs,
        demoted=len(demotions), removed=removed, restricted=any(not d.regions for d in restrictions),
    )  # fmt: skip
    shown, told, rating_bp = seen_in("")
    regions = _regions(removals, restrictions)
    for country in sorted({*policy["countries"], *(lift.country for lift in lifts)} - {""}):
        shown_here, told_here, here_bp = seen_in(country)
        otherwise = {name: value for name, value in told_here.items() if value != told.get(name)}
        if shown_here != shown or otherwise:
            local = regions.setdefault(country, dict(_NOTHING_HERE))
            local["instead"] = {**shown_here, **otherwise, "rating_bp": here_bp}
    document = None
    limited = any(not standing[name] for name in _OPEN)
    if told["because"] or "lifted" in told or standing["multiplier"] != FULL or limited:
        document = {
            **shown,
            **told,
            "removed": removed,
            "provisional": bool(demotions),
            "actor_level": standing["level"],
            "ground": next((d.ground for d in removals if not d.regions), None),
            "hidden_until": _hidden_until(removals),
            "regional": bool(regions),
            "regions": dict(sorted(regions.items())),
            "rating_bp": rating_bp,
            "actor_bp": standing["multiplier"],
            "policy_version": inputs.policy_number,
        }
    feed = round(shown["multipliers"]["feed"] * FULL)
    return State(document, feed, removed)


_OPEN = ("ads", "recommendations", "monetisation")
_NOTHING_HERE = {"removed": False, "interstitial": False, "ground": None}


def _seen_in(
    verdicts: Sequence[Recorded],
    lifts: Sequence[Switched],
    others: Sequence[Recorded],
    standing: Mapping[str, Any],
    inputs: Inputs,
    country: str,
    *,
    demoted: int,
    removed: bool,
    restricted: bool,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, BasisPoints]]:
    """How viewers in a country ("": anywhere else) get the post, what it rests on, and what ratings leave of it."""
    policy = inputs.policy
    lifted = [
        d
        for d in verdicts
        if covers(lifts, country=country, outcome=d.outcome, organisations=d.organisations)
    ]
    verdicts = [d for d in verdicts if d not in lifted]
    own = policy["countries"].get(country, {})
    rules = [own.get(d.outcome, policy["verdicts"][d.outcome]) for d in verdicts]
    provisional = [{"multiplier": policy["provisional"]["multiplier"]}] * demoted
    rating_bp = {s.value: post_multiplier([*rules, *provisional], s) for s in Surface}
    labels = [rule["label"] for rule in rules]
    labels += [policy["contested_label"] for d in verdicts if d.contested]
    open_to = {name: all(rule[name] for rule in rules) and standing[name] for name in _OPEN}
    shown = {
        "multipliers": surface_multipliers(
            rating_bp, standing["multiplier"], open_to, policy, removed=removed
        ),
        "label": max(labels, key=LABEL_SEVERITY.index, default="") or None,
        "interstitial": restricted or any(rule["interstitial"] for rule in rules),
        "warn_before_share": any(rule["warn_before_share"] for rule in rules),
        **{name: allowed and not removed for name, allowed in open_to.items()},
    }
    told: dict[str, Any] = {
        "articles": [
            dict(article)
            for d in verdicts
            if policy["verdicts"][d.outcome]["article"]
            for article in d.presentation.get("articles", ())
        ],
        "contested": any(d.contested for d in verdicts),
        "made_on_earlier_version": any(
            bool(d.about_version) and d.about_version != inputs.current_version for d in verdicts
        ),
        "because": sorted(d.id for d in [*verdicts, *others]),
    }
    if lifted:
        told["lifted"] = sorted(d.id for d in lifted)
    return shown, told, rating_bp


def surface_multipliers(
    rating_bp: Mapping[str, BasisPoints],
    actor_bp: BasisPoints,
    open_to: Mapping[str, bool],
    policy: Mapping[str, Any],
    *,
    removed: bool,
) -> dict[str, float]:
    """What is left of distribution per surface, 0..1. Being wrong never takes feed, search or share to zero."""
    if removed:
        return {s.value: 0.0 for s in Surface}
    left = {}
    for s in Surface:
        bp = rating_bp[s] * actor_bp // FULL
        if s in (Surface.ADS, Surface.RECOMMENDATIONS) and not open_to[s.value]:
            bp = 0
        left[s.value] = max(bp, policy["floor"].get(s.value, 0)) / FULL
    return left


def for_viewer(
    document: Mapping[str, Any], *, region: str, preference: str, policy: Mapping[str, Any]
) -> dict[str, Any]:
    """The document as one viewer gets it: regional effects of `region` and the viewer's own choice.

    A country's effects bind its subdivisions; where the policy has other rules for it, they replace the
    world's. `do_not_reduce` sets the feed's rating multiplier to 1, `reduce_more` halves it; labels stay and
    removed content stays removed (domain 4).
    """
    answer = {k: v for k, v in document.items() if k not in ("regions", "rating_bp", "actor_bp")}
    rating_bp = document["rating_bp"]["feed"]
    codes = dict.fromkeys((region.split("-")[0], region))  # the subdivision's word comes last
    here = [document["regions"][code] for code in codes if code in document["regions"]]
    for local in here:
        if "instead" in local:
            answer.update({k: v for k, v in local["instead"].items() if k != "rating_bp"})
            rating_bp = local["instead"]["rating_bp"]["feed"]
    if preference != ViewerPreference.DEFAULT and not answer["removed"]:
        share = policy["viewer_preference"][preference]
        rating = FULL if share is None else rating_bp * share // FULL
        bp = max(rating * document["actor_bp"] // FULL, policy["floor"]["feed"])
        answer["multipliers"] = {**answer["multipliers"], "feed": bp / FULL}
    for local in here:
        if local["removed"]:
            answer["multipliers"] = {s.value: 0.0 for s in Surface}
            answer.update(removed=True, ads=False, recommendations=False, monetisation=False)
            answer["ground"] = local["ground"]
        answer["interstitial"] = answer["interstitial"] or local["interstitial"]
    return answer


def _demotions(now: Sequence[Recorded]) -> list[Recorded]:
    """Demotions before review, which end with any judgement of the post (domain 4)."""
    judgements = (DecisionKind.STANDING_VERDICT, DecisionKind.NOT_ELIGIBLE, DecisionKind.KEPT)
    if any(d.kind in judgements for d in now):
        return []
    return [d for d in now if d.kind == DecisionKind.PROVISIONAL]


def _hidden_until(removals: Sequence[Recorded]) -> str | None:
    """When an emergency hide that nothing else backs ends by itself."""
    if any(d.kind == DecisionKind.REMOVAL and not d.regions for d in removals):
        return None
    ends = [d.in_force_until for d in removals if d.kind == DecisionKind.HIDE and d.in_force_until]
    return max(ends).isoformat() if ends else None


def _regions(removals: Sequence[Recorded], restrictions: Sequence[Recorded]) -> dict[str, Any]:
    regions: dict[str, Any] = {}
    for d in (*removals, *restrictions):
        for code in d.regions:
            here = regions.setdefault(code, dict(_NOTHING_HERE))
            if d.kind == DecisionKind.RESTRICTION:
                here["interstitial"] = True
            else:
                here["removed"] = True
                here["ground"] = d.ground
    return regions
