"""Pages know the wall clock only, so what they show is made by it too."""

from collections.abc import Callable
from datetime import datetime

import pytest
from django.utils import timezone


@pytest.fixture
def wall() -> Callable[[], datetime]:
    return timezone.now
