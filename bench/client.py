"""Lookups in the reference client's replica, in one thread, beside a bare dict of the same keys."""

import random
import statistics
import time
from collections.abc import Callable, Sequence

from veracity_client.copies import Copy, Held
from veracity_client.states import State

from bench import measure
from bench.stage import Stage

POSTS = 100_000  # held, with 1 000 different effects
ASKED = 100_000
PAGE = 500  # posts of one call of lookup_many
SECONDS = 2.0


def run(stage: Stage) -> None:
    ids = [f"01a22e30-2170-737a-845f-{n:012x}" for n in range(POSTS)]
    copy = Copy()
    held = Held()
    began = time.thread_time()
    for n, post in enumerate(ids):
        held.put(State({"post": post, "external_id": f"status/{n}", "version": 1, **_effect(n % 1000)}))
    took = time.thread_time() - began
    copy._replace(held)
    asked = random.choices(ids, k=ASKED)
    rarely = [post if random.random() < 0.1 else f"ext:elsewhere/{n}" for n, post in enumerate(asked)]
    pages, rare = _pages(asked), _pages(rarely)
    plain = {post: n for n, post in enumerate(ids)}

    def one_by_one() -> None:
        lookup = copy.lookup
        for post in asked:
            lookup(post)

    def for_a_viewer() -> None:
        lookup = copy.lookup
        for post in asked:
            lookup(post, region="LK", viewer_preference="reduce_more")

    def in_pages(pages: Sequence[Sequence[str]] = pages) -> None:
        for page in pages:
            copy.lookup_many(page, region="LK", viewer_preference="reduce_more")

    def bare() -> None:
        get = plain.get
        for post in asked:
            get(post)

    bound = _rate(bare)
    note = f"{POSTS} posts held; aim ≥ 1 M/s; per second of processor time; taking a state in costs {took / POSTS * 1e6:.0f} µs"
    for name, act in (
        ("one by one", one_by_one),
        ("one by one, region and preference", for_a_viewer),
        (f"pages of {PAGE}, region and preference", in_pages),
        (f"pages of {PAGE}, nine in ten unknown", lambda: in_pages(rare)),
    ):
        rate = _rate(act)
        measure.emit(
            f"client_lookup_vs_dict {name}",
            rate / bound,
            ours=f"{rate:,.0f}/s",
            bound=f"{bound:,.0f}/s",
            note=note,
        )


def _pages(posts: Sequence[str]) -> Sequence[Sequence[str]]:
    return [posts[start : start + PAGE] for start in range(0, len(posts), PAGE)]


def _rate(act: Callable[[], None]) -> float:
    """Lookups per second of this thread's processor time, the median of several rounds: others may be at work."""
    rounds, end = [], time.perf_counter() + SECONDS
    while not rounds or time.perf_counter() < end:
        began = time.thread_time()
        act()
        rounds.append(time.thread_time() - began)
    return ASKED / statistics.median(rounds)


def _effect(n: int) -> dict[str, object]:
    """One of many effects; every tenth differs in a region, every fifth ends by time."""
    left = {"feed": 0.2, "explore": 0.0, "recommendations": 0.0, "search": 0.2, "share": 0.2, "ads": 0.0}
    here = {"LK": {"removed": True, "interstitial": False, "ground": "hate"}} if n % 10 == 0 else {}
    effect = {
        "state": "effect", "multipliers": left, "label": "warning", "interstitial": True,
        "warn_before_share": True, "ads": False, "recommendations": False, "monetisation": True,
        "removed": False, "ground": None, "hidden_until": None, "regional": bool(here), "regions": here,
        "by_preference": {"do_not_reduce": {"feed": 1.0}, "reduce_more": {"feed": 0.1}}, "articles": [],
        "contested": False, "made_on_earlier_version": False, "provisional": False, "actor_level": "notice",
        "policy_version": 1, "because": [f"decision-{n}"],
    }  # fmt: skip
    then = {"then": [{"begins": "2999-01-01T00:00:00Z", **effect, "actor_level": "none"}]}
    return effect | then if n % 5 == 0 else effect
