"""/webhooks: who is told of what happens, and what was delivered. Of administrators; auditors read."""

from datetime import timedelta
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api import examples
from moderation.enums import DeliveryState, DisabledReason, WebhookEventType
from moderation.http import fields
from moderation.http.pagination import NEWEST_FIRST, PageQuery, page_of, paginate
from moderation.http.schema import answered, sent
from moderation.http.shapes import Input, NothingIn, query, read
from moderation.http.views import ApiView
from moderation.models import WebhookDelivery, WebhookEndpoint
from moderation.permissions import may_administer, may_read_everything
from moderation.selectors import webhooks as found
from moderation.services import deliveries, webhooks

SUBSCRIBABLE = [(t.value, t.label) for t in webhooks.SUBSCRIBABLE]
LONGEST_OVERLAP_HOURS = webhooks.LONGEST_OVERLAP // timedelta(hours=1)


class WebhookOut(serializers.Serializer):
    id = serializers.UUIDField()
    name = serializers.CharField()
    url = serializers.CharField()
    events = serializers.ListField(child=serializers.ChoiceField(SUBSCRIBABLE), source="event_types")
    organisation = serializers.UUIDField(
        allow_null=True, help_text="Told of this organisation's ratings only; null: the platform's own."
    )
    created_at = fields.Moment()
    old_secret_until = fields.Moment(
        source="previous_until", allow_null=True, help_text="Until then two signatures are sent."
    )
    disabled_at = fields.Moment(allow_null=True)
    disabled_reason = serializers.ChoiceField(
        DisabledReason.choices, allow_blank=True, help_text="`gone`: it answered 410."
    )
    failing_since = fields.Moment(
        allow_null=True, help_text="When the first of the last failures in a row was."
    )
    waiting = serializers.IntegerField(help_text="Deliveries that wait.")
    dead = serializers.IntegerField(help_text="Deliveries that were given up; resend them.")


class WebhookWithSecretOut(WebhookOut):
    secret = serializers.CharField(help_text="Shown this once: keep it to verify signatures with.")


class WebhookIn(Input):
    name = fields.Text(max_length=120)
    url = fields.Link(help_text="https at port 443 of a public address, or a host that the operator allowed.")
    events = serializers.ListField(
        child=fields.Choice(SUBSCRIBABLE), allow_empty=False, max_length=len(SUBSCRIBABLE)
    )
    organisation = fields.Id(allow_null=True, default=None)


class RotateIn(Input):
    overlap_hours = fields.Whole(
        max_value=LONGEST_OVERLAP_HOURS,
        default=webhooks.OVERLAP // timedelta(hours=1),
        help_text="How long the old secret signs too; 0: not at all.",
    )


class DeliveryOut(serializers.Serializer):
    id = serializers.UUIDField()
    event = serializers.UUIDField(source="event_id", help_text="The `webhook-id` that the receiver gets.")
    type = serializers.ChoiceField(WebhookEventType.choices, source="event.type")
    object = serializers.UUIDField(source="event.object_id")
    version = serializers.IntegerField(source="event.version")
    state = serializers.ChoiceField(DeliveryState.choices)
    attempts = serializers.IntegerField()
    created_at = fields.Moment()
    next_at = fields.Moment(allow_null=True)
    last_at = fields.Moment(allow_null=True)
    last_status = serializers.IntegerField(allow_null=True, help_text="Null: there was no answer.")
    last_error = serializers.CharField(allow_blank=True)
    done_at = fields.Moment(allow_null=True)
    dead_at = fields.Moment(allow_null=True)


class DeliveryQuery(PageQuery):
    state = serializers.ChoiceField(DeliveryState.choices, required=False)


class WebhooksView(ApiView):
    @extend_schema(
        summary="Webhooks, newest first",
        parameters=[PageQuery],
        responses=page_of(WebhookOut, "WebhookPage"),
        examples=[answered(examples.page(examples.WEBHOOK))],
    )
    def get(self, request: Request) -> Response:
        may_read_everything(self.caller).require()
        page = paginate(found.endpoints(), NEWEST_FIRST, query(PageQuery, request))
        counts = found.counts([row.pk for row in page.rows])
        return Response(page.document(lambda row: _written(row, counts.get(row.pk, {}))))

    @extend_schema(
        summary="Have an address told of events",
        request=WebhookIn,
        responses={201: WebhookWithSecretOut},
        examples=[sent(examples.WEBHOOK_IN), answered(examples.WEBHOOK_WITH_SECRET, status=201)],
    )
    def post(self, request: Request) -> Response:
        may_administer(self.caller).require()
        asked = read(WebhookIn, request)
        endpoint, secret = webhooks.add(event_types=asked.pop("events"), **asked, **self.who)
        return Response(_with_secret(endpoint, secret), status=201)


