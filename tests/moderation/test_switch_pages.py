"""Programme switches on the page: proposed with a form, tried by itself, turned by another, returned."""

import re

import pytest
from django.urls import reverse

from moderation.enums import SwitchKind
from moderation.models import Switch
from moderation.services import switches as service
from tests.factories import platform as p
from tests.factories.switches import WHY, proposed, switched_on
from tests.factories.visitors import visit

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada(wall):
    return p.administrator(clock=wall)


@pytest.fixture
def ben(wall):
    return p.administrator(clock=wall)


def press(client, made, verb, **more):
    made.refresh_from_db()
    sent = {"version": made.version, **more}
    return client.post(reverse("switches-step", args=[made.pk, verb]), sent, follow=True).content.decode()


def test_a_switch_goes_on_and_comes_back_from_one_page(wall, ada, ben):
    post = p.post(clock=wall)
    p.rated(post, clock=wall)
    p.settle(wall)
    hers, his = visit(ada), visit(ben)

    page = hers.post(
        "/switches/",
        {"kind": "lift_effects", "country": "US", "outcome": "false", "reason": WHY},
        follow=True,
    ).content.decode()
    made = Switch.objects.get()
    assert "Lift the effects of ratings “False” for readers in United States" in page
    assert "data-poll" in page
    assert "Turn the second key" not in his.get("/switches/").content.decode()  # the dry run goes on

    p.settle(wall)
    part = hers.get(reverse("switches-dry-run", args=[made.pk]))
    assert "<b>1</b> post changes" in part.content.decode()
    same = hers.get(reverse("switches-dry-run", args=[made.pk]), {"version": part["X-Version"]})
    assert same.status_code == 204
    assert "Another administrator must confirm" in hers.get("/switches/").content.decode()
    page = his.get("/switches/").content.decode()
    assert "Turn the second key" in page
    assert "1 post changes." in page  # said again in the dialog
    assert re.search(r'href="/switches/"[^>]*>.*?1', page, re.S)  # the badge of what waits

    assert "It is on." in press(his, made, "confirm")
    running = hers.get("/switches/").content.decode()
    assert "Posts computed again" in running
    assert "Lift the effects" in hers.get("/system/").content.decode()
    p.settle(wall)
    assert (p.feed_of(post, clock=wall, region="US"), p.feed_of(post, clock=wall)) == (1.0, 0.2)

    page = press(hers, made, "return")
    assert "Returned:" in hers.get("/system/").content.decode()
    p.settle(wall)
    assert "Nothing is switched" in page
    assert p.feed_of(post, clock=wall, region="US") == 0.2


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"kind": "stop_ratings", "reason": WHY}, "kind"),
        ({"kind": "lift_effects"}, "reason"),
        ({"reason": WHY}, "kind"),
        ({"kind": "lift_effects", "country": "XQ", "reason": WHY}, "country"),
        ({"kind": "lift_effects", "organisation": "0", "reason": WHY}, "organisation"),
        ({"kind": "lift_effects", "outcome": "x", "reason": WHY}, "outcome"),
    ],
)
def test_what_is_wrong_stands_at_its_field_and_what_was_typed_stays(sent, field, wall, ada):
    refused = visit(ada).post("/switches/", {**sent, "country": sent.get("country", "")})

    assert refused.status_code == 422
    assert list(refused.context["form"].errors) == [field]
    assert (WHY in refused.content.decode()) is ("reason" in sent)
    assert not Switch.objects.exists()


def test_the_same_switch_twice_is_refused_in_words(wall, ada):
    proposed(SwitchKind.CLEAR_STRIKES, by=ada, clock=wall, country="US")

    refused = visit(ada).post("/switches/", {"kind": "clear_strikes", "country": "US", "reason": WHY})

    assert refused.status_code == 422
    assert "waits for its second key" in refused.content.decode()


def test_a_refusal_is_read_by_whoever_proposed_it_and_a_withdrawal_by_all(wall, ada, ben):
    made = proposed(SwitchKind.LIFT_EFFECTS, by=ada, clock=wall)
    assert "Say why" in press(visit(ben), made, "refuse", reason=" ")
    press(visit(ben), made, "refuse", reason="Ask the partners first.")
    assert "Ask the partners first." in visit(ada).get("/switches/").content.decode()

    made = proposed(SwitchKind.LIFT_EFFECTS, by=ada, clock=wall)
    press(visit(ada), made, "dry-run")
    p.settle(wall)
    assert "Withdrawn" in press(visit(ada), made, "withdraw")


def test_an_auditor_reads_and_finds_nothing_to_press(wall, ada, ben):
    on = switched_on(SwitchKind.CLEAR_STRIKES, by=(ada, ben), clock=wall)
    waiting = proposed(SwitchKind.LIFT_EFFECTS, by=ada, clock=wall, country="US")
    auditor = visit(p.auditor(clock=wall))

    page = auditor.get("/switches/").content.decode()

    assert "Clear the strikes by all ratings of authors everywhere" in page
    for word in ("Return…", "Turn the second key", "Refuse…", "Propose a switch", "Withdraw<", "Try again"):
        assert word not in page
    assert auditor.post("/switches/", {"kind": "lift_effects", "reason": WHY}).status_code == 403
    for made, verb in ((on, "return"), (waiting, "confirm"), (waiting, "dry-run")):
        at = reverse("switches-step", args=[made.pk, verb])
        assert auditor.post(at, {"version": made.version}).status_code == 403


@pytest.mark.parametrize("who", ["member", "specialist"])
def test_nobody_else_sees_the_page(who, wall):
    assert visit(getattr(p, who)(clock=wall)).get("/switches/").status_code == 403


def test_a_page_that_is_out_of_date_turns_nothing(wall, ada, ben):
    made = proposed(SwitchKind.LIFT_EFFECTS, by=ada, clock=wall)
    service.dry_run(made.pk, version=made.version, caller=ada, now=wall())
    p.settle(wall)

    late = visit(ben).post(reverse("switches-step", args=[made.pk, "confirm"]), {"version": made.version})

    assert late.status_code == 409
    assert Switch.objects.get().status == "proposed"
