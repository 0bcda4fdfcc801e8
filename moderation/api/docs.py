"""/schema/ and /docs/: the OpenAPI as it is served, and a page to read and try it."""

from functools import cache
from typing import Any

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.http.authentication import SessionAuthentication


class SchemaView(SpectacularAPIView):
    """The schema is the same for everybody, so it is made once per process."""

    authentication_classes = ()

    def _get_schema_response(self, request: Request) -> Response:
        name = "veracity." + self.perform_content_negotiation(request, force=True)[0].format
        return Response(_schema(), headers={"Content-Disposition": f'inline; filename="{name}"'})


class DocsView(SpectacularSwaggerSplitView):
    """Swagger UI from our own files; the script is a request of its own, for the strict CSP."""

    authentication_classes = (SessionAuthentication,)
    template_name = "moderation/api_docs.html"
    url_name = "api:schema"


@cache
def _schema() -> dict[str, Any]:
    found: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return found
