"""People at the pages, without a browser."""

from django.conf import settings
from django.test import Client

from moderation.caller import Caller
from moderation.models import User


def visit(caller: Caller, **options: object) -> Client:
    """A client signed in as this caller, acting in its role and organisation."""
    client = Client(**options)  # type: ignore[arg-type]
    client.force_login(User.objects.get(pk=caller.person_id), backend=settings.AUTHENTICATION_BACKENDS[0])
    session = client.session
    acting = str(caller.role)
    session["acting"] = f"{acting}:{caller.organisation_id}" if caller.organisation_id else acting
    session.save()
    return client
