"""/partners: the organisations, for administrators to keep, for auditors and the platform's programs to read."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from factcheck.api import examples
from factcheck.enums import PartnerStatus
from factcheck.models import Partner
from factcheck.permissions import may_administer, may_see_partners
from factcheck.selectors import partners as find
from factcheck.services import partners
from factcheck.services.partners import PartnerDraft
from moderation.errors import NotFound
from moderation.http import fields
from moderation.http.fields import Moment
from moderation.http.pagination import Column, Ordering, PageQuery, page_of, paginate
from moderation.http.schema import answered, sent
from moderation.http.shapes import Input, NothingIn, query, read
from moderation.http.views import ApiView

NOTHING = "There is no such partner."
BY_NAME = Ordering("name", (Column("name", str), Column("id")))


class ChangeIn(Input):
    name = fields.Text(max_length=120)
    languages = fields.Listed(fields.Language(), most=50, allow_empty=False)
    countries = fields.Listed(
        fields.Region(countries_only=True), most=250, default=list, help_text="None means every country."
    )
    domains = fields.Listed(
        fields.Text(max_length=253), most=20, allow_empty=False, help_text="Where its articles live."
    )
    time_zone = fields.Text(max_length=64, default="UTC")
    country = fields.Region(
        countries_only=True,
        allow_blank=True,
        default="",
        help_text="Its home, by which programme switches cover it; empty: not known.",
    )


class PartnerIn(ChangeIn):
    slug = fields.Text(max_length=50, help_text="Its short name, for good.")


class CertificationIn(Input):
    body = fields.Text(max_length=80, help_text="Who certified it.")
    valid_from = Moment()
    valid_until = Moment()


class CertificationOut(CertificationIn):
    id = serializers.UUIDField()
    recorded_at = Moment()


class PartnerOut(serializers.Serializer):
    id = serializers.UUIDField()
    slug = serializers.CharField()
    name = serializers.CharField()
    status = serializers.ChoiceField(PartnerStatus.choices)
    languages = serializers.ListField(child=serializers.CharField())
    countries = serializers.ListField(child=serializers.CharField())
    domains = serializers.ListField(child=serializers.CharField())
    time_zone = serializers.CharField()
    country = serializers.CharField(allow_blank=True)
    added_at = Moment()
    suspended_at = Moment(allow_null=True)
    certified_until = Moment(allow_null=True, help_text="Null: it was never certified.")


class SuspendedOut(PartnerOut):
    freed = serializers.IntegerField(help_text="Leases that went back to the queue.")


class PartnersView(ApiView):
    @extend_schema(
        summary="Partners by name",
        parameters=[PageQuery],
        responses=page_of(PartnerOut, "PartnerPage"),
        examples=[answered(examples.page(examples.PARTNER))],
    )
    def get(self, request: Request) -> Response:
        may_see_partners(self.caller).require()
        asked = query(PageQuery, request)
        page = paginate(find.listed(now=self.now), BY_NAME, asked)
        return Response(page.document(lambda partner: PartnerOut(partner).data))

    @extend_schema(
        summary="Add a partner",
        request=PartnerIn,
        responses={201: PartnerOut},
        examples=[sent(examples.PARTNER_IN), answered(examples.PARTNER, status=201)],
    )
    def post(self, request: Request) -> Response:
        may_administer(self.caller).require()
        partner = partners.add(PartnerDraft(**read(PartnerIn, request)), **self.who)
        return Response(written(partner.pk, self), status=201)


class PartnerView(ApiView):
    @extend_schema(summary="One partner", responses=PartnerOut, examples=[answered(examples.PARTNER)])
    def get(self, request: Request, partner_id: Any) -> Response:
        may_see_partners(self.caller).require()
        return Response(written(partner_id, self))

    @extend_schema(
        summary="Change what a partner covers",
        request=ChangeIn,
        responses=PartnerOut,
        examples=[sent(examples.PARTNER_CHANGE), answered(examples.PARTNER)],
    )
    def put(self, request: Request, partner_id: Any) -> Response:
        may_administer(self.caller).require()
        data = read(ChangeIn, request)
        slug = partner(partner_id).slug
        partners.change(partner_id, PartnerDraft(slug=slug, **data), **self.who)
        return Response(written(partner_id, self))


class CertificationsView(ApiView):
    @extend_schema(
        summary="Record a certificate",
        request=CertificationIn,
        responses={201: CertificationOut},
        examples=[sent(examples.CERTIFICATION_IN), answered(examples.CERTIFICATION, status=201)],
    )
    def post(self, request: Request, partner_id: Any) -> Response:
        may_administer(self.caller).require()
        certificate = partners.certify(partner_id, **read(CertificationIn, request), **self.who)
        return Response(CertificationOut(certificate).data, status=201)


class SuspendPartnerView(ApiView):
    @extend_schema(
        summary="Take a partner's access away",
        description="Sessions end and leases are freed at once; its ratings stay.",
        request=None,
        responses=SuspendedOut,
        examples=[answered({**examples.PARTNER_SUSPENDED, "freed": 2})],
    )
    def post(self, request: Request, partner_id: Any) -> Response:
        may_administer(self.caller).require()
        read(NothingIn, request)
        freed = partners.suspend(partner_id, **self.who)
        return Response({**written(partner_id, self), "freed": freed})


class ResumePartnerView(ApiView):
    @extend_schema(
        summary="Give a suspended partner its access back",
        request=None,
        responses=PartnerOut,
        examples=[answered(examples.PARTNER)],
    )
    def post(self, request: Request, partner_id: Any) -> Response:
        may_administer(self.caller).require()
        read(NothingIn, request)
        partners.resume(partner_id, **self.who)
        return Response(written(partner_id, self))


def partner(partner_id: Any) -> Partner:
    """Raises NotFound."""
    found = Partner.objects.filter(pk=partner_id).first()
    if found is None:
        raise NotFound(NOTHING)
    return found


def written(partner_id: Any, view: ApiView) -> dict[str, Any]:
    found = find.listed(now=view.now).filter(pk=partner_id).first()
    if found is None:
        raise NotFound(NOTHING)
    return dict(PartnerOut(found).data)
