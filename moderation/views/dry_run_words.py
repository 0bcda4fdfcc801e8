"""The figures of a dry run in words, for the pages of policies and of switches."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from moderation import policy_words
from moderation.models import Actor, Post


def figures(run: Mapping[str, Any] | None) -> dict[str, Any]:
    """What a page shows of a dry run, in two queries; `run` is None where there was none."""
    if run is None:
        return {"run": None}
    posts = {str(p.pk): p for p in Post.objects.filter(pk__in=[s["post"] for s in run["sample"]])}
    actors = {str(a.pk): a for a in Actor.objects.filter(pk__in=[s["actor"] for s in run["actor_sample"]])}
    return {
        "run": run,
        "running": run["ended_at"] is None,
        "at": datetime.fromisoformat(run["at"]),
        "by": [
            {"name": policy_words.change_name(what), "count": n}
            for what, n in sorted(run["by"].items(), key=lambda pair: -pair[1])
        ],
        "sample": [
            {"post": posts[s["post"]], "changes": [_change(c) for c in s["changes"]]}
            for s in run["sample"]
            if s["post"] in posts
        ],
        "actor_sample": [
            {
                "actor": actors[s["actor"]],
                "before": policy_words.change_value("actor_level", s["before"]),
                "after": policy_words.change_value("actor_level", s["after"]),
            }
            for s in run["actor_sample"]
            if s["actor"] in actors
        ],
    }


def _change(found: Mapping[str, Any]) -> dict[str, str]:
    what = found["what"]
    return {
        "name": policy_words.change_name(what),
        "before": policy_words.change_value(what, found["before"]),
        "after": policy_words.change_value(what, found["after"]),
    }
