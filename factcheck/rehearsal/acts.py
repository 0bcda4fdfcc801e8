"""The acts of a rehearsal, each over HTTP: publish, flag, review, escalate, think again."""

import itertools
import random
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from factcheck.rehearsal.cast import Cast, Reviewer
from factcheck.rehearsal.client import Client
from factcheck.rehearsal.figures import Figures, at_once, until
from moderation.services import imports

PUBLISHED_WITHIN = timedelta(days=10)
BULK = 500
MEMBERS = 300
FLAGS_EACH = 10
FLAGGED_POSTS = 900
DOUBLE_CLICKS, WITHDRAWN = 0.15, 0.05
RATINGS = 500
ESCALATIONS, REVISED, WITHDRAWALS = 25, 20, 10
SKIPPED = 0.05
EFFECT_SAMPLED = 4  # every fourth rating's effect is awaited
PATIENCE = 60.0  # seconds
VERDICTS = ("false",) * 5 + ("altered", "partly_false", "partly_false", "missing_context", "satire", "true")


@dataclass
class Stage:
    """What the acts share."""

    address: str
    cast: Cast
    figures: Figures
    posts: list[str] = field(default_factory=list)  # refs
    flags: int = 0  # live ones, as the members left them
    takes: list[tuple[str, float, float, str]] = field(default_factory=list)  # item, from, to, reviewer
    ratings: list[dict[str, Any]] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def client(self, key: str) -> Client:
        return Client(self.address, key)

    def rated_false(self) -> list[str]:
        """Posts that some rating called false or altered, and that nobody thought about again."""
        severe = ("false", "altered")
        return [r["post"] for r in self.ratings if r["body"]["verdict"] in severe and not r["again"]]


def publish(stage: Stage, path: Path, *, now: datetime) -> None:
    """Send every title of the file in bulk, as if published within the last days."""
    client, figures = stage.client(stage.cast.platform), stage.figures
    rows = _posts(stage, path, now=now)
    began = time.perf_counter()
    while batch := list(itertools.islice(rows, BULK)):
        status, answer = client.call("POST", "/posts/bulk", {"posts": batch})
        if status != 200:
            raise RuntimeError(f"posts/bulk answered {status}: {answer}")
        for result in answer["results"]:
            if result["status"] == "refused":
                figures.fault(f"post refused: {result}")
            else:
                stage.posts.append(result["id"])
    figures.counts["posts sent"] = len(stage.posts)
    figures.spans["posts sent"] = time.perf_counter() - began
    figures.counts["posts known"] = len(set(stage.posts))


def flag(stage: Stage) -> None:
    """300 members flag: some click twice at once, some take it back."""
    chance = random.Random(300)  # noqa: S311 (the same rehearsal every time)
    client = stage.client(stage.cast.platform)
    targets = chance.sample(sorted(set(stage.posts)), min(FLAGGED_POSTS, len(set(stage.posts))))
    members = [(f"{stage.cast.mark}-m{n}", chance.sample(targets, FLAGS_EACH)) for n in range(MEMBERS)]
    per_thread = [members[i::8] for i in range(8)]
    acts = [_Flagging(stage, client, part, random.Random(i)) for i, part in enumerate(per_thread)]  # noqa: S311
    stage.figures.spans["flags sent"] = at_once(list(acts), stage.figures)
    stage.flags = sum(a.live for a in acts)


def review(stage: Stage) -> None:
    """All reviewers at once: take, rate, sometimes skip; and beside them the desk works."""
    left = itertools.count()
    acts: list[Any] = [_Reviewing(stage, r, n, left) for n, r in enumerate(stage.cast.reviewers)]
    acts.append(lambda: escalate(stage))
    stage.figures.spans["ratings"] = at_once(acts, stage.figures)
    stage.figures.spans["takes"] = stage.figures.spans["ratings"]


