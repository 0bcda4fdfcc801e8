"""The copy in memory: what the server said of each post, and answers from it. Knows neither network nor disk."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .answers import UNKNOWN_POST, Answer
from .errors import NotReady, VersionMissing
from .states import State
from .worlds import DEFAULT, World

EXT = "ext:"
_NO_COPY = "There is no complete copy yet."


@dataclass(frozen=True, slots=True)
class Changed:
    """A post whose state has a new version."""

    post: str
    external_id: str
    version: int


class Held:
    """What is known of posts, by post id and by `ext:` and external id.

    Most states neither end by time nor differ by region. Of these only the World is kept, which all posts
    with the same effect share, so that a lookup touches little memory.
    """

    __slots__ = ("answers", "versions")

    def __init__(self) -> None:
        self.answers: dict[str, World | State] = {}
        self.versions: dict[str, int] = {}

    def put(self, state: State) -> None:
        entry = state if state.ends or state.world.regional else state.world
        self.answers[state.post] = entry
        self.answers[EXT + state.external_id] = entry
        self.versions[state.post] = state.version


class Copy:
    """What is held, and answers from it. One thread writes, any number read."""

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        """`clock` gives seconds since 1970; effects that end by time end by it."""
        self._clock = clock
        self._held: Held | None = None
        self._answers: Mapping[str, World | State] | None = None  # of what is held

    def lookup(
        self, post: str, *, region: str = "", viewer_preference: str = DEFAULT, at: datetime | None = None
    ) -> Answer:
        """What must be done with a post for a viewer, now or at a later moment.

        `post` is an id of Veracity's, in lower case, or `ext:` and your own. `region` is an ISO 3166-1 or
        3166-2 code; without it the worldwide effect is answered. UNKNOWN_POST says that no effect of this
        post was ever told: it has none as of `Status.as_of`, or Veracity does not know it.

        Raises NotReady before the first copy is complete, ValueError for a preference that does not exist.
        """
        answers = self._answers
        if answers is None:
            raise NotReady(_NO_COPY)
        found = answers.get(post)
        if found is None:
            return UNKNOWN_POST
        try:
            if isinstance(found, State):
                moment = self._clock() if at is None else at.timestamp()
                return _careful(found, region, viewer_preference, moment)
            return found.everywhere[viewer_preference]
        except KeyError:
            raise _no_preference(viewer_preference) from None

    def lookup_many(
        self,
        posts: Sequence[str],
        *,
        region: str = "",
        viewer_preference: str = DEFAULT,
        at: datetime | None = None,
    ) -> list[Answer]:
        """`lookup` for many posts at one moment, answered in their order."""
        answers = self._answers
        if answers is None:
            raise NotReady(_NO_COPY)
        moment = self._clock() if at is None else at.timestamp()
        find = answers.get
        try:
            return [
                UNKNOWN_POST
                if (found := find(post)) is None
                else _careful(found, region, viewer_preference, moment)
                if isinstance(found, State)
                else found.everywhere[viewer_preference]
                for post in posts
            ]
        except KeyError:
            raise _no_preference(viewer_preference) from None

    def version(self, post: str) -> int | None:
        """The version of a post's state that is held, by its id of Veracity's; None for an unknown post.

        Raises NotReady before the first copy is complete.
        """
        if self._held is None:
            raise NotReady(_NO_COPY)
        return self._held.versions.get(post)

    @property
    def ready(self) -> bool:
        """Whether there is a complete copy, however old."""
        return self._held is not None

    def __len__(self) -> int:
        """How many posts are held."""
        return len(self._held.versions) if self._held else 0

    def _replace(self, held: Held) -> None:
        self._held, self._answers = held, held.answers

    def _apply(self, changes: Iterable[Mapping[str, Any]]) -> tuple[list[Changed], int]:
        """Apply changes in the feed's order; returns what is new, and how many were old news.

        Raises VersionMissing when a post's versions do not rise one by one.
        """
        assert self._held is not None
        applied, old = [], 0
        for written in changes:
            state = State(written)
            version = self._held.versions.get(state.post, 0)
            if state.version <= version:
                old += 1
                continue
            if state.version != version + 1:
                raise VersionMissing(f"post {state.post}: from version {version} to {state.version}")
            self._held.put(state)
            applied.append(Changed(state.post, state.external_id, state.version))
        return applied, old


def _careful(state: State, region: str, preference: str, moment: float) -> Answer:
    """For states that end by time or differ by region."""
    world = state.at(moment)
    return world.within(region, preference) if region else world.everywhere[preference]


def _no_preference(name: str) -> ValueError:
    return ValueError(f"{name!r} is no viewer preference")
