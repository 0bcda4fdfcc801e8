"""Django's admin shows and changes nothing, and what people wrote stays inert there."""

import pytest
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from moderation.models import Flag, Reporter, User
from moderation.services import api_clients
from tests.factories import platform as p

pytestmark = pytest.mark.django_db
REGISTERED = sorted((model for model in admin.site._registry), key=lambda m: m.__name__)
OURS = [model for model in REGISTERED if model._meta.app_label == "moderation"]


@pytest.fixture
def support(wall):
    """Somebody of the support staff with every permission there is."""
    person = User.objects.create_superuser("sam@people.example", "correct horse battery", display_name="Sam")
    client = Client()
    client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def rows(wall):
    """A row in each list, with hostile names."""
    nasty = "\u202e<img src=x onerror=alert(1)>"
    adam = p.administrator(clock=wall)
    User.objects.filter(pk=adam.person_id).update(display_name=nasty)
    api_clients.create(name=nasty, scopes=["posts:write"], caller=adam, now=wall())
    post = p.post(nasty, clock=wall, actor=nasty)
    p.flag(post, clock=wall, note="Secret note")
    p.rated(post, "false", clock=wall)
    p.removed(p.post(clock=wall), clock=wall)
    p.settle(wall)


@pytest.mark.parametrize("model", OURS, ids=lambda m: m.__name__)
def test_a_row_can_be_looked_at_and_not_touched(support, rows, model):
    base = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    listed = support.get(reverse(f"{base}_changelist"))
    assert listed.status_code == 200
    page = listed.content.decode()
    assert "<img src=x" not in page and "Secret note" not in page
    row = model.objects.first()
    if row is not None:
        shown = support.get(reverse(f"{base}_change", args=[row.pk]))
        assert shown.status_code == 200
        page = shown.content.decode()
        assert "<img src=x" not in page and 'name="_save"' not in page and "Secret note" not in page
        assert support.post(reverse(f"{base}_change", args=[row.pk]), {}).status_code == 403
        assert support.post(reverse(f"{base}_delete", args=[row.pk]), {"post": "yes"}).status_code == 403
    assert support.get(reverse(f"{base}_add")).status_code == 403


def test_who_flagged_whom_and_secrets_are_not_there(support, rows):
    assert Flag not in REGISTERED and Reporter not in REGISTERED
    client = api_clients.ApiClient.objects.get()
    page = support.get(reverse("admin:moderation_apiclient_change", args=[client.pk])).content.decode()
    assert client.secret_sha256 not in page
    person = User.objects.earliest("pk")
    page = support.get(reverse("admin:moderation_user_change", args=[person.pk])).content.decode()
    assert person.password not in page


def test_others_do_not_come_in(wall, client):
    assert client.get(reverse("admin:index")).status_code == 302
    member = User.objects.get(pk=p.member(clock=wall).person_id)
    client.force_login(member, backend="django.contrib.auth.backends.ModelBackend")
    assert client.get(reverse("admin:moderation_user_changelist")).status_code == 302
