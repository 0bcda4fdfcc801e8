"""/partners/{id}/people: who belongs to a partner, for its leads and for administrators.

Names and addresses are for people signed in; a key sees roles and times only.
"""

from collections.abc import Callable
from typing import Any

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from factcheck import mail
from factcheck.api import examples
from factcheck.api.partners import NOTHING, partner
from factcheck.enums import MembershipRole, MembershipStatus
from factcheck.models import Invitation, Membership, Partner
from factcheck.permissions import may_lead, may_read_people
from factcheck.selectors import partners as find
from factcheck.services import people
from moderation.caller import Caller
from moderation.errors import NotFound
from moderation.http import fields
from moderation.http.fields import Moment
from moderation.http.pagination import NEWEST_FIRST, OLDEST_FIRST, PageQuery, page_of, paginate
from moderation.http.schema import answered, sent
from moderation.http.shapes import Input, NothingIn, query, read
from moderation.http.views import ApiView
from moderation.permissions import Answer


class InvitationIn(Input):
    email = fields.Email()
    role = fields.Choice(MembershipRole.choices)


class RoleIn(Input):
    role = fields.Choice(MembershipRole.choices)


class PersonOut(serializers.Serializer):
    name = serializers.CharField(source="display_name")
    email = serializers.EmailField()


class MembershipOut(serializers.Serializer):
    id = serializers.UUIDField()
    role = serializers.ChoiceField(MembershipRole.choices)
    status = serializers.ChoiceField(MembershipStatus.choices)
    joined_at = Moment()
    person = PersonOut(allow_null=True, help_text="Null for a key.")


class OpenInvitationOut(serializers.Serializer):
    id = serializers.UUIDField()
    email = serializers.EmailField(allow_null=True, help_text="Null for a key.")
    role = serializers.ChoiceField(MembershipRole.choices)
    invited_at = Moment()
    expires_at = Moment()


class InvitationOut(OpenInvitationOut):
    mailed = serializers.BooleanField(help_text="Whether the mail server took the mail with the link.")


class PeopleView(ApiView):
    @extend_schema(
        summary="A partner's people, in the order they joined",
        parameters=[PageQuery],
        responses=page_of(MembershipOut, "MembershipPage"),
        examples=[answered(examples.page(examples.MEMBERSHIP))],
    )
    def get(self, request: Request, partner_id: Any) -> Response:
        whose = partner_for(may_read_people, partner_id, self)
        found = (
            Membership.objects.filter(partner=whose)
            .exclude(status=MembershipStatus.REMOVED)
            .select_related("person")
        )
        page = paginate(found, OLDEST_FIRST, query(PageQuery, request))
        return Response(page.document(lambda membership: written(membership, self)))

    @extend_schema(
        summary="Invite somebody",
        description="A mail with a link goes to the address; nobody else sees the link. A second invitation "
        "to the same address replaces an open one.",
        request=InvitationIn,
        responses={201: InvitationOut},
        examples=[
            sent({"email": "rita@lanka-checks.example", "role": "reviewer"}),
            answered(examples.INVITATION, status=201),
        ],
    )
    def post(self, request: Request, partner_id: Any) -> Response:
        led = led_partner(partner_id, self)
        data = read(InvitationIn, request)
        invitation, token = people.invite(
            led, email=data["email"], role=MembershipRole(data["role"]), **self.who
        )
        link = request.build_absolute_uri(reverse("factcheck:invitation", args=[token]))
        mailed = mail.send_invitation(invitation, link=link, inviter=str(request.user))
        return Response({**invited(invitation, self), "mailed": mailed}, status=201)


class InvitationsView(ApiView):
    @extend_schema(
        summary="A partner's open invitations, newest first",
        parameters=[PageQuery],
        responses=page_of(OpenInvitationOut, "InvitationPage"),
        examples=[answered(examples.page(examples.OPEN_INVITATION))],
    )
    def get(self, request: Request, partner_id: Any) -> Response:
        found = find.open_invitations(partner_for(may_read_people, partner_id, self), now=self.now)
        page = paginate(found, NEWEST_FIRST, query(PageQuery, request))
        return Response(page.document(lambda invitation: invited(invitation, self)))


