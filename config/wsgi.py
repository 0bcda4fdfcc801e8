"""The web process. Its threads share a pool of database connections, one each at most."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")
os.environ.setdefault("DATABASE_POOL_SIZE", "8")

application = get_wsgi_application()
