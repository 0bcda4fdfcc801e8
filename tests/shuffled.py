"""PostgreSQL promises no order where none was asked for: in tests such rows come in any order.

Loaded as a pytest plugin. Code that relies on an order it did not ask for fails here, not in production.
"""

import random
from typing import Any

import pytest
from django.db.models import QuerySet


@pytest.fixture(autouse=True)
def _any_order(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    chance = random.Random(request.node.nodeid)
    fetch_all = QuerySet._fetch_all

    def fetch(self: QuerySet[Any]) -> None:
        fresh = self._result_cache is None
        fetch_all(self)
        if fresh and not self.ordered and self._result_cache:
            chance.shuffle(self._result_cache)

    monkeypatch.setattr(QuerySet, "_fetch_all", fetch)
