"""The test suite: real PostgreSQL, real Redis, cheap passwords.

Everything a run writes lies in one folder, which the processes of pytest-xdist inherit. Without
DATABASE_URL and REDIS_URL the services listen there too: tests/services.py makes it and starts them.
"""

import os
from urllib.parse import quote

_folder = os.environ.setdefault("VERACITY_TEST_FOLDER", f"/tmp/veracity-test-{os.getpid()}")  # noqa: S108
os.environ["VERACITY_VAR"] = _folder
os.environ.setdefault(
    "DATABASE_URL", f"postgresql://veracity_owner@{quote(_folder + '/run', safe='')}/veracity"
)
os.environ.setdefault("REDIS_URL", f"unix://{_folder}/run/valkey.sock?db=0")
os.environ["REDIS_PREFIX"] = f"test-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}:"

from config.settings.base import *  # noqa: E402, F403

SECRET_KEY = "test-only"  # noqa: S105
ALLOWED_HOSTS = ["*"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}  # noqa: F405
STYLEGUIDE = True
