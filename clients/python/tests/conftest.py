from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake_server import FakeServer
from veracity_client import Replica

Follow = Callable[..., Replica]


@pytest.fixture
def server() -> Iterator[FakeServer]:
    made = FakeServer()
    made.start()
    yield made
    made.stop()


@pytest.fixture
def follow(server: FakeServer) -> Iterator[Follow]:
    """Start a replica of the server and wait for its first copy, unless `ready=False`."""
    started: list[Replica] = []

    def start(*, ready: bool = True, path: Path | None = None, **options: object) -> Replica:
        replica = Replica(server.address, "vk_test", path=path, wait=1, **options)  # type: ignore[arg-type]
        started.append(replica.start())
        if ready:
            assert replica.wait_until_ready(10), replica.status()
        return replica

    yield start
    server.stop()  # ends the polls that wait
    for replica in started:
        assert replica.stop(10)
