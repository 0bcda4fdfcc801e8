"""Pages as somebody signed in gets them, without a browser."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.test import Client
from django.urls import reverse

from moderation.caller import SYSTEM, Caller
from moderation.middleware import ACTING
from moderation.models import Post, User
from moderation.services import posts
from moderation.services.posts import ActorDraft, PostDraft


def visitor(who: Caller, **headers: str) -> Client:
    """A client with a session of this person, acting in the caller's role and organisation."""
    client = Client(headers=headers or None)
    client.force_login(User.objects.get(pk=who.person_id), backend=settings.AUTHENTICATION_BACKENDS[0])
    session = client.session
    session[ACTING] = f"{who.role}:{who.organisation_id}" if who.organisation else str(who.role)
    session.save()
    return client


def text_of(who: Caller, name: str, *args: object, query: str = "", status: int | Sequence[int] = 200) -> str:
    """The page at a named address as text; the status must be as said."""
    answer = visitor(who).get(reverse(name, args=args) + query)
    allowed = (status,) if isinstance(status, int) else status
    assert answer.status_code in allowed, (answer.status_code, answer.content[:2000])
    return answer.content.decode()


def authored(by: Caller, text: str = "I saw it with my own eyes.", *, wall: Any, **fields: Any) -> Post:
    """A post of an account that is the caller's own."""
    draft = PostDraft(
        external_id=fields.pop("external_id", f"own-{text[:20]}"),
        actor=ActorDraft("account", f"own-{by.person_id}", "Own Account", User.objects.get(pk=by.person_id)),
        text=text,
        language="en",
        published_at=wall(),
        **fields,
    )
    return posts.upsert(draft, caller=SYSTEM, now=wall()).post
