"""From a rating sent to its effect served, for one post at a time, beside a message through the same queue."""

import time
from typing import Any

from bench import fill, measure
from bench.stage import Client, Stage

RATINGS = 60
DEADLINE = 30.0


def run(stage: Stage) -> None:
    from django.utils import timezone

    from factcheck.rehearsal import cast
    from moderation.services import health

    with stage.database() as database:
        fill.posts(database, mark="rated-", count=RATINGS)
    made = cast.make(partner_count=1, reviewer_count=1, languages=("en", "fr", "es"), now=timezone.now())
    domain = made.reviewers[0].domain
    reviewer, platform = stage.client(made.reviewers[0].key), stage.client(made.platform)
    latencies, errors = [], 0
    began = time.perf_counter()
    for n in range(1, RATINGS + 1):
        seconds = rate_and_wait(reviewer, platform, f"ext:rated-{n}", f"https://{domain}/{n}")
        if seconds is None:
            errors += 1
        else:
            latencies.append(seconds)
    ours = measure.of(latencies, elapsed=time.perf_counter() - began, errors=errors)
    trips = [health.round_trip("effects", timeout=DEADLINE) or DEADLINE for _ in range(RATINGS)]
    bound = measure.of(trips, elapsed=sum(trips))
    measure.emit(
        "rating_to_effect_vs_round_trip p50",
        ours.p50 / bound.p50,
        ours=ours,
        bound=bound,
        note="ratio of p50",
    )


def rate_and_wait(reviewer: Client, platform: Client, post: str, article: str) -> float | None:
    """Seconds from sending the rating until the lookup shows it."""
    item = _taken(reviewer, post)
    sent = time.perf_counter()
    rating = draft(post, article) | {"version": item["version"]}
    if reviewer.call("POST", f"/items/{item['id']}/ratings", rating)[0] != 201:
        return None
    while time.perf_counter() - sent < DEADLINE:
        answer = platform.call("POST", "/distribution/lookup", {"posts": [post]})[1]["posts"][0]
        if answer.get("label") == "warning":
            return time.perf_counter() - sent
    return None


def rate(reviewer: Client, post: str, article: str) -> Any:
    """Rate a post false; returns the rating."""
    item = _taken(reviewer, post)
    rating = draft(post, article) | {"version": item["version"]}
    status, answer = reviewer.call("POST", f"/items/{item['id']}/ratings", rating)
    if status != 201:
        raise RuntimeError(f"The post was not rated: {status} {answer}")
    return answer


def draft(post: str, article: str) -> dict[str, Any]:
    return {
        "verdict": "false",
        "claim": {"text": f"The bridge will be closed, says {post}."},
        "headline": "No, the bridge stays open",
        "explanation": "The council published its calendar.",
        "article_url": article,
    }


def _taken(reviewer: Client, post: str) -> Any:
    item = reviewer.call("POST", "/items", {"post": post})[1]
    return reviewer.call("POST", f"/items/{item['id']}/take", {})[1]
