"""The release after this one, as far as its workers know more: a task, an argument and a kind of work."""

import django

from config.celery import app

django.setup()
app.loader.import_default_modules()

from moderation.redis_client import key, server  # noqa: E402
from moderation.services import enforcement  # noqa: E402

__all__ = ["app"]


@app.task(name="moderation.tasks.of_tomorrow")
def of_tomorrow(number: int, *, word: str) -> None:
    server().client.rpush(key("tomorrow"), f"{number} {word!a}")


app.tasks.unregister("moderation.tasks.seal_audit")


@app.task(name="moderation.tasks.seal_audit")
def seal_audit(limit: int = 0) -> None:
    server().client.rpush(key("tomorrow"), f"sealed {limit}")


enforcement._HANDLERS["work_of_tomorrow"] = lambda row, now: None
