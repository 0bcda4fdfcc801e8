"""Partner organisations, their certification and their people."""

from datetime import datetime

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from factcheck.enums import MembershipRole, MembershipStatus, PartnerStatus
from moderation.ids import new_id


class Partner(models.Model):
    """An independent fact-checking organisation."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=120)
    status = models.CharField(max_length=12, choices=PartnerStatus, default=PartnerStatus.ACTIVE)
    languages = ArrayField(models.CharField(max_length=8))
    countries = ArrayField(models.CharField(max_length=8), default=list)
    domains = ArrayField(models.CharField(max_length=253))  # where its articles live
    country = models.CharField(max_length=2, blank=True, default="")  # its home, ISO 3166-1; "": not known
    time_zone = models.CharField(max_length=64, default="UTC")
    added_at = models.DateTimeField()
    suspended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(status="active", suspended_at__isnull=True)
                | Q(status="suspended", suspended_at__isnull=False),
                name="partner_suspended_says_when",
                violation_error_message=_("A suspended partner has the time of its suspension."),
            )
        ]

    def __str__(self) -> str:
        return self.name

    def is_certified(self, *, now: datetime) -> bool:
        """Whether a certificate holds now; judged when asked, so it lapses on the second."""
        return self.certifications.filter(valid_from__lte=now, valid_until__gt=now).exists()


class Certification(models.Model):
    """A partner's certificate by an outside body. Rating needs one that holds now."""

    append_only = True

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    partner = models.ForeignKey(Partner, on_delete=models.PROTECT, related_name="certifications")
    body = models.CharField(max_length=80)
    valid_from = models.DateTimeField()
    valid_until = models.DateTimeField()
    recorded_by = models.ForeignKey("moderation.User", null=True, on_delete=models.PROTECT, related_name="+")
    recorded_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(valid_until__gt=F("valid_from")),
                name="certification_ends_after_it_begins",
                violation_error_message=_("A certificate ends after it begins."),
            )
        ]


class Membership(models.Model):
    """A person's place in a partner."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    partner = models.ForeignKey(Partner, on_delete=models.PROTECT, related_name="memberships")
    person = models.ForeignKey("moderation.User", on_delete=models.PROTECT, related_name="+")
    role = models.CharField(max_length=12, choices=MembershipRole)
    status = models.CharField(max_length=12, choices=MembershipStatus, default=MembershipStatus.ACTIVE)
    joined_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["partner", "person"],
                condition=~Q(status="removed"),
                name="membership_once",
                violation_error_message=_("This person belongs to the partner already."),
            ),
            models.CheckConstraint(
                condition=Q(status="removed", ended_at__isnull=False)
                | (~Q(status="removed") & Q(ended_at__isnull=True)),
                name="membership_removed_says_when",
                violation_error_message=_("A removed person has the time of removal."),
            ),
        ]


class Invitation(models.Model):
    """An invitation to join a partner. The link's token is kept as a hash and works once."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    partner = models.ForeignKey(Partner, on_delete=models.PROTECT, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=12, choices=MembershipRole)
    token_sha256 = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey("moderation.User", null=True, on_delete=models.PROTECT, related_name="+")
    invited_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["partner", "email"],
                condition=Q(accepted_at__isnull=True, revoked_at__isnull=True),
                name="invitation_open_once",
                violation_error_message=_("This address has an open invitation."),
            )
        ]
