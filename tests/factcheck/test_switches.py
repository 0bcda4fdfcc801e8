"""Programme switches end to end: two keys, and a return that leaves nothing behind."""

import uuid

import pytest
from django.db import IntegrityError, transaction

from factcheck.enums import LeaseEnding
from factcheck.models import Lease
from factcheck.services import leases
from factcheck.services.partners import RatingsStopped
from moderation.enums import SwitchStatus
from moderation.errors import Conflict, Invalid, NotFound, Refused, StaleItem
from moderation.models import AuditRow, EffectiveState, Notice, ReviewItem, Strike, Switch
from moderation.selectors import verification
from moderation.services import notices
from moderation.services import switches as service
from tests.factcheck.switch_fixtures import CLEAR, LIFT, STOP, level_of, rated, story
from tests.factories import platform as p
from tests.factories import programme as f
from tests.factories.switches import WHY, proposed, returned, switched_on

pytestmark = pytest.mark.django_db


def everything():
    """All that a switch may change and must bring back."""
    return {
        "states": list(
            EffectiveState.objects.order_by("pk").values_list(
                "pk", "document", "feed_bp", "removed", "valid_until"
            )
        ),
        "strikes": list(Strike.objects.order_by("pk").values_list("pk", "actor", "counts_until")),
        "notices": list(Notice.objects.order_by("pk").values_list("pk", "kind", "sent_at", "cancelled_at")),
    }


def test_the_programme_ends_in_one_country_and_comes_back_as_it_was(american, uma, luc, both, clock):
    here = {"actor": "page-us", "country": "US"}
    by_them, by_others, quiet = story(1, clock, **here), story(2, clock, **here), story(3, clock, **here)
    abroad = story(4, clock, actor="page-fr", country="FR")
    rated(by_them, by=uma, clock=clock)
    for post in (by_others, abroad):
        rated(post, by=luc, clock=clock)
    waiting = story(5, clock)
    p.flag(waiting, clock=clock)
    p.settle(clock)
    clock.advance(hours=7)
    notices.deliver(now=clock())
    item = f.taken(waiting, by=uma, clock=clock)
    assert (level_of(quiet, clock), level_of(abroad, clock)) == (2, 1)
    assert [p.feed_of(x, clock=clock) for x in (by_them, by_others, quiet, abroad)] == [0.1, 0.1, 0.5, 0.2]
    before = everything()
    assert len(before["notices"]) == 3

    on = [switched_on(kind, by=both, clock=clock, country="US") for kind in (STOP, LIFT, CLEAR)]

    # Stop: their reviewers hold and take nothing, the item waits for others.
    with pytest.raises(RatingsStopped) as refused:
        leases.take(item.pk, caller=uma, now=clock())
    assert (refused.value.code, american.name in refused.value.message) == ("ratings_stopped", True)
    assert ReviewItem.objects.get(pk=item.pk).holder_id is None
    assert Lease.objects.get(item_id=item.pk).ending == LeaseEnding.FREED
    assert leases.take_next(caller=luc, now=clock()).pk == item.pk
    leases.release(item.pk, caller=luc, now=clock())
    # Lift: for viewers there; clear: for actors there, wherever they are read.
    assert [p.feed_of(x, clock=clock, region="US-TX") for x in (by_them, by_others, quiet, abroad)] == [
        1.0
    ] * 4
    assert [p.feed_of(x, clock=clock) for x in (by_them, by_others, quiet, abroad)] == [0.2, 0.2, 1.0, 0.2]
    assert p.lookup(abroad, clock=clock, region="US")["articles"] == []
    assert p.lookup(abroad, clock=clock, region="FR")["label"] == "warning"
    assert (level_of(quiet, clock), level_of(abroad, clock)) == (0, 1)
    assert list(verification.faults(now=clock())) == list(verification.strike_faults(now=clock())) == []

    clock.advance(hours=1)
    for made in on:
        returned(made, by=both[0], clock=clock)

    assert everything() == before
    assert (level_of(quiet, clock), level_of(abroad, clock)) == (2, 1)
    assert leases.take(item.pk, caller=uma, now=clock()).holder_id == uma.person_id
    assert list(verification.faults(now=clock())) == list(verification.strike_faults(now=clock())) == []


# ── two keys ───────────────────────────────────────────────────────────────────────────────────────


