"""Two administrators, an American and a French partner, and what their posts come to."""

import pytest

from moderation.enums import SwitchKind
from moderation.selectors import standing
from tests.factories import platform as p
from tests.factories import programme as f

STOP, LIFT, CLEAR = SwitchKind.STOP_RATINGS, SwitchKind.LIFT_EFFECTS, SwitchKind.CLEAR_STRIKES


@pytest.fixture
def ada(clock):
    return p.administrator(clock=clock)


@pytest.fixture
def ben(clock):
    return p.administrator(clock=clock)


@pytest.fixture
def both(ada, ben):
    return ada, ben


@pytest.fixture
def american(clock):
    return f.partner(clock=clock, country="US")


@pytest.fixture
def french(clock):
    return f.partner(clock=clock, country="FR")


@pytest.fixture
def uma(american, clock):
    return f.lead(american, clock=clock)


@pytest.fixture
def luc(french, clock):
    return f.lead(french, clock=clock)


def story(number, clock, **more):
    return p.post(f"Story {number} tells of a thing that was not so.", clock=clock, **more)


def rated(post, verdict="false", *, by, clock):
    return f.rate(post, verdict, by=by, clock=clock, claim=f"The claim of {post.external_id}.")


def level_of(post, clock):
    found = standing.counting([post.actor_id], now=clock())
    return len(found.get(post.actor_id, ()))