def escalate(stage: Stage) -> None:
    """A reviewer escalates; one specialist proposes the removal, another confirms it."""
    reviewer = stage.client(stage.cast.reviewers[0].key)
    desk = [stage.client(key) for key in stage.cast.specialists]
    for n, post in enumerate(random.Random(25).sample(stage.posts, ESCALATIONS)):  # noqa: S311
        item = _ok(reviewer.call("POST", "/items", {"post": post}))
        case = _ok(
            reviewer.call(
                "POST",
                f"/items/{item['id']}/escalate",
                {"ground": "incites_violence", "note": "Names a place and an hour.", "regions": []},
            )
        )
        first, second = desk[n % len(desk)], desk[(n + 1) % len(desk)]
        file = _ok(
            first.call(
                "POST",
                f"/escalations/{case['id']}/decide",
                {
                    "action": "remove",
                    "ground": "incites_violence",
                    "regions": [],
                    "policy_section": "Violence 1",
                    "explanation": "It calls for an attack at a place and an hour.",
                    "version": case["version"],
                },
            )
        )
        proposal = next(p for p in file["proposals"] if p["status"] == "waiting")
        refused, _ = first.call("POST", f"/escalations/{case['id']}/confirm", {"proposal": proposal["id"]})
        if refused != 403:
            stage.figures.fault(f"one person turned both keys: {refused}")
        _ok(second.call("POST", f"/escalations/{case['id']}/confirm", {"proposal": proposal["id"]}))
        sent = time.perf_counter()
        if until(lambda p=post: _served(stage, p).get("removed") is True, seconds=PATIENCE) is None:  # type: ignore[misc]
            stage.figures.fault(f"removal of {post} was not served in time")
        stage.figures.lag("second key → removal served", time.perf_counter() - sent)
        stage.figures.count("removed with two keys")
        stage.removed.append(post)


def think_again(stage: Stage) -> None:
    """Raters revise and withdraw while earlier effects are still being spread."""
    chosen = random.Random(30).sample(stage.ratings, min(REVISED + WITHDRAWALS, len(stage.ratings)))  # noqa: S311
    for n, rating in enumerate(chosen):
        client = stage.client(rating["key"])
        rating["again"] = True
        if n < REVISED:
            verdict = "partly_false" if rating["body"]["verdict"] in ("false", "altered") else "false"
            body = {
                **rating["body"],
                "verdict": verdict,
                "headline": ("A second look: " + rating["body"]["headline"])[:200],
            }
            for unused in ("version", "claim"):
                body.pop(unused, None)
            _ok(client.call("POST", f"/ratings/{rating['id']}/revise", body))
            stage.figures.count("ratings revised")
        else:
            _ok(
                client.call(
                    "POST", f"/ratings/{rating['id']}/withdraw", {"reason": "The source corrected itself."}
                )
            )
            stage.figures.count("ratings withdrawn")


class _Flagging:
    """One thread of members."""

    def __init__(
        self, stage: Stage, client: Client, members: Sequence[tuple[str, list[str]]], chance: random.Random
    ) -> None:
        self.stage, self.client, self.members, self.chance = stage, client, members, chance
        self.live = 0

    def __call__(self) -> None:
        for member, posts in self.members:
            for post in posts:
                self._flag(member, post)

    def _flag(self, member: str, post: str) -> None:
        figures = self.stage.figures
        body = {
            "post": post,
            "reason": self.chance.choice(("false_information", "misleading", "scam")),
            "flagger": member,
        }
        answers: list[dict[str, Any]] = []
        if self.chance.random() < DOUBLE_CLICKS:
            send = lambda: answers.append(_ok(self.client.call("POST", "/flags", body)))  # noqa: E731
            at_once([send, send], figures)
            figures.count("double clicks")
            if len({a["id"] for a in answers}) != 1:
                figures.fault(f"a double click made two flags: {answers}")
        else:
            answers.append(_ok(self.client.call("POST", "/flags", body)))
        figures.count("flags sent", len(answers))
        self.live += 1
        if self.chance.random() < WITHDRAWN:
            _ok(self.client.call("DELETE", f"/flags/{answers[0]['id']}"))
            figures.count("flags withdrawn")
            self.live -= 1