def test_whoever_proposes_a_switch_cannot_turn_the_second_key(ada, ben, clock):
    made = proposed(LIFT, by=ada, clock=clock, country="US")

    with pytest.raises(Refused, match="Another administrator"):
        service.confirm(made.pk, version=made.version, caller=ada, now=clock())
    with pytest.raises(Refused, match="Another administrator"):
        service.refuse(made.pk, version=made.version, reason="No.", caller=ada, now=clock())
    with pytest.raises(Refused, match="Only who proposed"):
        service.withdraw(made.pk, version=made.version, caller=ben, now=clock())
    assert Switch.objects.get().status == SwitchStatus.PROPOSED
    with pytest.raises(IntegrityError), transaction.atomic():
        Switch.objects.update(status="on", confirmed_by=ada.person_id, confirmed_at=clock())


@pytest.mark.parametrize("who", ["member", "specialist", "auditor"])
def test_only_administrators_turn_switches(who, ada, ben, clock):
    other = getattr(p, who)(clock=clock)
    made = proposed(LIFT, by=ada, clock=clock, country="US")
    on = switched_on(CLEAR, by=(ada, ben), clock=clock)

    for act in (
        lambda: service.propose(kind=LIFT, country="FR", reason=WHY, caller=other, now=clock()),
        lambda: service.dry_run(made.pk, version=made.version, caller=other, now=clock()),
        lambda: service.confirm(made.pk, version=made.version, caller=other, now=clock()),
        lambda: service.refuse(made.pk, version=made.version, reason="No.", caller=other, now=clock()),
        lambda: service.withdraw(made.pk, version=made.version, caller=other, now=clock()),
        lambda: service.give_back(on.pk, version=on.version, caller=other, now=clock()),
    ):
        with pytest.raises(Refused):
            act()


def test_a_switch_waits_for_the_end_of_its_dry_run(ada, ben, clock):
    rated(story(1, clock), by=f.lead(f.partner(clock=clock), clock=clock), clock=clock)
    made = service.propose(kind=LIFT, reason=WHY, caller=ada, now=clock())

    with pytest.raises(Conflict) as refused:
        service.confirm(made.pk, version=made.version, caller=ben, now=clock())
    assert refused.value.code == "no_dry_run"


def test_refused_withdrawn_and_returned_are_final_and_free_the_scope(ada, ben, both, clock):
    refused = proposed(LIFT, by=ada, clock=clock, country="US")
    with pytest.raises(Conflict) as twice:
        proposed(LIFT, by=ben, clock=clock, country="US")
    assert twice.value.code == "switched_already"
    with pytest.raises(Invalid):
        service.refuse(refused.pk, version=refused.version, reason=" ", caller=ben, now=clock())
    refused = service.refuse(refused.pk, version=refused.version, reason="Not yet.", caller=ben, now=clock())
    withdrawn = proposed(LIFT, by=ada, clock=clock, country="US")
    withdrawn = service.withdraw(withdrawn.pk, version=withdrawn.version, caller=ada, now=clock())
    off = returned(switched_on(LIFT, by=both, clock=clock, country="US"), by=ada, clock=clock)

    assert [s.status for s in (refused, withdrawn, off)] == ["refused", "withdrawn", "off"]
    for made in (refused, withdrawn, off):
        for act in (service.confirm, service.give_back, service.dry_run):
            with pytest.raises(Conflict):
                act(made.pk, version=made.version, caller=ben, now=clock())
    assert set(AuditRow.objects.filter(event__startswith="switch_").values_list("event", flat=True)) == {
        "switch_proposed", "switch_refused", "switch_withdrawn", "switch_confirmed", "switch_returned",
    }  # fmt: skip


def test_a_step_on_an_outdated_page_is_refused(both, clock):
    made = proposed(LIFT, by=both[0], clock=clock, country="US")

    with pytest.raises(StaleItem):
        service.confirm(made.pk, version=made.version + 1, caller=both[1], now=clock())
    with pytest.raises(NotFound):
        service.confirm(uuid.uuid4(), version=1, caller=both[1], now=clock())


@pytest.mark.parametrize(
    ("scope", "field"),
    [
        ({"kind": STOP}, "kind"),
        ({"kind": LIFT, "country": "USA"}, "country"),
        ({"kind": LIFT, "organisation": uuid.uuid4()}, "organisation"),
        ({"kind": LIFT, "outcome": "not_quite"}, "outcome"),
        ({"kind": LIFT, "reason": "  "}, "reason"),
    ],
)
def test_a_scope_that_cannot_be_is_refused_at_its_field(scope, field, ada, clock):
    with pytest.raises(Invalid) as refused:
        service.propose(**{"reason": WHY, **scope}, caller=ada, now=clock())

    assert refused.value.field == field
