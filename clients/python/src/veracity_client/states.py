"""The state of a post as a snapshot or a change brings it, ready to be asked."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from .errors import Unintelligible
from .worlds import World

_OF_THE_POST = frozenset(("post", "external_id", "version", "at", "then", "begins"))


class State:
    """One version of a post's state: what holds now, and what follows by itself. Never changed once made."""

    __slots__ = ("_then", "external_id", "post", "version", "world")

    def __init__(self, written: Mapping[str, Any]) -> None:
        """Raises Unintelligible for what is no state of the contract."""
        try:
            self.post: str = written["post"]
            self.external_id: str = written["external_id"]
            self.version: int = written["version"]
            self._then = tuple(
                (datetime.fromisoformat(part["begins"]).timestamp(), _world(part))
                for part in written.get("then", ())
            )
        except (KeyError, TypeError, ValueError) as error:
            raise Unintelligible(f"a state is not readable: {error}") from error
        self.world = _world(written)

    @property
    def ends(self) -> bool:
        """Whether something else takes its place by itself."""
        return bool(self._then)

    def at(self, moment: float) -> World:
        """What holds at a moment (seconds since 1970): each stretch begins on its second."""
        world = self.world
        for begins, following in self._then:
            if moment < begins:
                break
            world = following
        return world


def _world(written: Mapping[str, Any]) -> World:
    return World.of({name: value for name, value in written.items() if name not in _OF_THE_POST})
