"""What the served OpenAPI says beside each view's own words: problems, keys, who may ask."""

import re
from typing import Any, Literal

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiExample, OpenApiParameter
from rest_framework import serializers

from moderation.enums import Scope
from moderation.http.problems import MEDIA_TYPE
from moderation.http.shapes import Input

Direction = Literal["request", "response"]


class FieldErrorOut(serializers.Serializer):
    code = serializers.CharField()
    detail = serializers.CharField()


class RefusalOut(serializers.Serializer):
    """Why one entry of many was refused."""

    code = serializers.CharField()
    detail = serializers.CharField()
    errors = serializers.DictField(child=FieldErrorOut(many=True))  # type: ignore[assignment]


class ProblemOut(serializers.Serializer):
    """RFC 9457. Some problems carry more members, such as `current` on 409: what is now."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    code = serializers.CharField(help_text="Stable, in snake_case.")
    errors = serializers.DictField(  # type: ignore[assignment]
        child=FieldErrorOut(many=True), help_text="What to mend, by the field's path: `posts.3.links.0`."
    )
    request_id = serializers.CharField()


# What any operation may answer; a write may answer more.
ALWAYS = ("400", "401", "403", "404", "405", "406", "429", "503")
WRITES = ("409", "411", "413", "415", "422")

IDEMPOTENCY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="The same key and request within 24 hours: carried out once, answered the same.",
)


class Documented(AutoSchema):
    """Adds to each operation the problems it may answer, and the idempotency key to writes."""

    def get_operation_id(self) -> str:
        """The method and the view's own name: each view serves one address."""
        words = re.sub(r"(?<!^)(?=[A-Z])", "_", type(self.view).__name__.removesuffix("View"))
        return f"{self.method.lower()}_{words.lower()}"

    def get_override_parameters(self) -> list[Any]:
        own = list(super().get_override_parameters())
        writes = self.method in ("POST", "PUT", "DELETE") and not getattr(self.view, "reads", False)
        return [*own, IDEMPOTENCY] if writes else own

    def _map_basic_serializer(self, serializer: Any, direction: Direction) -> dict[str, Any]:
        found: dict[str, Any] = super()._map_basic_serializer(serializer, direction)
        if isinstance(serializer, Input):
            found["additionalProperties"] = False
        return found

    def _get_response_bodies(self, direction: Direction = "response") -> dict[str, Any]:
        found = super()._get_response_bodies(direction)
        codes = ALWAYS if self.method == "GET" else ALWAYS + WRITES
        problem = self.resolve_serializer(ProblemOut, direction).ref
        for code in codes:
            found.setdefault(code, {"content": {MEDIA_TYPE: {"schema": problem}}, "description": _SAYS[code]})
        return found


_SAYS = {
    "400": "A field, a parameter or the JSON itself is at fault; `errors` names it.",
    "401": "No key and no session, or a key that no longer holds.",
    "403": "The caller may not do this; `detail` says why.",
    "404": "There is no such thing, or the caller may not know of it.",
    "405": "The address does not take this method.",
    "406": "Only JSON is served.",
    "409": "Something else came first: a stale version, a lost lease, a wrong state; `current` says what is now.",
    "411": "The body came without its length.",
    "413": "The body is too large.",
    "415": "Only JSON is read.",
    "422": "Well-formed, but not to be carried out: a key used for another request, a verdict that is no rating.",
    "429": "Too many requests; `Retry-After` says when to come back.",
    "503": "Busy or the database is away; the same request may succeed in a moment.",
}


class KeyScheme(OpenApiAuthenticationExtension):
    target_class = "moderation.http.authentication.ApiKeyAuthentication"
    name = "key"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        scopes = "\n".join(f"- `{scope}`: {scope.label}" for scope in Scope)
        return {
            "type": "http",
            "scheme": "bearer",
            "description": f"An API client's key. It may do what its scopes say:\n\n{scopes}",
        }


class SessionScheme(OpenApiAuthenticationExtension):
    target_class = "moderation.http.authentication.SessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": "sessionid",
            "description": "A person signed in on the pages; writes also send X-CSRFToken.",
        }


def sent(value: Any, summary: str = "Request") -> OpenApiExample:
    """An example of a request's body."""
    return OpenApiExample(summary, value=value, request_only=True)


def answered(value: Any, summary: str = "Answer", status: int = 200) -> OpenApiExample:
    """An example of an answer's body."""
    return OpenApiExample(summary, value=value, response_only=True, status_codes=[str(status)])
