"""/items/{id}/take, renew, release, skip, snooze: a reviewer's hold on an item."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from factcheck.api import examples
from factcheck.api.documents import ItemOut, written_items
from factcheck.enums import SkipReason
from factcheck.permissions import may_see_queue
from factcheck.services import leases
from moderation.http import fields
from moderation.http.schema import answered, sent
from moderation.http.shapes import Input, NothingIn, read
from moderation.http.views import ApiView


class SkipIn(Input):
    reason = fields.Choice(SkipReason.choices)


class SnoozeIn(Input):
    wake_at = fields.Moment(help_text="When to offer it to you again.")


def _written(view: ApiView, item: Any) -> Response:
    return Response(written_items([item], **view.who)[0])


class TakeView(ApiView):
    @extend_schema(
        summary="Take this item",
        description="Taking what you hold renews it.",
        request=None,
        responses=ItemOut,
        examples=[answered(examples.ITEM)],
    )
    def post(self, request: Request, item_id: Any) -> Response:
        may_see_queue(self.caller).require()
        read(NothingIn, request)
        return _written(self, leases.take(item_id, **self.who))


class RenewView(ApiView):
    @extend_schema(
        summary="Hold on: you are at work",
        request=None,
        responses=ItemOut,
        examples=[answered(examples.ITEM)],
    )
    def post(self, request: Request, item_id: Any) -> Response:
        may_see_queue(self.caller).require()
        read(NothingIn, request)
        return _written(self, leases.renew(item_id, **self.who))


class ReleaseView(ApiView):
    @extend_schema(
        summary="Put it back",
        request=None,
        responses=ItemOut,
        examples=[answered(examples.ITEM_FREE)],
    )
    def post(self, request: Request, item_id: Any) -> Response:
        may_see_queue(self.caller).require()
        read(NothingIn, request)
        return _written(self, leases.release(item_id, **self.who))


class SkipView(ApiView):
    @extend_schema(
        summary="Put it back; not offered to you again until it changes",
        request=SkipIn,
        responses=ItemOut,
        examples=[sent({"reason": "expertise"}), answered(examples.ITEM_FREE)],
    )
    def post(self, request: Request, item_id: Any) -> Response:
        may_see_queue(self.caller).require()
        reason = SkipReason(read(SkipIn, request)["reason"])
        return _written(self, leases.skip(item_id, reason=reason, **self.who))


class SnoozeView(ApiView):
    @extend_schema(
        summary="Put it back; offered to you again later",
        request=SnoozeIn,
        responses=ItemOut,
        examples=[sent({"wake_at": "2026-12-01T08:00:00Z"}), answered(examples.ITEM_FREE)],
    )
    def post(self, request: Request, item_id: Any) -> Response:
        may_see_queue(self.caller).require()
        wake_at = read(SnoozeIn, request)["wake_at"]
        return _written(self, leases.snooze(item_id, wake_at=wake_at, **self.who))
