"""What a receiver gets: once if all goes well, again with the same id if not, and in the end it can catch up."""

import socket
import threading
import time
from datetime import timedelta
from email.utils import format_datetime

import pytest

from moderation.enums import DisabledReason
from moderation.errors import Conflict
from moderation.models import AuditRow, Escalation, WebhookDelivery, WebhookEndpoint, WebhookEvent
from moderation.selectors import distribution
from moderation.services import deliveries, escalations, webhooks
from moderation.services.escalations import CaseRef
from tests.factories import platform as p
from tests.factories.receivers import Answer, deliver, endpoint, removed_post

pytestmark = pytest.mark.django_db


def only() -> WebhookDelivery:
    return WebhookDelivery.objects.select_related("endpoint", "event").get()


def test_a_removal_is_told_once_and_signed_over_id_time_and_the_bytes_sent(clock, receiver):
    hook = receiver()
    _, secret = endpoint(hook.url, "post.removed", clock=clock)
    post = removed_post(clock)

    deliver(clock)
    deliver(clock)

    (got,) = hook.got
    assert got.is_signed_with(secret)
    assert got.headers["webhook-timestamp"] == str(int(clock().timestamp()))
    assert got.told["type"] == "post.removed"
    assert got.told["data"] | {"removed": True, "state": "effect", "version": 1} == got.told["data"]
    assert got.told["data"]["external_id"] == post.external_id
    assert only().done_at == clock() and only().last_status == 200


def test_a_receiver_that_fails_is_asked_again_later_each_time_under_the_same_id(clock, receiver, settings):
    settings.WEBHOOK_TIMEOUT_SECONDS = 0.3
    hook = receiver()
    never = threading.Event()
    hook.answers = [Answer(wait=never), Answer(500, body=b"secret trace")]
    endpoint(hook.url, "post.removed", clock=clock)
    removed_post(clock)

    deliver(clock)
    assert only().last_error == "No answer in 0.3 seconds."
    waits = [only().next_at - clock()]
    deliver(clock)
    assert len(hook.got) == 1  # not before its time
    clock.advance(seconds=10)
    deliver(clock)
    waits.append(only().next_at - clock())
    assert (only().last_status, only().last_error) == (500, "")  # nothing of what it said
    clock.advance(minutes=7)
    deliver(clock)
    never.set()

    assert len(hook.got) == 3 and len({got.id for got in hook.got}) == 1
    assert len({got.headers["webhook-timestamp"] for got in hook.got}) == 3
    assert len({got.body for got in hook.got}) == 1
    assert timedelta(seconds=4) <= waits[0] <= timedelta(seconds=6) < timedelta(minutes=4) <= waits[1]
    assert only().done_at == clock()


def test_after_three_days_of_failure_a_delivery_is_listed_as_given_up_and_can_be_sent_again(clock, receiver):
    hook = receiver()
    hook.usual = Answer(503)
    endpoint(hook.url, "post.removed", clock=clock)
    removed_post(clock)
    began = clock()
    deliver(clock)
    while only().dead_at is None:
        clock.now = only().next_at + deliveries.LONGEST_REST * 2
        deliver(clock)

    assert only().attempts == deliveries.MAX_ATTEMPTS == len(hook.got)
    assert timedelta(days=2.5) < clock() - began < timedelta(days=4)
    clock.advance(days=1)
    deliver(clock)
    assert len(hook.got) == deliveries.MAX_ATTEMPTS  # that was the end

    hook.usual = Answer(200)
    deliveries.resend(only().pk, caller=p.administrator(clock=clock), now=clock())
    deliver(clock)

    assert len({got.id for got in hook.got}) == 1
    assert only().done_at == clock() and only().attempts == 1


def test_an_endpoint_that_is_down_for_days_leaves_no_delivery_waiting_for_ever(clock, receiver):
    hook = receiver()
    hook.usual = Answer(500)
    endpoint(hook.url, "post.removed", clock=clock)
    for _ in range(20):
        removed_post(clock)
    deliver(clock)
    assert len(hook.got) == 1  # the lane rests: who is down is not asked for each delivery
    clock.advance(days=4)

    deliveries.give_up(now=clock())

    assert WebhookDelivery.objects.filter(dead_at__isnull=False).count() == 20


