"""Policy versions, brought into force as administrators bring them."""

import copy
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from moderation.caller import Caller
from moderation.models import PolicyDraft, PolicyVersion, Post
from moderation.reference import POLICY_V1
from moderation.selectors import policies
from moderation.services import enforcement
from moderation.services import policies as service
from tests.factories import platform as p
from tests.factories.platform import Clock


def v1() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(POLICY_V1.read_text())
    return found


def changed(values: Mapping[str, Any], data: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A policy with other values at these paths; else version 1's."""
    made = copy.deepcopy(dict(data or v1()))
    for path, value in values.items():
        *above, last = path.split(".")
        here: Any = made
        for step in above:
            here = here[int(step)] if isinstance(here, list) else here[step]
        here[last] = value
    return made


def proposed(
    values: Mapping[str, Any],
    *,
    by: Caller,
    clock: Clock,
    data: Mapping[str, Any] | None = None,
    valid_from: datetime | None = None,
) -> PolicyDraft:
    """A draft on the latest version, tried on all posts and proposed."""
    latest = policies.latest()
    draft = service.draft(
        base=latest.number,
        data=changed(values, data or latest.data),
        reason="So that a test can see it.",
        valid_from=valid_from,
        caller=by,
        now=clock(),
    )
    service.dry_run(draft.pk, version=1, caller=by, now=clock())
    while enforcement.drain("maintenance", limit=1000, now=clock):
        pass
    return service.propose(draft.pk, version=2, caller=by, now=clock())


def approved(
    values: Mapping[str, Any],
    *,
    by: tuple[Caller, Caller],
    clock: Clock,
    data: Mapping[str, Any] | None = None,
    valid_from: datetime | None = None,
    work: bool = True,
) -> PolicyVersion:
    """A version proposed by one and approved by another administrator, rolled out if it begins now."""
    author, approver = by
    draft = proposed(values, by=author, clock=clock, data=data, valid_from=valid_from)
    version = service.approve(draft.pk, version=draft.version, caller=approver, now=clock())
    if work:
        p.settle(clock)
    return version


def claim(number: int, clock: Clock) -> Post:
    """A post by an author of its own."""
    return p.post(f"Claim number {number} says a thing that is not so.", actor=f"page-{number}", clock=clock)


@contextmanager
def no_versions_kept() -> Iterator[None]:
    """Each test has its own version 2: a process keeps the data of a number."""
    policies.numbered.cache_clear()
    try:
        yield
    finally:
        policies.numbered.cache_clear()
