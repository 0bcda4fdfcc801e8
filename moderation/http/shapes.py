"""Bases for what requests bring and answers hold. A shape is the schema's truth and the check in one."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail
from rest_framework.request import Request


class Input(serializers.Serializer):
    """A JSON object with exactly these fields: an unknown one is an error with its name."""

    def to_internal_value(self, data: Any) -> Any:
        unknown = data.keys() - self.fields.keys() if isinstance(data, dict) else ()
        errors: dict[str, Any] = {str(name): [_unknown()] for name in sorted(unknown)}
        try:
            value = super().to_internal_value(data)
        except serializers.ValidationError as error:
            detail = error.detail
            raise serializers.ValidationError(
                {**detail, **errors} if isinstance(detail, Mapping) else detail
            ) from None
        if errors:
            raise serializers.ValidationError(errors)
        return value


class NothingIn(Input):
    """An empty object, or no body at all."""


def _unknown() -> ErrorDetail:
    return ErrorDetail(_("There is no such field."), code="unknown_field")


class Query(serializers.Serializer):
    """What may stand behind the question mark. Its fields take text; each parameter is given once."""

    def to_internal_value(self, data: QueryDict) -> Any:
        errors: dict[str, Any] = {}
        for name, values in data.lists():
            if name not in self.fields:
                name = name.replace("\0", "\\x00")
                errors[name] = [_unknown()]
            elif len(values) > 1:
                errors[name] = [ErrorDetail(_("Give this once."), code="duplicate_key")]
            elif "\0" in values[0]:
                errors[name] = [ErrorDetail(_("NUL is not text."), code="unstorable_text")]
        if errors:
            raise serializers.ValidationError(errors)
        return super().to_internal_value(data.dict())


def read(shape: type[Input], request: Request) -> dict[str, Any]:
    """The request's body in this shape. Raises ValidationError."""
    return check(shape, request.data)


def check(shape: type[serializers.Serializer], data: Any) -> dict[str, Any]:
    """Raises ValidationError. Shapes keep no state, so one of each serves the whole process."""
    found: dict[str, Any] = _ready(shape).run_validation(data)
    return found


def query(shape: type[Query], request: Request) -> dict[str, Any]:
    """The request's parameters in this shape; those not given are absent. Raises ValidationError."""
    return check(shape, request.query_params)


def written(shape: type[serializers.Serializer], thing: Any) -> dict[str, Any]:
    """A thing in this shape, for shapes that need no context: their fields are made once per process."""
    document: dict[str, Any] = _ready(shape).to_representation(thing)
    return document


@lru_cache(maxsize=128)
def _ready(shape: type[serializers.Serializer]) -> serializers.Serializer:
    return shape()
