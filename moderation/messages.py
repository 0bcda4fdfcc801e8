"""What a worker does with a message that it does not understand: keep it (see services.messages).

Celery itself would log and drop it.
"""

import inspect
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from celery import Celery, Task, current_app, shared_task
from celery.signals import task_failure
from celery.utils.log import get_logger
from celery.worker import consumer
from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone
from kombu.exceptions import OperationalError

from moderation.services import messages

logger = get_logger(__name__)

REST_SECONDS = 5


@shared_task
def keep_message(task: str, arguments: str, queue: str, reason: str) -> None:
    """Keep a message that a worker did not understand; tried until the database takes it."""
    try:
        messages.keep(task=task, arguments=arguments, queue=queue, reason=reason, now=timezone.now())
    except DatabaseError:
        time.sleep(REST_SECONDS)  # without the database there is nothing else to do
        _keep_later(task, arguments, queue, reason)


class Consumer(consumer.Consumer):
    """Celery's consumer, but what it cannot hand to a task is kept."""

    def on_unknown_task(self, body: Any, message: Any, exc: Exception) -> None:
        task = str(message.headers.get("task", "")) if message.headers else ""
        self._keep(message, task, f"This release has no task “{_printable(task)}”.")

    def on_unknown_message(self, body: Any, message: Any) -> None:
        self._keep(message, "", "This is no message to a task.")

    def on_invalid_task(self, body: Any, message: Any, exc: Exception) -> None:
        self._keep(message, "", f"This message breaks the protocol: {_printable(str(exc))}")

    def on_decode_error(self, message: Any, exc: Exception) -> None:
        self._keep(message, "", f"This message cannot be read: {_printable(str(exc))}")

    def _keep(self, message: Any, task: str, reason: str) -> None:
        arguments = _arguments(message) if task else ""
        if not arguments:
            body = message.body
            task, arguments = "", _printable(body.decode("latin-1") if isinstance(body, bytes) else str(body))
        queue = (message.delivery_info or {}).get("routing_key") or settings.CELERY_TASK_DEFAULT_QUEUE
        try:
            _keep_later(_printable(task), arguments, queue, reason)
        except (OperationalError, OSError) as error:  # the broker is full: leave the message there
            logger.warning("Could not set a message aside: %r", error)
            message.reject_log_error(logger, self.connection_errors, requeue=True)
        else:
            message.ack_log_error(logger, self.connection_errors)


@task_failure.connect(dispatch_uid="moderation.keep_misfits")
def _keep_misfits(
    sender: Task | None = None, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None, **_: object
) -> None:
    """A task that another release called with other arguments could not even begin."""
    if sender is not None and (reason := _misfit(sender, args, kwargs or {})):
        queue = (sender.request.delivery_info or {}).get("routing_key") or settings.CELERY_TASK_DEFAULT_QUEUE
        _keep_later(sender.name, json.dumps([list(args), dict(kwargs or {})]), queue, reason)


def _keep_later(task: str, arguments: str, queue: str, reason: str) -> None:
    """By a message of our own: whoever reads messages has no time for a database."""
    keep_message.apply_async((task, arguments, queue, reason[:500]), queue=messages.QUEUE, retry=False)


def _misfit(task: Task, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    """Why the task cannot be called so; "" if it can."""
    try:
        inspect.signature(task.run).bind(*args, **kwargs)
    except TypeError as error:
        return f"This release calls “{task.name}” with other arguments: {error}."
    return ""


def _arguments(message: Any) -> str:
    """Positional and named arguments as JSON, in either of the two protocols; "" if they cannot be read."""
    try:
        body = message.payload
        args, kwargs = (body["args"], body["kwargs"]) if isinstance(body, dict) else body[:2]
        return json.dumps([list(args), dict(kwargs)])
    except Exception:  # whatever a stranger may have sent
        return ""


def _printable(text: str) -> str:
    """What PostgreSQL can hold."""
    return text.encode("ascii", "backslashreplace").decode().replace("\0", "\\x00")


def _send(name: str, args: Sequence[Any], kwargs: Mapping[str, Any], queue: str) -> str:
    app: Celery = current_app
    task = app.tasks.get(name)
    if task is None:
        return f"This release has no task “{name}”."
    if reason := _misfit(task, args, kwargs):
        return reason
    try:
        task.apply_async(args, kwargs, queue=queue, retry=False)
    except (OperationalError, OSError) as error:
        return f"The broker did not take it: {error}"
    return ""


def hang_sender() -> None:
    """Connect the services to Celery; called when the app is ready."""
    messages.hang_sender(_send)