@pytest.mark.parametrize("as_date", [False, True])
def test_retry_after_is_honoured_by_the_whole_lane_within_reason(clock, receiver, as_date):
    hook = receiver()
    until = clock() + timedelta(hours=2)
    hook.answers = [Answer(429, {"Retry-After": format_datetime(until, usegmt=True) if as_date else "7200"})]
    endpoint(hook.url, "post.removed", clock=clock)
    removed_post(clock)
    deliver(clock)
    removed_post(clock)

    clock.advance(hours=1, minutes=59)
    deliver(clock)
    assert len(hook.got) == 1
    clock.advance(minutes=2)
    deliver(clock)

    assert len(hook.got) == 3


@pytest.mark.parametrize("nonsense", ["soon", "-5", "9" * 400, "Fri, 99 Foo 2026", "١٢"])
def test_a_senseless_retry_after_costs_a_day_at_most(clock, receiver, nonsense):
    hook = receiver()
    hook.answers = [Answer(503, {"Retry-After": nonsense} if nonsense.isascii() else {})]
    endpoint(hook.url, "post.removed", clock=clock)
    removed_post(clock)

    deliver(clock)

    assert only().next_at <= clock() + timedelta(days=1)


def test_410_switches_the_endpoint_off_for_good_until_somebody_switches_it_on(clock, receiver):
    hook = receiver()
    hook.usual = Answer(410)
    made, _ = endpoint(hook.url, "post.removed", clock=clock)
    removed_post(clock)
    removed_post(clock)
    deliver(clock)
    removed_post(clock)
    clock.advance(days=1)
    deliver(clock)

    assert len(hook.got) == 1
    made.refresh_from_db()
    assert made.disabled_reason == DisabledReason.GONE
    assert AuditRow.objects.filter(event="webhook_disabled", subject=str(made.pk)).count() == 1
    assert WebhookEvent.objects.count() == 2  # what happened meanwhile is not told later
    admin = p.administrator(clock=clock)
    with pytest.raises(Conflict):
        deliveries.ping(made.pk, caller=admin, now=clock())

    hook.usual = Answer(200)
    webhooks.enable(made.pk, caller=admin, now=clock())
    deliver(clock)

    assert len(hook.got) == 2  # the one that waited; the one answered with 410 was given up


def test_a_redirect_is_not_followed(clock, receiver):
    hook, inside = receiver(), receiver()
    hook.usual = Answer(302, {"Location": inside.url})
    endpoint(hook.url, "post.removed", clock=clock)
    removed_post(clock)

    deliver(clock)

    assert inside.got == []
    assert only().last_error == "Redirects are not followed." and only().done_at is None


def test_a_slow_receiver_holds_up_its_own_lane_only(clock, receiver, settings):
    slow, fast = receiver(), receiver()
    gate = threading.Event()
    slow.usual = Answer(wait=gate)
    slow_lane, _ = endpoint(slow.url, "post.removed", clock=clock)
    endpoint(fast.url, "post.removed", clock=clock)
    removed_post(clock)
    deliveries.turn(now=clock())
    WebhookEndpoint.objects.filter(pk=slow_lane.pk).update(held_until=clock() + timedelta(seconds=30))

    deliver(clock)

    assert len(fast.got) == 1 and slow.got == []
    assert not deliveries.work(slow_lane.pk, clock=clock)  # somebody has it
    clock.advance(seconds=31)  # and died with it
    gate.set()
    deliver(clock)
    assert len(slow.got) == 1


def test_an_answer_in_drops_is_cut_off_at_the_time_out(clock, receiver, settings):
    settings.WEBHOOK_TIMEOUT_SECONDS = 0.5
    server = socket.create_server(("127.0.0.1", 0))

    def drip() -> None:
        talking, _ = server.accept()
        talking.recv(65536)
        for letter in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 200:
            try:
                talking.send(bytes([letter]))
            except OSError:
                break
            time.sleep(0.1)
        talking.close()

    threading.Thread(target=drip, daemon=True).start()
    endpoint(f"http://127.0.0.1:{server.getsockname()[1]}/", "post.removed", clock=clock)
    removed_post(clock)
    began = time.monotonic()

    deliver(clock)

    assert time.monotonic() - began < 5
    server.close()
    assert only().last_error == "No answer in 0.5 seconds."


