"""What every test shares. Each room of fixtures is a plugin of its own."""

import pytest

from tests.factories.platform import Clock

pytest_plugins = ["tests.services", "tests.shuffled", "tests.workers"]


@pytest.fixture
def clock() -> Clock:
    return Clock()
