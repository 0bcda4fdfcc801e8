"""People of the platform, the roles they hold, and API clients."""

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models import Q
from django.db.models.functions import Upper
from django.utils.translation import gettext_lazy as _

from moderation.enums import MediaShown, Role, ViewerPreference
from moderation.ids import new_id


class UserManager(BaseUserManager["User"]):
    use_in_migrations = True

    def create_user(self, email: str, password: str | None = None, **fields: object) -> "User":
        if not email:
            raise ValueError("A user needs an e-mail address.")
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: object) -> "User":
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(email=(username or "").lower())


class User(AbstractBaseUser, PermissionsMixin):
    """A person with an account. What they may do follows from role grants and memberships."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    email = models.EmailField(_("e-mail address"), unique=True)
    display_name = models.CharField(max_length=120)
    language = models.CharField(max_length=8, default="en")
    time_zone = models.CharField(max_length=64, default="UTC")
    viewer_preference = models.CharField(
        max_length=16, choices=ViewerPreference, default=ViewerPreference.DEFAULT
    )
    shortcuts_on = models.BooleanField(default=True)
    media_shown = models.CharField(max_length=8, choices=MediaShown, default=MediaShown.BLURRED)
    region = models.CharField(max_length=8, blank=True, default="")  # where they read, ISO 3166; "": not said
    notices_read_at = models.DateTimeField(null=True)  # what was sent later is unread
    # Raised to end every session and key of this person at once; checked on each request.
    access_epoch = models.PositiveIntegerField(default=1)
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    date_joined = models.DateTimeField(auto_now_add=True)

    objects = UserManager()
    USERNAME_FIELD = "email"
    REQUIRED_FIELDS = ["display_name"]

    class Meta:
        indexes = [
            GinIndex(OpClass(Upper("display_name"), name="gin_trgm_ops"), name="person_by_name"),
            GinIndex(OpClass(Upper("email"), name="gin_trgm_ops"), name="person_by_address"),
        ]

    def __str__(self) -> str:
        return self.display_name or self.email

    def save(self, *args: object, **kwargs: object) -> None:
        self.email = self.email.lower()
        super().save(*args, **kwargs)  # type: ignore[arg-type]


class RoleGrant(models.Model):
    """A platform role a person holds: policy specialist, administrator or auditor."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    person = models.ForeignKey(User, on_delete=models.PROTECT, related_name="role_grants")
    role = models.CharField(max_length=24, choices=Role)
    granted_at = models.DateTimeField()
    granted_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["person", "role"],
                condition=Q(ended_at__isnull=True),
                name="role_held_once",
                violation_error_message=_("This person holds the role already."),
            ),
            models.CheckConstraint(
                condition=Q(role__in=[Role.POLICY_SPECIALIST, Role.ADMINISTRATOR, Role.AUDITOR]),
                name="role_of_the_platform",
                violation_error_message=_("Only platform roles are granted here."),
            ),
        ]


class ApiClient(models.Model):
    """A key for a program. The secret is shown once; only its SHA-256 is kept.

    A key with a `person` acts as that person in `acting` ("role" or "role:organisation id") and loses
    its power with them; a key without one acts as the platform, within its scopes.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=120)
    prefix = models.CharField(max_length=16, unique=True)
    secret_sha256 = models.CharField(max_length=64)
    scopes = ArrayField(models.CharField(max_length=32))
    person = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="api_clients")
    acting = models.CharField(max_length=80, blank=True, default="")
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name
