"""What webhooks tell of ratings: not before the undo time is over, and never who rated."""

import json

import pytest

from factcheck.services import ratings
from moderation.models import User, WebhookEvent
from moderation.services import announcements, deliveries
from tests.factories import platform as p
from tests.factories import programme as f
from tests.factories.receivers import endpoint, receiving

pytestmark = pytest.mark.django_db
PUBLISHED, SUPERSEDED, WITHDRAWN = "rating.published", "rating.superseded", "rating.withdrawn"


@pytest.fixture(autouse=True)
def _subscribed(clock):
    endpoint("https://hooks.example/", clock=clock)


@pytest.fixture
def partner(clock):
    return f.partner(clock=clock)


@pytest.fixture
def rita(partner, clock):
    return f.reviewer(partner, clock=clock)


def told() -> list[tuple[str, str]]:
    """What was told of ratings so far: type and rating."""
    events = WebhookEvent.objects.filter(type__startswith="rating.", spread_at__isnull=False)
    return [(e.type, str(e.object_id)) for e in events.order_by("available_at", "version", "id")]


def later(clock, **parts: float) -> None:
    clock.advance(**parts)
    deliveries.turn(now=clock())


def revise(rating, partner, rita, clock, verdict="partly_false"):
    return ratings.revise(rating.pk, f.draft(partner, verdict), caller=rita, now=clock())


def test_a_rating_is_told_when_it_can_no_longer_be_undone(clock, partner, rita):
    rating = f.rate(p.post(clock=clock), by=rita, clock=clock)

    later(clock, seconds=29)
    assert told() == []
    later(clock, seconds=2)

    assert told() == [(PUBLISHED, str(rating.pk))]
    data = WebhookEvent.objects.get(type=PUBLISHED).data
    assert data["publisher"] == {"id": str(partner.pk), "name": partner.name}
    assert (data["verdict"], data["claim"]["text"], data["version"]) == ("false", "The well is poisoned.", 1)


def test_an_undone_rating_leaves_nothing_outside(clock, rita):
    rating = f.rate(p.post(clock=clock), by=rita, clock=clock)
    clock.advance(seconds=20)

    ratings.undo(rating.pk, caller=rita, now=clock())
    later(clock, minutes=5)

    assert told() == []
    assert not WebhookEvent.objects.filter(type__startswith="rating.").exists()


def test_an_undo_that_comes_just_after_the_telling_is_told_too(clock, rita):
    rating = f.rate(p.post(clock=clock), by=rita, clock=clock)
    begun = clock.advance(seconds=30)  # the undo was asked for in time
    later(clock, seconds=1)

    ratings.undo(rating.pk, caller=rita, now=begun)
    deliveries.turn(now=clock())

    assert sorted(told()) == [(PUBLISHED, str(rating.pk)), (WITHDRAWN, str(rating.pk))]


def test_a_withdrawal_is_told_at_once(clock, rita):
    rating = f.rate(p.post(clock=clock), by=rita, clock=clock)
    later(clock, hours=1)
    ratings.withdraw(rating.pk, reason="The town published other results.", caller=rita, now=clock())
    later(clock, seconds=1)

    assert told() == [(PUBLISHED, str(rating.pk)), (WITHDRAWN, str(rating.pk))]
    assert WebhookEvent.objects.get(type=WITHDRAWN).version == 2


def test_a_revision_takes_the_place_of_the_old_rating_when_it_can_no_longer_be_undone(clock, partner, rita):
    old = f.rate(p.post(clock=clock), by=rita, clock=clock)
    later(clock, hours=1)
    new = revise(old, partner, rita, clock)
    later(clock, seconds=20)
    assert told() == [(PUBLISHED, str(old.pk))]
    later(clock, seconds=20)

    assert sorted(told()[1:]) == [(PUBLISHED, str(new.pk)), (SUPERSEDED, str(old.pk))]
    assert WebhookEvent.objects.get(type=SUPERSEDED).data["superseded_by"] == str(new.pk)


def test_a_rating_revised_before_it_was_told_is_never_told(clock, partner, rita):
    old = f.rate(p.post(clock=clock), by=rita, clock=clock)
    clock.advance(seconds=10)
    new = revise(old, partner, rita, clock)
    later(clock, minutes=1)

    assert told() == [(PUBLISHED, str(new.pk))]


def test_an_undone_revision_ends_what_was_known_outside(clock, partner, rita):
    old = f.rate(p.post(clock=clock), by=rita, clock=clock)
    later(clock, hours=1)
    new = revise(old, partner, rita, clock)
    clock.advance(seconds=10)
    ratings.undo(new.pk, caller=rita, now=clock())
    later(clock, minutes=1)

    assert told() == [(PUBLISHED, str(old.pk)), (WITHDRAWN, str(old.pk))]


def test_an_undone_revision_of_what_nobody_heard_of_is_not_told(clock, partner, rita):
    old = f.rate(p.post(clock=clock), by=rita, clock=clock)
    clock.advance(seconds=10)
    new = revise(old, partner, rita, clock)
    clock.advance(seconds=25)
    ratings.undo(new.pk, caller=rita, now=clock())
    later(clock, minutes=1)

    assert told() == []


def test_a_partners_own_endpoint_hears_of_its_ratings_only(clock, partner, rita, settings):
    settings.WEBHOOK_HOSTS_ALLOWED = frozenset({"127.0.0.1"})
    other = f.partner(clock=clock)
    with receiving() as make:
        hook = make()
        made, _ = endpoint(hook.url, PUBLISHED, clock=clock, organisation=partner.pk)
        mine = f.rate(p.post("One story of today.", clock=clock), by=rita, clock=clock)
        f.rate(
            p.post("Another story of today.", clock=clock),
            by=f.reviewer(other, clock=clock),
            clock=clock,
            claim="Two.",
        )
        later(clock, minutes=1)
        deliveries.work(made.pk, clock=clock)

        assert [got.told["data"]["id"] for got in hook.got] == [str(mine.pk)]


def test_no_payload_holds_the_name_or_address_of_anybody_who_works_here(clock, partner, rita):
    post = p.post(clock=clock)
    p.flag(post, clock=clock, note="Ask Rita.")
    p.settle(clock)
    rating = f.rate(post, by=rita, clock=clock)
    p.settle(clock)
    clock.advance(hours=1)
    new = revise(rating, partner, rita, clock)
    clock.advance(hours=1)
    ratings.withdraw(new.pk, reason="Rita was wrong.", caller=rita, now=clock())
    p.removed(post, clock=clock)
    p.settle(clock)
    p.flag(p.post("Yet another story, of the mill.", clock=clock), clock=clock)
    p.settle(clock)
    clock.advance(days=1, hours=-1)
    announcements.items_due_soon(now=clock())

    bodies = [deliveries.body_of(event) for event in WebhookEvent.objects.order_by("id")]
    kinds = {json.loads(body)["type"] for body in bodies}
    assert {
        PUBLISHED,
        SUPERSEDED,
        WITHDRAWN,
        "post.removed",
        "post.effect_changed",
        "escalation.opened",
    } <= kinds
    assert {"item.due_soon", "actor.standing_changed"} <= kinds
    everything = "\n".join(bodies)
    for person in User.objects.all():
        for secret in (person.display_name, person.email, str(person.pk)):
            assert secret not in everything
    assert "Rita" not in everything