def test_a_huge_answer_is_neither_read_to_its_end_nor_kept(clock, receiver):
    hook = receiver()
    hook.usual = Answer(200, body=b"x" * 5_000_000)
    endpoint(hook.url, "post.removed", clock=clock)
    removed_post(clock)
    removed_post(clock)

    deliver(clock)

    assert len(hook.got) == 2
    assert WebhookDelivery.objects.filter(done_at__isnull=False, last_error="").count() == 2


def test_a_killed_worker_leaves_a_delivery_that_is_tried_again_under_the_same_id(clock, receiver):
    hook = receiver()
    made, _ = endpoint(hook.url, "post.removed", clock=clock)
    removed_post(clock)
    deliveries.turn(now=clock())
    lane = deliveries._take(made.pk, now=clock())
    deliveries._begin(lane, now=clock())  # and here it dies

    clock.advance(seconds=59)
    deliver(clock)
    assert hook.got == []  # the lane may still be somebody's
    clock.advance(seconds=2)
    deliver(clock)

    assert [got.id for got in hook.got] == [str(only().event_id)]
    assert only().attempts == 2


def test_late_and_double_messages_leave_a_receiver_by_our_docs_where_the_server_is(clock, receiver):
    hook = receiver()
    hook.answers = [Answer(500)]
    endpoint(hook.url, "post.removed", "post.restored", clock=clock)
    post = p.post(clock=clock)
    p.removed(post, clock=clock)
    p.settle(clock)
    deliver(clock)  # fails
    case = Escalation.objects.get(post=post)
    escalations.restore(
        CaseRef(case.pk, case.version),
        explanation="It was a quotation.",
        caller=p.specialist(clock=clock),
        now=clock(),
    )
    p.settle(clock)
    clock.advance(seconds=3)
    WebhookEndpoint.objects.update(rests_until=None)
    deliver(clock)  # the newer ones go first
    clock.advance(minutes=6)
    deliver(clock)

    told = [got.told for got in hook.got]
    kept: dict[str, dict] = {}
    for message in told:
        data = message["data"]
        if data["version"] > kept.get(data["id"], {"version": 0})["version"]:
            kept[data["id"]] = data
    assert [m["type"] for m in told if m["data"]["version"] == 1][-1] == "post.removed"
    assert told[-1]["data"]["version"] == 1  # the old one came last
    assert kept[str(post.pk)]["state"] == "none"
    assert distribution.lookup([str(post.pk)], now=clock())[0].document is None


def test_a_flood_of_effects_does_not_hold_up_what_people_wait_for(clock, receiver):
    hook = receiver()
    endpoint(hook.url, "post.effect_changed", "post.removed", clock=clock)
    for number in range(3):
        p.rated(p.post(actor=f"page-{number}", clock=clock), clock=clock)
    p.settle(clock)
    deliveries.turn(now=clock())
    clock.advance(seconds=1)
    removed_post(clock)

    deliver(clock)

    assert hook.types() == ["post.removed", *["post.effect_changed"] * 3]


def test_a_removed_endpoint_has_no_secret_left_and_gets_nothing_more(clock, receiver):
    hook = receiver()
    made, _ = endpoint(hook.url, "post.removed", clock=clock)
    removed_post(clock)
    deliveries.turn(now=clock())

    webhooks.remove(made.pk, caller=p.administrator(clock=clock), now=clock())
    removed_post(clock)
    deliver(clock)

    made.refresh_from_db()
    assert hook.got == [] and made.secret == ""


def test_what_was_told_is_forgotten_after_a_month(clock, receiver):
    hook = receiver()
    endpoint(hook.url, "post.removed", clock=clock)
    removed_post(clock)
    deliver(clock)
    clock.advance(days=29)
    assert deliveries.forget(now=clock()) == 0
    clock.advance(days=2)

    assert deliveries.forget(now=clock()) == 1
    assert not WebhookDelivery.objects.exists() and not WebhookEvent.objects.exists()
