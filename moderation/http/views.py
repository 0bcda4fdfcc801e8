"""The base of every API view: who asks, how often, how much, and once."""

from datetime import datetime
from typing import Any, TypedDict

from django.conf import settings
from django.http import HttpResponseBase
from django.utils import timezone
from rest_framework.exceptions import APIException, NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from moderation.caller import Caller
from moderation.http import idempotency, limits
from moderation.http.problems import Problem


class Who(TypedDict):
    caller: Caller
    now: datetime


READING = ("GET", "HEAD")


class ApiView(APIView):
    """Set `self.caller` and `self.now`; views call services with both and let their errors pass.

    `body_limit` is in bytes. `reads` says that a POST changes nothing: it counts as a read and takes no
    idempotency key.
    """

    http_method_names = ["get", "post", "put", "delete", "head"]
    format_kwarg = None  # (JSON is the only format)
    permission_classes = ()  # what a caller may do is said by the services' permissions
    body_limit: int = settings.API_BODY_LIMIT
    reads = False

    caller: Caller
    now: datetime

    @property
    def who(self) -> Who:
        """Who asks and when, as every service takes it."""
        return {"caller": self.caller, "now": self.now}

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        self.now = timezone.now()
        self._refuse_body(request)
        request.accepted_renderer, request.accepted_media_type = self.perform_content_negotiation(request)
        kind = "read" if self._only_reads(request) else "write"
        try:
            self.perform_authentication(request)
        except APIException:  # a wrong key, a session without its token: counted by the address
            limits.spend(None, request._request, kind=kind)
            raise
        caller = request._request.caller  # type: ignore[attr-defined]
        limits.spend(caller, request._request, kind=kind)
        if caller is None:
            raise NotAuthenticated("Send a key as a bearer token, or sign in.")
        self.caller = caller

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """As DRF's, with the handler carried out once per idempotency key."""
        self.args, self.kwargs = args, kwargs
        request = self.request = self.initialize_request(request, *args, **kwargs)
        self.headers = self.default_response_headers
        try:
            self.initial(request, *args, **kwargs)
            response = self._answer(request, *args, **kwargs)
        except Exception as error:  # (translated to a problem, or raised again)
            response = self.handle_exception(error)
        self.response = self.finalize_response(request, response, *args, **kwargs)
        return self.response

    def _answer(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        method = (request.method or "").lower()
        handler = getattr(self, method, None) if method in self.http_method_names else None
        if handler is None:
            handler = self.http_method_not_allowed
        key = "" if self._only_reads(request) else idempotency.key_of(request._request)
        if not key:
            return handler(request, *args, **kwargs)
        body = request._request.body  # kept by Django, so that the parser can read it again
        return idempotency.once(
            lambda: handler(request, *args, **kwargs),
            key=key,
            body=body,
            request=request._request,
            caller=self.caller,
            now=self.now,
        )

    def _only_reads(self, request: Request) -> bool:
        return self.reads or request.method in READING

    def _refuse_body(self, request: Request) -> None:
        """Judge the body by its headers, before anything is read or anybody looked up."""
        meta = request.META
        if request.method in READING:
            return
        if not meta.get("CONTENT_LENGTH") and meta.get("HTTP_TRANSFER_ENCODING"):
            raise Problem(411, "length_required", "Send the body with its Content-Length.")
        said = meta.get("CONTENT_LENGTH") or "0"
        if not said.isdecimal():
            raise Problem(400, "bad_request", "Content-Length is no number.")
        length = int(said)
        if length > self.body_limit:
            raise Problem(413, "too_large", f"The body may have {self.body_limit} bytes, not {length}.")
        if length and (meta.get("CONTENT_TYPE") or "").split(";")[0].strip().lower() != "application/json":
            raise Problem(415, "unsupported_media_type", "Send application/json.")
