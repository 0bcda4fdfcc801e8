"""API keys: made once, shown once, kept as a hash."""

import hashlib
import hmac
import secrets
import uuid
from collections.abc import Collection
from datetime import datetime, timedelta
from functools import cache

from django.db import connection, transaction
from django.db.models import Model

from moderation.caller import Caller
from moderation.enums import AuditEvent, Role, Scope
from moderation.errors import Invalid, NotFound
from moderation.models import ApiClient, User
from moderation.permissions import may_administer
from moderation.services import audit

KEY_MARK = "vk"
LAST_USE_GRAIN = timedelta(minutes=1)


@transaction.atomic
def create(
    *,
    name: str,
    scopes: Collection[Scope],
    caller: Caller,
    now: datetime,
    person: User | None = None,
    acting: str = "",
    expires_at: datetime | None = None,
) -> tuple[ApiClient, str]:
    """Make a key; returns the client and the key, which nobody can read again.

    Raises Refused; Invalid (`scopes`, `expires_at`).
    """
    if caller.role is not Role.SYSTEM:
        may_administer(caller).require()
    if not scopes:
        raise Invalid("A key needs at least one scope.", field="scopes", code="required")
    if expires_at is not None and expires_at <= now:
        raise Invalid("The key would have expired already.", field="expires_at")
    prefix, secret = secrets.token_hex(4), secrets.token_urlsafe(32)
    client = ApiClient.objects.create(
        name=name,
        prefix=prefix,
        secret_sha256=_digest(secret),
        scopes=sorted(scopes),
        person=person,
        acting=acting,
        created_at=now,
        created_by_id=caller.person_id,
        expires_at=expires_at,
    )
    audit.record(AuditEvent.KEY_CREATED, client, caller=caller, now=now, scopes=sorted(scopes))
    return client, f"{KEY_MARK}_{prefix}_{secret}"


@transaction.atomic
def revoke(client_id: uuid.UUID, *, caller: Caller, now: datetime) -> ApiClient:
    """End a key at once; revoking twice changes nothing. Raises Refused, NotFound."""
    may_administer(caller).require()
    client = ApiClient.objects.select_for_update(of=("self",)).filter(pk=client_id).first()
    if client is None:
        raise NotFound("There is no such key.")
    if client.revoked_at is None:
        client.revoked_at = now
        client.save(update_fields=["revoked_at"])
        audit.record(AuditEvent.KEY_REVOKED, client, caller=caller, now=now)
    return client


def find(key: str, *, now: datetime) -> ApiClient | None:
    """The client of a live key, or None. Compares in constant time; notes the last use to the minute."""
    mark, _, rest = key.partition("_")
    prefix, _, secret = rest.partition("_")
    if mark != KEY_MARK or not prefix or not secret:
        return None
    client = _with_prefix(prefix)
    if client is None or not hmac.compare_digest(client.secret_sha256, _digest(secret)):
        return None
    if client.revoked_at is not None or (client.expires_at is not None and client.expires_at <= now):
        return None
    if client.last_used_at is None or now - client.last_used_at > LAST_USE_GRAIN:
        ApiClient.objects.filter(pk=client.pk).update(last_used_at=now)
    return client


def _with_prefix(prefix: str) -> ApiClient | None:
    """The client with its person, read anew on each request: a revoked key ends at once."""
    with connection.cursor() as cursor:
        cursor.execute(_question(), [prefix])
        row = cursor.fetchone()
    if row is None:
        return None
    clients, people = _columns(ApiClient), _columns(User)
    client = ApiClient.from_db(connection.alias, clients, row[: len(clients)])
    if client.person_id is not None:
        client.person = User.from_db(connection.alias, people, row[len(clients) :])
    return client


@cache
def _question() -> str:
    """Written once per process: every call of the API asks it."""
    columns = [f"c.{name}" for name in _columns(ApiClient)] + [f"p.{name}" for name in _columns(User)]
    return (
        f"SELECT {', '.join(columns)} FROM moderation_apiclient c "  # noqa: S608 (columns of models)
        "LEFT JOIN moderation_user p ON p.id = c.person_id WHERE c.prefix = %s"
    )


@cache
def _columns(model: type[Model]) -> list[str]:
    """Names of columns, which are those of attributes too."""
    return [field.attname for field in model._meta.concrete_fields]


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
