"""Which events are written, when, and what they hold."""

import threading

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from moderation.caller import SYSTEM, Organisation
from moderation.enums import Ground, WebhookEventType
from moderation.errors import Invalid, Refused
from moderation.models import (
    ActorStanding,
    Escalation,
    ReviewItem,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
)
from moderation.selectors import organisations
from moderation.services import (
    announcements,
    clusters,
    decisions,
    deliveries,
    effects,
    escalations,
    standings,
    webhooks,
)
from moderation.services.announcements import News
from moderation.services.escalations import CaseRef
from tests.factories import platform as p
from tests.factories.receivers import endpoint
from tests.moderation.test_query_shape import copies

pytestmark = pytest.mark.django_db
URL = "https://hooks.example/"


def told(kind: str = "") -> list[dict]:
    """Data of the events of this type, oldest first."""
    events = WebhookEvent.objects.order_by("id")
    return [e.data for e in (events.filter(type=kind) if kind else events)]


def test_nothing_is_written_while_nobody_subscribes(clock):
    made, _ = endpoint(URL, "post.removed", clock=clock)
    webhooks.disable(made.pk, caller=p.administrator(clock=clock), now=clock())
    endpoint(URL, "post.restored", clock=clock)
    post = p.post(clock=clock)
    p.removed(post, clock=clock)
    p.settle(clock)

    assert told() == []


def test_each_change_of_a_post_is_one_event_with_the_version_that_the_lookup_gives(clock):
    endpoint(URL, clock=clock)
    post = p.post(clock=clock)
    p.rated(post, clock=clock)
    p.settle(clock)
    p.removed(post, clock=clock, regions=("LK",))
    p.settle(clock)
    case = Escalation.objects.get(post=post)
    escalations.restore(
        CaseRef(case.pk, case.version),
        explanation="It quotes.",
        caller=p.specialist(clock=clock),
        now=clock(),
    )
    p.settle(clock)

    events = WebhookEvent.objects.filter(object_id=post.pk).order_by("version")
    assert [(e.type, e.version) for e in events] == [
        ("post.effect_changed", 1), ("post.removed", 2), ("post.restored", 3),
    ]  # fmt: skip
    first, second, third = (e.data for e in events)
    assert first["multipliers"]["feed"] == 0.2 and first["articles"][0]["publisher"] == "Clarim"
    assert second["regions"]["LK"]["removed"] and not second["removed"]
    assert not third["regions"] and third["state"] == "effect"
    assert not {"rating_bp", "actor_bp"} & first.keys()


def test_a_standing_that_rises_and_falls_by_time_is_told_each_time_in_order(clock):
    endpoint(URL, "actor.standing_changed", clock=clock)
    for number in range(2):
        post = p.post(f"Number {number} of the lies.", clock=clock, actor="page-9")
        p.rated(post, clock=clock)
        p.settle(clock)
        clock.advance(days=1)
    p.settle(clock)
    assert standings.fall(now=clock()) == 0
    clock.advance(days=88, hours=12)
    standings.fall(now=clock())
    standings.fall(now=clock())
    clock.advance(days=2)
    standings.fall(now=clock())

    actor = p.actor_of(post)
    assert [(d["level"], d["strikes"], d["version"]) for d in told()] == [
        ("notice", 1, 1), ("repeat_offender", 2, 2), ("notice", 1, 3), ("none", 0, 4),
    ]  # fmt: skip
    assert {d["id"] for d in told()} == {str(actor.pk)}
    assert ActorStanding.objects.get(actor=actor).until is None


def test_a_policy_that_changes_the_levels_has_every_struck_actor_judged_again(clock):
    p.rated(p.post(clock=clock), clock=clock)
    p.settle(clock)

    standings.judge_all_later(now=clock())

    assert ActorStanding.objects.filter(until__lte=clock()).count() == 1
    assert standings.fall(now=clock()) == 0  # the same level
    assert ActorStanding.objects.get().until > clock()


def test_an_escalation_is_told_with_its_organisation_and_without_note_or_person(clock, monkeypatch):
    endpoint(URL, "escalation.opened", clock=clock)
    rita = p.specialist(clock=clock)
    office = Organisation(rita.person, "Clarim")
    monkeypatch.setattr(organisations, "_names", [lambda ids: {office.id: "Clarim"}])
    asking = type(rita)(role=rita.role, person_id=rita.person_id, organisation=office)
    post = p.post(clock=clock)

    for ground in (Ground.HATE, Ground.HATE, Ground.CHILD_SAFETY):
        escalations.open_case(
            version_id=post.current_version_id, ground=ground, note="Call Rita.", caller=asking, now=clock()
        )

    (data,) = told()
    assert data["ground"] == "hate" and data["post"]["external_id"] == post.external_id
    assert data["requested_by"]["name"] == "Clarim"
    assert "Rita" not in str(data)


def test_an_item_is_told_once_when_its_due_time_is_near(clock):
    endpoint(URL, "item.due_soon", clock=clock)
    p.flag(p.post(clock=clock), clock=clock)
    p.settle(clock)
    item = ReviewItem.objects.get()
    assert announcements.items_due_soon(now=clock()) == 0

    clock.now = item.due_at - announcements.DUE_SOON
    assert [announcements.items_due_soon(now=clock()) for _ in range(3)] == [1, 0, 0]

    (data,) = told()
    assert (data["id"], data["due_at"]) == (str(item.pk), announcements.moment(item.due_at))
    assert not {"holder", "held_by"} & data.keys()


