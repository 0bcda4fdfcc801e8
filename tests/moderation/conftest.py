"""Pages know the wall clock only, so what they show is made by it too."""

from collections.abc import Callable, Iterator
from datetime import datetime

import pytest
from django.utils import timezone

from moderation.caller import Caller
from tests.factories import platform as p
from tests.factories.policies import no_versions_kept
from tests.factories.receivers import Receiver, receiving


@pytest.fixture
def wall() -> Callable[[], datetime]:
    return timezone.now


@pytest.fixture(autouse=True)
def _policy_versions() -> Iterator[None]:
    with no_versions_kept():
        yield


@pytest.fixture
def ada(clock) -> Caller:
    """An administrator."""
    return p.administrator(clock=clock)


@pytest.fixture
def ben(clock) -> Caller:
    """Another one."""
    return p.administrator(clock=clock)


@pytest.fixture
def receiver(settings) -> Iterator[Callable[[], Receiver]]:
    """`receiver()` is a server on the loopback that webhooks may reach."""
    settings.WEBHOOK_HOSTS_ALLOWED = frozenset({"127.0.0.1"})
    with receiving() as make:
        yield make
