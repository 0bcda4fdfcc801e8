"""The copy in memory: what the server said of each post, and answers from it. Knows neither network nor disk."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from .answers import UNKNOWN_POST, Answer
from .errors import NotReady, VersionMissing
from .states import State
from .worlds import DEFAULT

EXT = "ext:"


@dataclass(frozen=True, slots=True)
class Changed:
    """A post whose state has a new version."""

    post: str
    external_id: str
    version: int


class Copy:
    """States by post id and by `ext:` and external id. One thread writes, any number read."""

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        """`clock` gives seconds since 1970; effects that end by time end by it."""
        self._clock = clock
        self._states: dict[str, State] | None = None

    def lookup(
        self, post: str, *, region: str = "", viewer_preference: str = DEFAULT, at: datetime | None = None
    ) -> Answer:
        """What must be done with a post for a viewer, now or at a later moment.

        `post` is an id of Veracity's, in lower case, or `ext:` and your own. `region` is an ISO 3166-1 or
        3166-2 code; without it the worldwide effect is answered. UNKNOWN_POST says that no effect of this
        post was ever told: it has none as of `Status.as_of`, or Veracity does not know it.

        Raises NotReady before the first copy is complete, ValueError for a preference that does not exist.
        """
        try:
            state = self._states[post]  # type: ignore[index]
        except KeyError:
            return UNKNOWN_POST
        except TypeError:
            if self._states is not None:
                raise
            raise NotReady("There is no complete copy yet.") from None
        everywhere = state.everywhere
        if (self._clock() if at is None else at.timestamp()) >= state.until or everywhere is None:
            return self._with_care(state, region, viewer_preference, at)
        try:
            return everywhere[viewer_preference]
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
        """`lookup` for many posts at one moment, answered in their order; several times as fast."""
        states = self._states
        if states is None:
            raise NotReady("There is no complete copy yet.")
        moment = self._clock() if at is None else at.timestamp()
        find = states.get
        try:
            return [
                UNKNOWN_POST
                if (state := find(post)) is None
                else everywhere[viewer_preference]
                if (everywhere := state.everywhere) is not None and moment < state.until
                else _careful(state, region, viewer_preference, moment)
                for post in posts
            ]
        except KeyError:
            raise _no_preference(viewer_preference) from None

    def version(self, post: str) -> int | None:
        """The version of the post's state that is held; None for an unknown post."""
        if self._states is None:
            raise NotReady("There is no complete copy yet.")
        state = self._states.get(post)
        return state.version if state else None

    @property
    def ready(self) -> bool:
        """Whether there is a complete copy, however old."""
        return self._states is not None

    def __len__(self) -> int:
        """How many posts are held."""
        return len(self._states) // 2 if self._states else 0

    def _replace(self, states: dict[str, State]) -> None:
        self._states = states

    def _apply(self, changes: Iterable[Mapping[str, Any]]) -> tuple[list[Changed], int]:
        """Apply changes in the feed's order; returns what is new, and how many were old news.

        Raises VersionMissing when a post's versions do not rise one by one.
        """
        assert self._states is not None
        applied, old = [], 0
        for written in changes:
            state = State(written)
            held = self._states.get(state.post)
            version = held.version if held else 0
            if state.version <= version:
                old += 1
                continue
            if state.version != version + 1:
                raise VersionMissing(f"post {state.post}: from version {version} to {state.version}")
            hold(self._states, state)
            applied.append(Changed(state.post, state.external_id, state.version))
        return applied, old

    def _with_care(self, state: State, region: str, preference: str, at: datetime | None) -> Answer:
        try:
            return _careful(state, region, preference, self._clock() if at is None else at.timestamp())
        except KeyError:
            raise _no_preference(preference) from None


def hold(states: dict[str, State], state: State) -> None:
    """Put a state under both names of its post."""
    states[state.post] = state
    states[EXT + state.external_id] = state


def _careful(state: State, region: str, preference: str, moment: float) -> Answer:
    """For states that end by time or differ by region."""
    world = state.at(moment)
    return world.within(region, preference) if region else world.everywhere[preference]


def _no_preference(name: str) -> ValueError:
    return ValueError(f"{name!r} is no viewer preference")
