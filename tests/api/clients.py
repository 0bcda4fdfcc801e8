"""Programs and people that talk to the API. Each answer is held to the served schema."""

import json
import threading
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import connection
from django.http import HttpResponse
from django.middleware.csrf import _get_new_csrf_string
from django.test import Client

from moderation.caller import SYSTEM, Caller
from moderation.enums import Scope
from moderation.models import User
from moderation.services import api_clients
from tests.api import contract
from tests.factories.platform import Clock

ROOT = "/api/v1"


class Api:
    """Sends JSON to /api/v1, as a key, as a person of a session, or as nobody."""

    def __init__(self, *, key: str = "", person: User | None = None, acting: str = "") -> None:
        self.client = Client(enforce_csrf_checks=True, raise_request_exception=False)
        self.headers: dict[str, str] = {"Authorization": f"Bearer {key}"} if key else {}
        if person is not None:
            self.client.force_login(person, backend=settings.AUTHENTICATION_BACKENDS[0])
            session = self.client.session
            session["acting"] = acting
            session.save()
            token = _get_new_csrf_string()
            self.client.cookies[settings.CSRF_COOKIE_NAME] = token
            self.headers["X-CSRFToken"] = token

    def get(self, path: str, **headers: str) -> HttpResponse:
        return self.send("GET", path, None, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        return self.send("POST", path, body, **headers)

    def put(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        return self.send("PUT", path, body, **headers)

    def delete(self, path: str, **headers: str) -> HttpResponse:
        return self.send("DELETE", path, None, **headers)

    def send(self, method: str, path: str, body: Any, **headers: str) -> HttpResponse:
        """`body` is written as JSON, or sent as it is when it is bytes."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent: dict[str, Any] = {}
        if body is not None:
            sent["content_type"] = named.pop("Content-Type", "application/json")
            sent["data"] = body
        response = self.client.generic(
            method, f"{ROOT}{path}", **_body(sent), headers={**self.headers, **named}
        )
        contract.require_conformity(method, path, response)
        return response


def _body(sent: dict[str, Any]) -> dict[str, Any]:
    if "data" in sent and not isinstance(sent["data"], bytes):
        sent["data"] = json.dumps(sent["data"]).encode()
    return sent


def key(*scopes: Scope, clock: Clock, of: Caller | None = None, name: str = "Platform") -> str:
    """A key of the platform's, or of a person in the capacity they act in."""
    person = User.objects.get(pk=of.person_id) if of else None
    acting = (f"{of.role}:{of.organisation_id}" if of.organisation_id else str(of.role)) if of else ""
    return api_clients.create(
        name=name, scopes=scopes, caller=SYSTEM, now=clock(), person=person, acting=acting
    )[1]


def program(*scopes: Scope, clock: Clock) -> Api:
    """The platform's program, with every scope unless some are named."""
    return Api(key=key(*(scopes or tuple(Scope)), clock=clock))


def as_person(caller: Caller) -> Api:
    """Somebody signed in on the pages, acting as this caller."""
    acting = f"{caller.role}:{caller.organisation_id}" if caller.organisation_id else str(caller.role)
    return Api(person=User.objects.get(pk=caller.person_id), acting=acting)


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Run these in threads that start together; returns what each gave."""
    barrier, given = threading.Barrier(len(acts)), [None] * len(acts)

    def run(n: int, act: Callable[[], Any]) -> None:
        barrier.wait()
        given[n] = act()
        connection.close()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return given
