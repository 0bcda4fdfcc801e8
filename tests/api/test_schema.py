"""The served OpenAPI is valid, complete, and its examples are what it says."""

import pytest
import yaml
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.validation import validate_schema

from tests.api import contract

OPERATIONS = contract.operations()
IDS = [f"{method} {path}" for method, path, _ in OPERATIONS]


def test_the_schema_is_valid_and_was_made_without_a_guess():
    GENERATOR_STATS.reset()
    contract.schema.cache_clear()

    validate_schema(contract.schema())

    assert not GENERATOR_STATS


def test_the_schema_is_served_as_json_and_as_yaml():
    as_json = Client().get("/api/v1/schema/", headers={"Accept": "application/json"})
    as_yaml = Client().get("/api/v1/schema/", headers={"Accept": "application/vnd.oai.openapi"})

    assert as_json.json()["paths"].keys() == yaml.safe_load(as_yaml.content)["paths"].keys()
    assert as_json.json()["openapi"] == "3.1.0"


def test_every_operation_has_a_name_of_its_own():
    names = [operation["operationId"] for _, _, operation in OPERATIONS]

    assert len(names) == len(set(names))


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS, ids=IDS)
def test_every_operation_has_a_summary_and_examples_of_its_shape(method, path, operation):
    assert operation["summary"]
    bodies = [body for status, body in operation["responses"].items() if status < "300"]
    if "requestBody" in operation:
        bodies.append(operation["requestBody"])
    for body in bodies:
        content = body["content"]["application/json"]
        assert content["examples"], "no example"
        for example in content["examples"].values():
            contract.require_shape(example["value"], content["schema"])


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS, ids=IDS)
def test_every_operation_names_its_problems_and_writes_take_a_key(method, path, operation):
    headers = [p["name"] for p in operation.get("parameters", []) if p["in"] == "header"]
    writes = method != "GET" and path != "/api/v1/distribution/lookup"

    assert {"400", "401", "403", "404", "429", "503"} <= operation["responses"].keys()
    assert ("Idempotency-Key" in headers) == writes


def test_the_page_to_read_it_has_no_inline_script_and_nothing_from_elsewhere():
    client = Client()

    page = client.get("/api/v1/docs/")
    script = client.get("/api/v1/docs/?script=")

    assert page.status_code == script.status_code == 200
    assert "<style" not in page.content.decode() and "<script>" not in page.content.decode()
    assert "//" not in page.content.decode().replace("<!DOCTYPE html>", "")
    assert script.headers["Content-Type"].startswith("application/javascript")
    assert (
        "script-src" not in page.headers["Content-Security-Policy"]
        or "unsafe" not in page.headers["Content-Security-Policy"]
    )
