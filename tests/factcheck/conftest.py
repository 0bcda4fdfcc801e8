"""Pages are asked at the wall clock: views pass timezone.now() to the services."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from moderation.caller import Caller
from moderation.middleware import ACTING
from moderation.models import User
from tests.factcheck.switch_fixtures import ada, american, ben, both, french, luc, uma  # noqa: F401 (fixtures)
from tests.factories import programme as f
from tests.factories.platform import Clock


class WallClock(Clock):
    """The time that the pages see. `advance` is for services that a test calls itself."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    @property
    def now(self) -> datetime:  # type: ignore[override]
        return timezone.now() + self.ahead

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **parts: float) -> datetime:
        self.ahead += timedelta(**parts)
        return self.now


@pytest.fixture
def wall() -> Clock:
    return WallClock()


@pytest.fixture
def door() -> Callable[[Caller], Client]:
    """`door(caller)` is a browser without scripts, signed in as them in their role."""

    def opened(caller: Caller) -> Client:
        client = Client()
        client.force_login(User.objects.get(pk=caller.person_id), backend=settings.AUTHENTICATION_BACKENDS[0])
        session = client.session
        session[ACTING] = (
            f"{caller.role}:{caller.organisation_id}" if caller.organisation else str(caller.role)
        )
        session.save()
        return client

    return opened


@pytest.fixture
def partner(wall):
    return f.partner(clock=wall)


@pytest.fixture
def rita(partner, wall):
    """A reviewer of the partner."""
    return f.reviewer(partner, clock=wall)


@pytest.fixture
def hers(rita, door):
    """Rita's browser."""
    return door(rita)
