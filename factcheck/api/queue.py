"""/queue: what waits for a reviewer, the next item, and how much there is."""

import math
from typing import TYPE_CHECKING, Any

from django.db.models import ExpressionWrapper, F, FloatField, QuerySet
from django.db.models.functions import Extract
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from factcheck.api import examples
from factcheck.api.documents import ItemOut, written_items
from factcheck.models import Partner
from factcheck.permissions import may_read_queue, may_see_queue
from factcheck.selectors import partners
from factcheck.selectors import queue as find
from factcheck.services import leases
from moderation import enums
from moderation.errors import NothingToTake
from moderation.http import fields
from moderation.http.pagination import Column, Ordering, PageQuery, moment, page_of, paginate
from moderation.http.schema import answered, sent
from moderation.http.shapes import Input, query, read
from moderation.http.views import ApiView
from moderation.selectors import items, policies

if TYPE_CHECKING:
    from moderation.models import ReviewItem

ORDERINGS = {
    "priority": Ordering("priority", (Column("rank", float, down=True), Column("id"))),
    "due": Ordering("due", (Column("due_at", moment), Column("id"))),
    "opened": Ordering("opened", (Column("id"),)),
}


class QueueQuery(PageQuery):
    language = fields.Language(required=False)
    country = fields.Region(countries_only=True, required=False, help_text="Items that name it.")
    reason = serializers.ChoiceField(enums.FlagReason.choices, required=False, help_text="Flagged for it.")
    topic = serializers.CharField(max_length=32, required=False)
    kind = serializers.ChoiceField(enums.ItemKind.choices, required=False)
    due = fields.Moment(required=False, help_text="Due before this time.")
    min_priority = serializers.FloatField(min_value=0.000001, max_value=1_000_000, required=False)
    mine = fields.Present(required=False, help_text="Only what you hold.")
    order = serializers.ChoiceField(
        list(ORDERINGS),
        default="priority",
        help_text="By `priority` and `due` an item may move while you read; `opened`, oldest first, brings "
        "each item exactly once.",
    )


class QueueView(ApiView):
    @extend_schema(
        summary="Open items in your partner's languages and countries",
        description="Without what you skipped or snoozed. An auditor reads every open item.",
        parameters=[QueueQuery],
        responses=page_of(ItemOut, "ItemPage"),
        examples=[answered(examples.page(examples.ITEM))],
    )
    def get(self, request: Request) -> Response:
        partner = partner_of(self)
        asked = query(QueueQuery, request)
        found = self._narrowed(items.open_in(partners.read_scope(partner)), asked)
        page = paginate(found, ORDERINGS[asked["order"]], asked)
        return Response({**page.document(lambda row: row), "results": written_items(page.rows, **self.who)})

    def _narrowed(self, found: "QuerySet[ReviewItem]", asked: dict[str, Any]) -> "QuerySet[ReviewItem]":
        if asked.get("mine"):
            found = found.filter(
                holder_id=self.caller.person_id,
                held_for=self.caller.organisation_id,
                held_until__gt=self.now,
            )
        else:
            found = found.exclude(pk__in=leases.set_aside(self.caller.person_id, now=self.now))
        if "country" in asked:
            found = found.filter(countries__contains=[asked["country"]])
        if "reason" in asked:
            found = found.filter(reasons__has_key=asked["reason"])
        if "due" in asked:
            found = found.filter(due_at__lt=asked["due"])
        for name in ("language", "topic", "kind"):
            if name in asked:
                found = found.filter(**{name: asked[name]})
        if "min_priority" in asked:
            found = self._at_least(found, asked["min_priority"])
        return found

    def _at_least(self, found: "QuerySet[ReviewItem]", priority: float) -> "QuerySet[ReviewItem]":
        """rank is ln(priority) less the opening time over τ (moderation.policy.priority)."""
        tau = policies.at(self.now).data["priority"]["tau_hours"] * 3600
        urgency = ExpressionWrapper(
            F("rank") + Extract("opened_at", "epoch") / float(tau), output_field=FloatField()
        )
        return found.annotate(urgency=urgency).filter(urgency__gte=math.log(priority) - 1e-9)


class TakeNextIn(Input):
    language = fields.Language(required=False, help_text="Only items in this language.")


class TakenOut(serializers.Serializer):
    item = ItemOut(allow_null=True)
    reason = serializers.ChoiceField(
        ["queue_empty", "all_taken", "only_skipped_left"],
        allow_null=True,
        help_text="Why there is no item.",
    )
    detail = serializers.CharField(allow_blank=True)


class TakeNextView(ApiView):
    @extend_schema(
        summary="Take the next item",
        description="One item, leased to you alone for ten minutes; or null and the reason.",
        request=TakeNextIn,
        responses=TakenOut,
        examples=[
            sent({}),
            answered({"item": examples.ITEM, "reason": None, "detail": ""}),
            answered(
                {"item": None, "reason": "queue_empty", "detail": "The queue is empty."}, "Nothing to take"
            ),
        ],
    )
    def post(self, request: Request) -> Response:
        may_see_queue(self.caller).require()
        asked = read(TakeNextIn, request)
        try:
            item = leases.take_next(language=asked.get("language", ""), **self.who)
        except NothingToTake as nothing:
            return Response({"item": None, "reason": nothing.code, "detail": nothing.message})
        return Response({"item": written_items([item], **self.who)[0], "reason": None, "detail": ""})


class SummaryOut(serializers.Serializer):
    open = serializers.IntegerField()
    free = serializers.IntegerField(help_text="Held by nobody.")
    late = serializers.IntegerField(help_text="Past their due time.")
    set_aside = serializers.IntegerField(help_text="Free, but you skipped or snoozed them.")
    next_due = fields.Moment(allow_null=True)
    by_language = serializers.DictField(child=serializers.IntegerField())
    nothing = serializers.CharField(allow_blank=True, help_text="Why there is nothing to take, or nothing.")


class QueueSummaryView(ApiView):
    @extend_schema(
        summary="How much waits in your partner's queue",
        responses=SummaryOut,
        examples=[answered(examples.SUMMARY)],
    )
    def get(self, request: Request) -> Response:
        partner = partner_of(self)
        aside = leases.set_aside(self.caller.person_id, now=self.now)
        now = find.situation(partner, aside=aside, now=self.now)
        document = {
            name: getattr(now, name)
            for name in ("open", "free", "late", "next_due", "by_language", "nothing")
        }
        return Response(SummaryOut({**document, "set_aside": now.aside}).data)


def partner_of(view: ApiView) -> Partner | None:
    """The caller's partner, whose queue they read; None for an auditor, who reads all. Raises Refused."""
    may_read_queue(view.caller).require()
    return partners.of(view.caller)
