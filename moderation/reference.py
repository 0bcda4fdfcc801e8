"""Reference data the product cannot run without: policy version 1. Loaded after every migrate."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.apps import apps

POLICY_V1 = Path(__file__).parent / "data" / "policy_v1.json"
BEGINNING = datetime(2016, 12, 15, tzinfo=UTC)


def load(sender: Any, using: str, **_: Any) -> None:
    """Insert policy version 1 where it is missing; safe to repeat and to race."""
    model = apps.get_model("moderation", "PolicyVersion")
    first = model(number=1, data=json.loads(POLICY_V1.read_text()), valid_from=BEGINNING)
    model.objects.using(using).bulk_create([first], ignore_conflicts=True)
