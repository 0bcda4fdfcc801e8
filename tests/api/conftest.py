"""The API in the test's own time, with limits that no test meets unless it says so."""

import pytest
from django.utils import timezone

from tests.api.clients import Api, program


@pytest.fixture(autouse=True)
def _in_the_tests_time(clock, monkeypatch):
    monkeypatch.setattr(timezone, "now", clock)


@pytest.fixture(autouse=True)
def _no_limits(settings):
    settings.API_LIMITS = {
        who: {"read": "1000000/minute", "write": "1000000/minute"} for who in settings.API_LIMITS
    }


@pytest.fixture
def platform(clock) -> Api:
    """The platform's own program, with every scope."""
    return program(clock=clock)


@pytest.fixture
def nobody() -> Api:
    return Api()
