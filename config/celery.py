"""The Celery application. Settings live under CELERY_* in config/settings/base.py."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")

app = Celery("veracity")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
