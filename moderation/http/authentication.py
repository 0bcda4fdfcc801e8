"""Who asks: the bearer of a key, or the person of a session (then with a CSRF token).

Both end in `request.caller`, which is all that views, services and selectors look at.
"""

from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from rest_framework import authentication
from rest_framework.exceptions import AuthenticationFailed, PermissionDenied
from rest_framework.request import Request

from moderation.models import ApiClient
from moderation.services import api_clients, callers

SCHEME = "Bearer"


class ApiKeyAuthentication(authentication.BaseAuthentication):
    """`Authorization: Bearer <key>`. It wins over a session; a wrong key is never passed over for one."""

    def authenticate(self, request: Request) -> tuple[Any, ApiClient] | None:
        scheme, _, key = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        if scheme.lower() != SCHEME.lower():
            return None
        now = timezone.now()
        client = api_clients.find(key.strip(), now=now) if key.isascii() and "\0" not in key else None
        caller = callers.for_client(client, now=now) if client else None
        request._request.caller = caller  # type: ignore[attr-defined]
        if client is None:
            raise AuthenticationFailed("This key is unknown, has expired or was revoked.")
        if caller is None:
            raise AuthenticationFailed("The person behind this key no longer holds the role it acts in.")
        return client.person or AnonymousUser(), client

    def authenticate_header(self, request: Request) -> str:
        return SCHEME


class SessionAuthentication(authentication.SessionAuthentication):
    """The person signed in on the pages, as CallerMiddleware found them."""

    def authenticate(self, request: Request) -> tuple[Any, None] | None:
        if request._request.caller is None:  # type: ignore[attr-defined]
            return None
        return super().authenticate(request)

    def enforce_csrf(self, request: Request) -> None:
        """As DRF's, on Django's own request: DRF's would read and parse the body to look for the token."""
        check = authentication.CSRFCheck(_no_response)
        check.process_request(request._request)
        if reason := check.process_view(request._request, _no_response, (), {}):
            raise PermissionDenied(f"CSRF failed: {reason}")


def _no_response(request: HttpRequest) -> HttpResponse:
    return HttpResponse()