class InvitationView(ApiView):
    @extend_schema(
        summary="Revoke an invitation",
        responses={200: OpenInvitationOut},
        examples=[answered(examples.OPEN_INVITATION)],
    )
    def delete(self, request: Request, partner_id: Any, invitation_id: Any) -> Response:
        led = led_partner(partner_id, self)
        if not Invitation.objects.filter(pk=invitation_id, partner=led).exists():
            raise NotFound("There is no such invitation.")
        return Response(invited(people.revoke(invitation_id, **self.who), self))


class MembershipView(ApiView):
    @extend_schema(
        summary="Make somebody a lead or a reviewer",
        description="From their next request on. A partner keeps at least one lead.",
        request=RoleIn,
        responses=MembershipOut,
        examples=[sent({"role": "lead"}), answered({**examples.MEMBERSHIP, "role": "lead"})],
    )
    def put(self, request: Request, partner_id: Any, membership_id: Any) -> Response:
        membership = member_of(partner_id, membership_id, self)
        role = MembershipRole(read(RoleIn, request)["role"])
        return Response(written(people.change_role(membership, role=role, **self.who), self))

    @extend_schema(
        summary="End a membership",
        description="Their sessions end and their leases are freed at once; their ratings stay the partner's.",
        responses={200: MembershipOut},
        examples=[answered({**examples.MEMBERSHIP, "status": "removed"})],
    )
    def delete(self, request: Request, partner_id: Any, membership_id: Any) -> Response:
        membership = member_of(partner_id, membership_id, self)
        return Response(written(people.remove(membership, **self.who), self))


class SuspendMembershipView(ApiView):
    @extend_schema(
        summary="Suspend somebody",
        request=None,
        responses=MembershipOut,
        examples=[answered({**examples.MEMBERSHIP, "status": "suspended"})],
    )
    def post(self, request: Request, partner_id: Any, membership_id: Any) -> Response:
        membership = member_of(partner_id, membership_id, self)
        read(NothingIn, request)
        return Response(written(people.suspend(membership, **self.who), self))


class ResumeMembershipView(ApiView):
    @extend_schema(
        summary="Let a suspended person work again",
        request=None,
        responses=MembershipOut,
        examples=[answered(examples.MEMBERSHIP)],
    )
    def post(self, request: Request, partner_id: Any, membership_id: Any) -> Response:
        membership = member_of(partner_id, membership_id, self)
        read(NothingIn, request)
        return Response(written(people.resume(membership, **self.who), self))


def led_partner(partner_id: Any, view: ApiView) -> Partner:
    """The partner, if the caller leads it. Another's does not exist for a lead. Raises Refused, NotFound."""
    return partner_for(may_lead, partner_id, view)


def partner_for(may: Callable[[Caller, Partner], Answer], partner_id: Any, view: ApiView) -> Partner:
    """The partner, if the caller may do this to it. Raises Refused for who may to none, NotFound otherwise."""
    may(view.caller, Partner(pk=view.caller.organisation_id)).require()
    found = partner(partner_id)
    if not may(view.caller, found):
        raise NotFound(NOTHING)
    return found


def member_of(partner_id: Any, membership_id: Any, view: ApiView) -> Any:
    """The id of a membership in this partner. Raises Refused, NotFound."""
    led = led_partner(partner_id, view)
    if not Membership.objects.filter(pk=membership_id, partner=led).exists():
        raise NotFound("There is no such person.")
    return membership_id


def invited(invitation: Invitation, view: ApiView) -> dict[str, Any]:
    row = {name: getattr(invitation, name) for name in ("id", "email", "role", "invited_at", "expires_at")}
    by_key = view.caller.client_id is not None
    return dict(OpenInvitationOut({**row, "email": None} if by_key else row).data)


def written(membership: Membership, view: ApiView) -> dict[str, Any]:
    row = {name: getattr(membership, name) for name in ("id", "role", "status", "joined_at")}
    by_key = view.caller.client_id is not None
    return dict(MembershipOut({**row, "person": None if by_key else membership.person}).data)