class WebhookView(ApiView):
    @extend_schema(summary="One webhook", responses=WebhookOut, examples=[answered(examples.WEBHOOK)])
    def get(self, request: Request, webhook_id: Any) -> Response:
        may_read_everything(self.caller).require()
        return Response(_now(found.endpoint(webhook_id)))

    @extend_schema(
        summary="Remove a webhook and its secrets",
        description="Answers what it was. What waits for it is never sent.",
        responses={200: WebhookOut},
        examples=[answered(examples.WEBHOOK)],
    )
    def delete(self, request: Request, webhook_id: Any) -> Response:
        return Response(_now(webhooks.remove(webhook_id, **self.who)))


class RotateView(ApiView):
    @extend_schema(
        summary="Give a webhook a new secret",
        request=RotateIn,
        responses=WebhookWithSecretOut,
        examples=[sent(examples.WEBHOOK_ROTATE), answered(examples.WEBHOOK_WITH_SECRET)],
    )
    def post(self, request: Request, webhook_id: Any) -> Response:
        may_administer(self.caller).require()
        overlap = timedelta(hours=read(RotateIn, request)["overlap_hours"])
        return Response(_with_secret(*webhooks.rotate(webhook_id, overlap=overlap, **self.who)))


class _Act(ApiView):
    """An administrator's act that needs no words."""

    def _read_nothing(self, request: Request) -> None:
        may_administer(self.caller).require()
        read(NothingIn, request)


class DisableView(_Act):
    @extend_schema(
        summary="Switch a webhook off",
        description="What happens meanwhile is not told later.",
        request=None,
        responses=WebhookOut,
        examples=[answered(examples.WEBHOOK)],
    )
    def post(self, request: Request, webhook_id: Any) -> Response:
        self._read_nothing(request)
        return Response(_now(webhooks.disable(webhook_id, **self.who)))


class EnableView(_Act):
    @extend_schema(
        summary="Switch a webhook on again",
        description="What waited when it was switched off goes out at once.",
        request=None,
        responses=WebhookOut,
        examples=[answered(examples.WEBHOOK)],
    )
    def post(self, request: Request, webhook_id: Any) -> Response:
        self._read_nothing(request)
        return Response(_now(webhooks.enable(webhook_id, **self.who)))


class TestView(_Act):
    @extend_schema(
        summary="Send a webhook a test event",
        description="Its type is `webhook.ping`. See the webhook's deliveries for how it went.",
        request=None,
        responses={202: DeliveryOut},
        examples=[answered(examples.DELIVERY_PING, status=202)],
    )
    def post(self, request: Request, webhook_id: Any) -> Response:
        self._read_nothing(request)
        return Response(_delivered(deliveries.ping(webhook_id, **self.who)), status=202)


class DeliveriesView(ApiView):
    @extend_schema(
        summary="What was and is to be delivered to a webhook, newest first",
        parameters=[DeliveryQuery],
        responses=page_of(DeliveryOut, "DeliveryPage"),
        examples=[answered(examples.page(examples.DELIVERY))],
    )
    def get(self, request: Request, webhook_id: Any) -> Response:
        may_read_everything(self.caller).require()
        asked = query(DeliveryQuery, request)
        rows = found.deliveries(found.endpoint(webhook_id).pk, asked.pop("state", ""))
        return Response(paginate(rows, NEWEST_FIRST, asked).document(_delivered))


class ResendView(_Act):
    @extend_schema(
        summary="Deliver again",
        description="Under the same `webhook-id`, at once and with all retries, whatever became of it before.",
        request=None,
        responses={202: DeliveryOut},
        examples=[answered(examples.DELIVERY, status=202)],
    )
    def post(self, request: Request, delivery_id: Any) -> Response:
        self._read_nothing(request)
        return Response(_delivered(deliveries.resend(delivery_id, **self.who)), status=202)


def _now(endpoint: WebhookEndpoint) -> dict[str, Any]:
    return _written(endpoint, found.counts([endpoint.pk]).get(endpoint.pk, {}))


def _written(endpoint: WebhookEndpoint, counts: dict[str, int]) -> dict[str, Any]:
    endpoint.waiting = counts.get("waiting", 0)  # type: ignore[attr-defined]
    endpoint.dead = counts.get("dead", 0)  # type: ignore[attr-defined]
    return dict(WebhookOut(endpoint).data)


def _with_secret(endpoint: WebhookEndpoint, secret: str) -> dict[str, Any]:
    return {**_now(endpoint), "secret": secret}


def _delivered(delivery: WebhookDelivery) -> dict[str, Any]:
    delivery.state = found.state_of(delivery)  # type: ignore[attr-defined]
    return dict(DeliveryOut(delivery).data)
