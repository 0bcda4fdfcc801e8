"""docs/integration.md is true: its requests are executed in order, its answers are what comes back."""

import json
import re
import shlex
from pathlib import Path

import pytest

from moderation.enums import Scope
from moderation.models import Post
from tests.api.clients import Api, key
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db

PAGE = Path("docs/integration.md").read_text()
SCOPES = (Scope.POSTS_WRITE, Scope.FLAGS_WRITE, Scope.DISTRIBUTION_READ)
# Each command with the answer that is printed below it.
STEPS = re.findall(r"```sh\n(curl .*?)```\n\n```json\n(.*?)```", PAGE, re.DOTALL)


def test_every_command_on_the_page_has_its_answer():
    assert len(STEPS) == PAGE.count("\ncurl ") == 9


def test_the_page_asks_for_the_scopes_that_its_requests_need():
    assert all(f"`{scope}`" in PAGE for scope in SCOPES)


def test_the_page_tells_what_happens(clock):
    api = Api(key=key(*SCOPES, clock=clock))
    cursor = ""
    for command, printed in STEPS:
        if "/distribution/lookup" in command:  # meanwhile, reviewers have worked
            rate("ext:status/1067", clock)
        answer = run(api, command.replace("$CURSOR", cursor))
        assert answer.status_code < 300, (command, answer.content)
        require_part(json.loads(printed), answer.json(), command)
        cursor = answer.json().get("changes_cursor", cursor)


def rate(ref, clock):
    p.settle(clock)
    post = Post.objects.get(external_id=ref.removeprefix("ext:"))
    f.rate(post, by=f.reviewer(f.partner(clock=clock), clock=clock), clock=clock)
    p.settle(clock)


def run(api, command):
    """What curl would do, through the test client."""
    words = shlex.split(command.replace("\\\n", " "))[1:]
    method, body, headers, path = "", None, {}, ""
    while words:
        word = words.pop(0)
        if word == "-X":
            method = words.pop(0)
        elif word == "-H":
            name, _, value = words.pop(0).partition(": ")
            headers[name] = value
        elif word == "-d":
            body = words.pop(0).encode()
        else:
            path = word.removeprefix("$VERACITY")
    assert headers.pop("Authorization") == "Bearer $KEY"
    return api.send(method or ("POST" if body else "GET"), path, body, **headers)


def require_part(part, whole, where):
    """Everything printed is in the answer; the answer may hold more."""
    if isinstance(part, dict):
        for name, value in part.items():
            assert name in whole, f"{where}: no {name}"
            require_part(value, whole[name], f"{where}.{name}")
    elif isinstance(part, list):
        assert len(part) == len(whole), where
        for inner, found in zip(part, whole, strict=True):
            require_part(inner, found, where)
    else:
        assert part == whole, where


def test_the_members_that_the_page_explains_are_those_of_a_state():
    from moderation.api.changes import StateOut

    explained = re.findall(r"^\| (`.*?`) \|", PAGE, re.MULTILINE)
    named = {word for cell in explained for word in re.findall(r"`(\w+)`", cell)}

    assert named - {"429", "503"} <= StateOut().fields.keys()
