"""/switches: stop new ratings, lift effects, clear strikes; proposed, tried, confirmed by another, returned."""

from collections.abc import Callable
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from moderation.api import examples
from moderation.enums import SwitchKind, SwitchStatus
from moderation.errors import NotFound
from moderation.http import fields
from moderation.http.fields import Moment
from moderation.http.pagination import NEWEST_FIRST, PageQuery, page_of, paginate
from moderation.http.schema import answered, sent
from moderation.http.shapes import Input, query, read
from moderation.http.views import ApiView
from moderation.models import Switch
from moderation.permissions import may_administer, may_read_everything
from moderation.selectors import organisations, switches
from moderation.services import switches as service


class PartnerNamed(serializers.Serializer):
    id = serializers.UUIDField()
    name = serializers.CharField(allow_blank=True)


class SwitchOut(serializers.Serializer):
    id = serializers.UUIDField()
    kind = serializers.ChoiceField(SwitchKind.choices)
    country = serializers.CharField(
        allow_blank=True,
        help_text="Of the partner (stop), the viewer (lift), the actor (clear); empty: everywhere.",
    )
    organisation = PartnerNamed(allow_null=True, help_text="Null: every partner.")
    outcome = serializers.CharField(allow_blank=True, help_text="The verdict; empty: every verdict.")
    reason = serializers.CharField()
    status = serializers.ChoiceField(SwitchStatus.choices)
    version = serializers.IntegerField(help_text="Send it with the next step.")
    proposed_at = Moment()
    confirmed_at = Moment(allow_null=True, help_text="It is on from then …")
    ended_at = Moment(allow_null=True, help_text="… until then. Also when it was refused or withdrawn.")
    refusal = serializers.CharField(allow_blank=True)
    yours = serializers.BooleanField(help_text="You proposed it, so another administrator judges it.")
    dry_run = fields.Details(help_text="Figures of the last dry run; `ended_at` is null while it runs.")


class SwitchIn(Input):
    kind = fields.Choice(SwitchKind.choices)
    country = fields.Region(countries_only=True, allow_blank=True, default="")
    organisation = fields.Id(allow_null=True, default=None, help_text="A partner's id.")
    outcome = fields.Text(max_length=32, allow_blank=True, default="", help_text="A verdict.")
    reason = fields.Text(max_length=fields.LONGEST_NOTE)


class SwitchStepIn(Input):
    version = fields.Whole(min_value=1, help_text="The switch's version that was read.")


class SwitchRefusalIn(SwitchStepIn):
    reason = fields.Text(max_length=fields.LONGEST_NOTE)


class SwitchesView(ApiView):
    @extend_schema(
        summary="Programme switches, newest first",
        parameters=[PageQuery],
        responses=page_of(SwitchOut, "SwitchPage"),
        examples=[answered(examples.page(examples.SWITCH))],
    )
    def get(self, request: Request) -> Response:
        may_read_everything(self.caller).require()
        page = paginate(switches.listed(), NEWEST_FIRST, query(PageQuery, request))
        names = organisations.names({row.organisation for row in page.rows if row.organisation})
        return Response(page.document(lambda made: _written(made, names, self)))

    @extend_schema(
        summary="Propose a switch",
        description="Nothing changes yet: its dry run begins, and another administrator confirms it.",
        request=SwitchIn,
        responses={201: SwitchOut},
        examples=[sent(examples.SWITCH_IN), answered(examples.SWITCH, status=201)],
    )
    def post(self, request: Request) -> Response:
        may_administer(self.caller).require()
        return _answer(service.propose(**read(SwitchIn, request), **self.who), self, status=201)


class SwitchView(ApiView):
    @extend_schema(summary="One switch", responses=SwitchOut, examples=[answered(examples.SWITCH)])
    def get(self, request: Request, switch_id: Any) -> Response:
        may_read_everything(self.caller).require()
        made = switches.listed().filter(pk=switch_id).first()
        if made is None:
            raise NotFound("There is no such switch.")
        return _answer(made, self)


class SwitchDryRunView(ApiView):
    @extend_schema(
        summary="Find out anew what a switch would change",
        description="Read the switch for the progress.",
        request=SwitchStepIn,
        responses={202: SwitchOut},
        examples=[sent(examples.SWITCH_STEP), answered(examples.SWITCH, status=202)],
    )
    def post(self, request: Request, switch_id: Any) -> Response:
        return _step(service.dry_run, switch_id, request, self, status=202)


class ConfirmSwitchView(ApiView):
    @extend_schema(
        summary="The second administrator's key: the switch is on",
        request=SwitchStepIn,
        responses=SwitchOut,
        examples=[sent(examples.SWITCH_STEP), answered(examples.SWITCH_ON)],
    )
    def post(self, request: Request, switch_id: Any) -> Response:
        return _step(service.confirm, switch_id, request, self)


class RefuseSwitchView(ApiView):
    @extend_schema(
        summary="The second administrator says no",
        request=SwitchRefusalIn,
        responses=SwitchOut,
        examples=[sent(examples.SWITCH_REFUSAL), answered(examples.SWITCH)],
    )
    def post(self, request: Request, switch_id: Any) -> Response:
        return _step(service.refuse, switch_id, request, self, shape=SwitchRefusalIn)


class WithdrawSwitchView(ApiView):
    @extend_schema(
        summary="Give a proposed switch up",
        request=SwitchStepIn,
        responses=SwitchOut,
        examples=[sent(examples.SWITCH_STEP), answered(examples.SWITCH)],
    )
    def post(self, request: Request, switch_id: Any) -> Response:
        return _step(service.withdraw, switch_id, request, self)


class ReturnSwitchView(ApiView):
    @extend_schema(
        summary="Return a switch: everything is as it would be without it",
        description="One step, one key. Strikes count again until they would have counted; nobody is told twice.",
        request=SwitchStepIn,
        responses=SwitchOut,
        examples=[sent(examples.SWITCH_STEP), answered(examples.SWITCH_ON)],
    )
    def post(self, request: Request, switch_id: Any) -> Response:
        return _step(service.give_back, switch_id, request, self)


def _step(
    act: Callable[..., Switch],
    switch_id: Any,
    request: Request,
    view: ApiView,
    *,
    shape: type[Input] = SwitchStepIn,
    status: int = 200,
) -> Response:
    may_administer(view.caller).require()
    return _answer(act(switch_id, **read(shape, request), **view.who), view, status=status)


def _answer(made: Switch, view: ApiView, *, status: int = 200) -> Response:
    names = organisations.names([made.organisation] if made.organisation else [])
    return Response(_written(made, names, view), status=status)


def _written(made: Switch, names: dict[Any, str], view: ApiView) -> dict[str, Any]:
    plain = (
        "id", "kind", "country", "outcome", "reason", "status", "version",
        "proposed_at", "confirmed_at", "ended_at", "refusal", "dry_run",
    )  # fmt: skip
    document = {name: getattr(made, name) for name in plain}
    named = made.organisation and {"id": made.organisation, "name": names.get(made.organisation, "")}
    mine = made.proposed_by_id == view.caller.person_id
    return dict(SwitchOut({**document, "organisation": named, "yours": mine}).data)
