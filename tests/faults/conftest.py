from collections.abc import Iterator

import pytest

from tests.faults.stage import Stage


@pytest.fixture(scope="session")
def _built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    built = Stage(tmp_path_factory.mktemp("stage"))
    built.build()
    yield built
    built.strike()


@pytest.fixture
def stage(_built: Stage, django_db_blocker) -> Iterator[Stage]:
    """An empty installation in which everything runs and nobody works yet; this process is part of it."""
    with django_db_blocker.unblock(), _built.here():
        _built.reset()
        yield _built
        _built.stop_all()
