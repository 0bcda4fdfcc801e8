"""`make run`: the product on this machine, with demo data."""

import json
import os
from pathlib import Path

# A `manage.py` beside a running `make run` uses the services whose addresses it left here.
_running = Path(os.environ.get("VERACITY_VAR") or Path(__file__).parents[2] / "var") / "environment.json"
if "DATABASE_URL" not in os.environ and _running.exists():
    os.environ.update(json.loads(_running.read_text()))

from config.settings.base import *  # noqa: E402, F403

SECRET_KEY = SECRET_KEY or "development-only-never-in-production"  # noqa: F405
DEBUG = False
ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
STYLEGUIDE = True
# Hashed like in production, but not compressed: on one machine that costs half a minute and saves nothing.
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"}  # noqa: F405