def test_an_event_of_a_change_that_is_rolled_back_is_never_told(clock):
    endpoint(URL, clock=clock)
    post = p.post(clock=clock)
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        p.removed(post, clock=clock)
        effects.recompute([post.pk], now=clock())
        assert told("post.removed")
        raise ZeroDivisionError

    assert told() == []


def test_an_endpoint_hears_what_happens_after_it_was_made(clock):
    endpoint(URL, clock=clock)
    p.removed(p.post(clock=clock), clock=clock)
    p.settle(clock)
    clock.advance(seconds=1)
    late, _ = endpoint(URL, clock=clock)

    deliveries.turn(now=clock())

    assert not WebhookDelivery.objects.filter(endpoint=late).exists()


def test_an_organisation_hears_of_its_own_only(clock, monkeypatch):
    monkeypatch.setattr(organisations, "_names", [lambda ids: dict.fromkeys(ids, "Clarim")])
    clarim, other = (p.person().pk for _ in range(2))
    made, _ = endpoint(URL, "rating.published", clock=clock, organisation=clarim)
    for number, whose in enumerate((clarim, other, None)):
        news = News(
            WebhookEventType.RATING_PUBLISHED, p.person().pk, number, {"n": number}, organisation=whose
        )
        announcements.tell([news], now=clock())

    deliveries.turn(now=clock())

    assert [d.event.data["n"] for d in WebhookDelivery.objects.filter(endpoint=made)] == [0]
    with pytest.raises(Invalid):
        endpoint(URL, "post.removed", clock=clock, organisation=clarim)
    monkeypatch.setattr(organisations, "_names", [])
    with pytest.raises(Invalid):
        endpoint(URL, "rating.published", clock=clock, organisation=clarim)


@pytest.mark.parametrize(
    "wrong",
    [{"name": " "}, {"url": "https://10.0.0.1/"}, {"event_types": []}, {"event_types": ["webhook.ping"]},
     {"event_types": ["post.removed", "no.such"]}],
)  # fmt: skip
def test_an_endpoint_that_cannot_be_is_refused_by_the_name_of_its_field(clock, wrong):
    given = {"name": "A", "url": URL, "event_types": ["post.removed"], **wrong}
    with pytest.raises(Invalid) as refused:
        webhooks.add(**given, caller=p.administrator(clock=clock), now=clock())

    assert refused.value.field in wrong


def test_only_administrators_change_webhooks(clock):
    made, _ = endpoint(URL, clock=clock)
    sent = deliveries.ping(made.pk, caller=p.administrator(clock=clock), now=clock())
    for caller in (p.auditor(clock=clock), p.member(clock=clock), p.specialist(clock=clock)):
        who = {"caller": caller, "now": clock()}
        for act in (
            lambda who=who: webhooks.rotate(made.pk, **who),
            lambda who=who: webhooks.disable(made.pk, **who),
            lambda who=who: webhooks.enable(made.pk, **who),
            lambda who=who: webhooks.remove(made.pk, **who),
            lambda who=who: deliveries.ping(made.pk, **who),
            lambda who=who: deliveries.resend(sent.pk, **who),
        ):
            with pytest.raises(Refused):
                act()


def test_five_thousand_posts_that_change_at_once_are_one_more_statement_and_their_deliveries_come_in_bulk(
    clock,
):
    endpoint(URL, "post.effect_changed", clock=clock)
    endpoint(URL, "post.effect_changed", clock=clock)

    def fanned_out(number: int) -> tuple[int, int]:
        cluster = clusters.create(now=clock())
        posts = copies(cluster, number, clock=clock)
        decisions.stand(
            cluster.pk, outcome="false", contested=False, presentation={"articles": []},
            rated_version=posts[0].current_version, source="test", source_key=str(cluster.pk),
            caller=SYSTEM, now=clock(),
        )  # fmt: skip
        with CaptureQueriesContext(connection) as recomputing:
            effects.recompute([x.pk for x in posts], now=clock())
        with CaptureQueriesContext(connection) as spreading:
            deliveries.spread(now=clock())
        return len(recomputing), len(spreading)

    few, many = fanned_out(5), fanned_out(4990)

    assert many[0] - few[0] <= 3  # notices come in batches of 2000
    assert many[1] - few[1] <= 5  # so do deliveries, two for each post
    assert WebhookEvent.objects.count() == 4995
    assert WebhookDelivery.objects.count() == 9990


@pytest.mark.django_db(transaction=True)
def test_two_workers_that_spread_at_once_make_each_delivery_once(clock):
    endpoint(URL, "post.removed", clock=clock)
    for number in range(40):
        news = News(WebhookEventType.POST_REMOVED, p.person().pk, number + 1, {})
        announcements.tell([news], now=clock())
    both = threading.Barrier(2)

    def spread() -> None:
        both.wait()
        deliveries.spread(now=clock())
        connection.close()

    workers = [threading.Thread(target=spread) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    deliveries.spread(now=clock())

    assert WebhookDelivery.objects.count() == 40
    assert WebhookEndpoint.objects.count() == 1