class _Reviewing:
    """One reviewer, until enough is rated."""

    def __init__(self, stage: Stage, reviewer: Reviewer, number: int, left: "itertools.count[int]") -> None:
        self.stage, self.reviewer, self.number, self.left = stage, reviewer, number, left
        self.client = stage.client(reviewer.key)
        self.chance = random.Random(number)  # noqa: S311

    def __call__(self) -> None:
        while next(self.left) < RATINGS:
            if not self._one():
                return

    def _one(self) -> bool:
        figures = self.stage.figures
        answer = _ok(self.client.call("POST", "/queue/take", {}))
        item, taken = answer["item"], time.perf_counter()
        if item is None:
            figures.count(f"nothing to take: {answer['reason']}")
            return False
        figures.count("takes")
        if self.chance.random() < SKIPPED:
            _ok(self.client.call("POST", f"/items/{item['id']}/skip", {"reason": "time"}))
            self._held(item["id"], taken)
            figures.count("skips")
            return self._one()
        body = self._rating(item)
        status, rating = self.client.call("POST", f"/items/{item['id']}/ratings", body)
        if status == 409:  # it changed under our hands: an edit, a match, another partner
            figures.count(f"ratings refused: {rating['code']}")
            self.client.call("POST", f"/items/{item['id']}/release", {})
            self._held(item["id"], taken)
            return self._one()
        _ok((status, rating))
        self._held(item["id"], taken)
        figures.count("ratings")
        with self.stage.lock:
            self.stage.ratings.append(
                {
                    "id": rating["id"],
                    "post": item["post"]["id"],
                    "key": self.reviewer.key,
                    "body": body,
                    "again": False,
                }
            )
        if figures.counts["ratings"] % EFFECT_SAMPLED == 0 and body["verdict"] in ("false", "altered"):
            self._await_effect(item)
        return True

    def _rating(self, item: dict[str, Any]) -> dict[str, Any]:
        text = item["post"]["text"] or item["post"]["links"][0]
        return {
            "version": item["version"],
            "verdict": self.chance.choice(VERDICTS),
            "claim": {"text": text},
            "headline": f"What is known about: {text}"[:200],
            "explanation": "We asked the people named and read the documents linked.",
            "article_url": f"https://{self.reviewer.domain}/checks/{item['id']}",
            "evidence": [
                {"url": f"https://{self.reviewer.domain}/sources/{item['id']}", "title": "Documents"}
            ],
        }

    def _held(self, item: str, since: float) -> None:
        with self.stage.lock:
            self.stage.takes.append((item, since, time.perf_counter(), self.reviewer.key))

    def _await_effect(self, item: dict[str, Any]) -> None:
        post = item["post"]["id"]
        waited = until(lambda: bool(_served(self.stage, post).get("label")), seconds=PATIENCE)
        if waited is None:
            self.stage.figures.fault(f"the rating of {post} was not served in time")
        else:
            self.stage.figures.lag("rating → effect served", waited)


def double_leases(takes: Sequence[tuple[str, float, float, str]]) -> Iterator[str]:
    """Items that two reviewers held at the same time."""
    for item, holds in itertools.groupby(sorted(takes), key=lambda t: t[0]):
        for (_, _, until_, a), (_, since, _, b) in itertools.pairwise(holds):
            if since < until_ and a != b:
                yield item


def _posts(stage: Stage, path: Path, *, now: datetime) -> Iterator[dict[str, Any]]:
    """The file's posts, spread evenly over the last days, most read first."""
    found = []
    for file in imports.files(path, "buzzfeed-top"):
        for line in imports.lines(file, "buzzfeed-top"):
            if line.post is None:
                stage.figures.fault(f"{file.name} line {line.number}: {line.fault}")
            else:
                found.append(dict(line.post))
    for n, post in enumerate(found):
        published = now - PUBLISHED_WITHIN * ((n + 1) / len(found))
        yield {
            **post,
            "external_id": f"{stage.cast.mark}:{post['external_id']}",
            "published_at": published.isoformat(),
            "reach": {**post["reach"], "at": now.isoformat()},
        }


def _served(stage: Stage, post: str) -> dict[str, Any]:
    answer = _ok(stage.client(stage.cast.platform).call("POST", "/distribution/lookup", {"posts": [post]}))
    found: dict[str, Any] = answer["posts"][0]
    return found


def _ok(answer: tuple[int, Any]) -> Any:
    status, body = answer
    if status >= 300:
        raise RuntimeError(f"answered {status}: {body}")
    return body
