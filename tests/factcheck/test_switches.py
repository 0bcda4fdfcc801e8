"""Programme switches end to end: what they stop, lift and clear, and that their return leaves nothing behind."""

import uuid
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from factcheck.enums import LeaseEnding
from factcheck.models import Lease
from factcheck.services import leases, partners, ratings
from factcheck.services.partners import RatingsStopped
from moderation.enums import NoticeKind, OutboxKind, SwitchKind, SwitchStatus
from moderation.errors import Conflict, Invalid, NotFound, NothingToTake, Refused, StaleItem
from moderation.models import AuditRow, EffectiveState, FanOut, Notice, Outbox, ReviewItem, Strike, Switch
from moderation.selectors import standing, verification
from moderation.services import enforcement, escalations, notices
from moderation.services import switches as service
from moderation.services.queue import ItemRef
from tests.factories import platform as p
from tests.factories import programme as f
from tests.factories.switches import WHY, proposed, returned, switched_on

pytestmark = pytest.mark.django_db

STOP, LIFT, CLEAR = SwitchKind.STOP_RATINGS, SwitchKind.LIFT_EFFECTS, SwitchKind.CLEAR_STRIKES


@pytest.fixture
def ada(clock):
    return p.administrator(clock=clock)


@pytest.fixture
def ben(clock):
    return p.administrator(clock=clock)


@pytest.fixture
def both(ada, ben):
    return ada, ben


@pytest.fixture
def american(clock):
    return f.partner(clock=clock, country="US")


@pytest.fixture
def french(clock):
    return f.partner(clock=clock, country="FR")


@pytest.fixture
def rita(american, clock):
    return f.lead(american, clock=clock)


@pytest.fixture
def luc(french, clock):
    return f.lead(french, clock=clock)


def story(number, clock, **more):
    return p.post(f"Story {number} tells of a thing that was not so.", clock=clock, **more)


def rated(post, verdict="false", *, by, clock):
    return f.rate(post, verdict, by=by, clock=clock, claim=f"The claim of {post.external_id}.")


def level_of(post, clock):
    found = standing.counting([post.actor_id], now=clock())
    return len(found.get(post.actor_id, ()))


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


def test_the_programme_ends_in_one_country_and_comes_back_as_it_was(american, rita, luc, both, clock):
    here = {"actor": "page-us", "country": "US"}
    by_them, by_others, quiet = story(1, clock, **here), story(2, clock, **here), story(3, clock, **here)
    abroad = story(4, clock, actor="page-fr", country="FR")
    rated(by_them, by=rita, clock=clock)
    for post in (by_others, abroad):
        rated(post, by=luc, clock=clock)
    waiting = story(5, clock)
    p.flag(waiting, clock=clock)
    p.settle(clock)
    clock.advance(hours=7)
    notices.deliver(now=clock())
    item = f.taken(waiting, by=rita, clock=clock)
    assert (level_of(quiet, clock), level_of(abroad, clock)) == (2, 1)
    assert [p.feed_of(x, clock=clock) for x in (by_them, by_others, quiet, abroad)] == [0.1, 0.1, 0.5, 0.2]
    before = everything()
    assert len(before["notices"]) == 3

    on = [switched_on(kind, by=both, clock=clock, country="US") for kind in (STOP, LIFT, CLEAR)]

    # Stop: their reviewers hold and take nothing, the item waits for others.
    with pytest.raises(RatingsStopped) as refused:
        leases.take(item.pk, caller=rita, now=clock())
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
    assert leases.take(item.pk, caller=rita, now=clock()).holder_id == rita.person_id
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


# ── stop ratings ───────────────────────────────────────────────────────────────────────────────────


def test_where_ratings_stop_everything_else_goes_on(american, rita, luc, both, clock):
    first, second = story(1, clock), story(2, clock)
    given = [rated(post, by=rita, clock=clock) for post in (first, second)]
    open_post = story(3, clock)
    p.flag(open_post, clock=clock)
    p.settle(clock)
    held = f.taken(open_post, by=rita, clock=clock)
    switched_on(STOP, by=both, clock=clock, organisation=american.pk)

    draft = f.draft(american, "false")
    for act in (
        lambda: leases.take_next(caller=rita, now=clock()),
        lambda: leases.take(held.pk, caller=rita, now=clock()),
        lambda: leases.renew(held.pk, caller=rita, now=clock()),
        lambda: f.taken(story(4, clock), by=rita, clock=clock),
        lambda: ratings.submit(ItemRef(held.pk, held.version), draft, caller=rita, now=clock()),
        lambda: ratings.not_eligible(ItemRef(held.pk, held.version), reason="x", caller=rita, now=clock()),
        lambda: ratings.revise(given[0].pk, f.draft(american, "altered"), caller=rita, now=clock()),
    ):
        with pytest.raises(RatingsStopped):
            act()
    softer = ratings.revise(given[0].pk, f.draft(american, "missing_context"), caller=rita, now=clock())
    ratings.withdraw(given[1].pk, reason="We were wrong.", caller=rita, now=clock())
    case, _ = escalations.open_case(
        version_id=open_post.current_version_id, ground="hate", note="See.", caller=rita, now=clock()
    )
    p.settle(clock)

    assert p.lookup(first, clock=clock)["label"] == "context"
    assert p.lookup(second, clock=clock) is None
    assert (softer.verdict, case.ground) == ("missing_context", "hate")
    assert rated(story(5, clock), by=luc, clock=clock).verdict == "false"


def test_a_stopped_verdict_is_refused_at_its_field_and_all_others_go_on(american, rita, both, clock):
    given = rated(story(1, clock), "true", by=rita, clock=clock)
    kept = f.taken(story(2, clock), by=rita, clock=clock)
    switched_on(STOP, by=both, clock=clock, country="US", outcome="partly_false")

    assert ReviewItem.objects.get(pk=kept.pk).holder_id == rita.person_id  # no work is lost
    harsher = rated(story(3, clock), "false", by=rita, clock=clock)
    for act in (
        lambda: ratings.submit(
            ItemRef(kept.pk, kept.version), f.draft(american, "partly_false"), caller=rita, now=clock()
        ),
        lambda: ratings.revise(given.pk, f.draft(american, "partly_false"), caller=rita, now=clock()),
        lambda: ratings.revise(harsher.pk, f.draft(american, "partly_false"), caller=rita, now=clock()),
    ):
        with pytest.raises(Invalid) as refused:
            act()
        assert (refused.value.field, refused.value.code) == ("verdict", "ratings_stopped")


def test_a_partner_whose_home_is_not_known_is_in_no_country(both, clock):
    nowhere = f.lead(f.partner(clock=clock), clock=clock)
    switched_on(STOP, by=both, clock=clock, country="US")

    assert rated(story(1, clock), by=nowhere, clock=clock).verdict == "false"


def test_the_dry_run_of_a_stop_counts_whom_it_reaches(american, rita, both, clock):
    f.reviewer(american, clock=clock)
    f.partner(clock=clock, languages=("en",), country="FR", certified=False)  # nobody of it may take
    f.partner(clock=clock, languages=("fr",), country="FR")
    for n, language in enumerate(("en", "en", "fr")):
        p.flag(story(n, clock, language=language), clock=clock)
    p.settle(clock)
    leases.take_next(caller=rita, now=clock())

    figures = proposed(STOP, by=both[0], clock=clock, country="US").dry_run
    assert figures["stops"] == {"organisations": 1, "people": 2, "leases": 1, "uncovered": 2}
    assert figures["ended_at"]

    figures = proposed(STOP, by=both[0], clock=clock, country="US", outcome="false").dry_run
    assert figures["stops"] == {"organisations": 1, "people": 2, "leases": 0, "uncovered": 0}


# ── lift effects ───────────────────────────────────────────────────────────────────────────────────


def test_the_dry_run_of_a_lift_says_what_viewers_there_would_see(rita, both, clock):
    posts = [story(n, clock, actor=f"page-{n}") for n in range(3)]
    for post, verdict in zip(posts, ("false", "false", "true"), strict=True):
        rated(post, verdict, by=rita, clock=clock)
    p.settle(clock)

    figures = proposed(LIFT, by=both[0], clock=clock, country="US").dry_run

    assert (figures["posts"], figures["total"], figures["changed"]) == (3, 3, 3)
    assert (figures["by"]["feed"], figures["by"]["label"], figures["by"]["articles"]) == (2, 2, 3)
    assert "countries" not in figures["by"]
    assert (figures["rise"], figures["fall"]) == (0, 0)
    changes = [change for row in figures["sample"] for change in row["changes"]]
    assert changes.count({"what": "feed", "before": 0.2, "after": 1.0}) == 2
    assert [p.feed_of(post, clock=clock) for post in posts] == [0.2, 0.2, 1.0]


def test_nobody_is_told_of_a_lifted_effect_and_nobody_twice(rita, both, clock):
    told, untold = story(1, clock, actor="page-1"), story(2, clock, actor="page-2")
    rated(told, by=rita, clock=clock)
    p.settle(clock)
    clock.advance(hours=7)
    notices.deliver(now=clock())
    rated(untold, by=rita, clock=clock)
    p.settle(clock)
    assert Notice.objects.count() == 2

    lift = switched_on(LIFT, by=both, clock=clock)
    clock.advance(hours=7)
    assert notices.deliver(now=clock()) == 0
    assert Notice.objects.count() == 2  # what was told is not withdrawn

    returned(lift, by=both[0], clock=clock)
    assert notices.deliver(now=clock()) == 0
    clock.advance(hours=7)
    assert notices.deliver(now=clock()) == 1
    assert list(Notice.objects.order_by("id").values_list("kind", "post")) == [
        (NoticeKind.RATED, told.pk), (NoticeKind.RATED, untold.pk),
    ]  # fmt: skip


def test_a_rating_withdrawn_while_it_is_lifted_is_told_to_whoever_was_told(rita, both, clock):
    post = story(1, clock)
    rating = rated(post, by=rita, clock=clock)
    p.settle(clock)
    clock.advance(hours=7)
    notices.deliver(now=clock())
    switched_on(LIFT, by=both, clock=clock)

    ratings.withdraw(rating.pk, reason="We were wrong.", caller=rita, now=clock())
    p.settle(clock)

    assert set(Notice.objects.values_list("kind", flat=True)) == {NoticeKind.RATED, NoticeKind.WITHDRAWN}
    assert p.lookup(post, clock=clock) is None


def test_what_is_rated_while_effects_are_lifted_takes_effect_with_the_return(rita, both, clock):
    lift = switched_on(LIFT, by=both, clock=clock, country="US")
    post = story(1, clock)
    rated(post, by=rita, clock=clock)
    p.settle(clock)
    assert (p.feed_of(post, clock=clock, region="US"), p.feed_of(post, clock=clock)) == (1.0, 0.2)

    returned(lift, by=both[1], clock=clock)
    assert p.feed_of(post, clock=clock, region="US") == 0.2


def test_a_removal_is_never_lifted(both, clock):
    post = story(1, clock)
    p.removed(post, clock=clock)
    switched_on(LIFT, by=both, clock=clock)

    assert p.lookup(post, clock=clock)["removed"]


def test_a_lift_for_one_partner_waits_for_all_on_whom_a_verdict_rests(
    american, french, rita, luc, both, clock
):
    post = story(1, clock)
    item = f.taken(post, by=rita, clock=clock)
    first = ratings.submit(ItemRef(item.pk, item.version), f.draft(american), caller=rita, now=clock())
    again = f.claims.pick(claim_id=first.claim_id, caller=luc, now=clock())
    again = leases.take(again.pk, caller=luc, now=clock())
    ratings.submit(ItemRef(again.pk, again.version), f.draft(french), caller=luc, now=clock())
    p.settle(clock)

    switched_on(LIFT, by=both, clock=clock, organisation=american.pk)
    assert p.feed_of(post, clock=clock) == 0.2
    switched_on(LIFT, by=both, clock=clock, organisation=french.pk)
    assert p.feed_of(post, clock=clock) == 1.0


def test_a_newer_turn_goes_on_where_an_older_one_is_on_its_way(rita, both, clock, monkeypatch):
    monkeypatch.setattr(enforcement, "FAN_OUT_BATCH", 1)
    posts = [story(n, clock, actor=f"page-{n}") for n in range(4)]
    for post in posts:
        rated(post, by=rita, clock=clock)
    p.settle(clock)
    lift = switched_on(LIFT, by=both, clock=clock, work=False)
    enforcement.drain("effects", limit=2, now=clock)
    assert FanOut.objects.get(switch=lift).done == 2

    clock.advance(seconds=1)
    returned(lift, by=both[0], clock=clock)

    older, newer = FanOut.objects.filter(switch=lift).order_by("started_at")
    assert (older.finished_at is not None, newer.finished_at is not None, newer.done) == (True, True, 4)
    assert [p.feed_of(post, clock=clock) for post in posts] == [0.2] * 4
    assert not Outbox.objects.filter(kind=OutboxKind.ROLL_OUT_SWITCH).exists()


# ── clear strikes ──────────────────────────────────────────────────────────────────────────────────


def test_cleared_strikes_count_for_nobody_elses_actors_and_come_back_with_their_time(rita, both, clock):
    posts = [story(n, clock, actor=f"page-{n % 2}", country=("US", "FR")[n % 2]) for n in range(4)]
    for post in posts:
        rated(post, by=rita, clock=clock)
    p.settle(clock)
    until = list(Strike.objects.order_by("id").values_list("counts_until", flat=True))

    made = proposed(CLEAR, by=both[0], clock=clock, country="US")
    assert (made.dry_run["fall"], made.dry_run["rise"], made.dry_run["changed"]) == (1, 0, 2)
    clear = service.confirm(made.pk, version=made.version, caller=both[1], now=clock())
    p.settle(clock)
    assert [level_of(post, clock) for post in posts[:2]] == [0, 2]
    assert [p.feed_of(post, clock=clock) for post in posts] == [0.2, 0.1, 0.2, 0.1]

    clock.advance(days=30)
    returned(clear, by=both[0], clock=clock)
    assert [level_of(post, clock) for post in posts[:2]] == [2, 2]
    assert list(Strike.objects.order_by("id").values_list("counts_until", flat=True)) == until
    clock.now = until[0] + timedelta(seconds=1)
    assert level_of(posts[0], clock) < 2


def test_an_actor_who_turns_out_to_be_elsewhere_is_judged_by_that_country(rita, both, clock):
    posts = [story(n, clock) for n in range(2)]
    for post in posts:
        rated(post, by=rita, clock=clock)
    p.settle(clock)
    switched_on(CLEAR, by=both, clock=clock, country="US")
    assert p.feed_of(posts[0], clock=clock) == 0.1

    third = story(3, clock, country="US")
    p.settle(clock)
    assert (p.feed_of(posts[0], clock=clock), p.feed_of(third, clock=clock)) == (0.2, 1.0)

    story(4, clock)  # nothing said: what is known stays
    p.settle(clock)
    assert p.feed_of(posts[0], clock=clock) == 0.2


@pytest.mark.parametrize(("scope", "left"), [({"outcome": "false"}, 1), ({"outcome": "true"}, 2)])
def test_a_clearance_of_one_verdict_leaves_the_others(scope, left, rita, both, clock):
    posts = [story(n, clock) for n in range(2)]
    for post, verdict in zip(posts, ("false", "altered"), strict=True):
        rated(post, verdict, by=rita, clock=clock)
    p.settle(clock)

    switched_on(CLEAR, by=both, clock=clock, **scope)
    assert level_of(posts[0], clock) == left


def test_a_clearance_of_one_partners_strikes_leaves_anothers(american, rita, luc, both, clock):
    posts = [story(n, clock) for n in range(2)]
    for post, by in zip(posts, (rita, luc), strict=True):
        rated(post, by=by, clock=clock)
    p.settle(clock)

    switched_on(CLEAR, by=both, clock=clock, organisation=american.pk)
    assert level_of(posts[0], clock) == 1


def test_a_strike_of_the_time_of_a_clearance_counts_after_its_return(rita, both, clock):
    clear = switched_on(CLEAR, by=both, clock=clock)
    post = story(1, clock)
    rated(post, by=rita, clock=clock)
    p.settle(clock)
    assert level_of(post, clock) == 0

    returned(clear, by=both[0], clock=clock)
    assert level_of(post, clock) == 1


def test_a_partners_home_is_a_country_that_exists(american, ada, clock):
    draft = partners.PartnerDraft("x", "X", ["en"], [], ["x.example"], country="XQ")

    with pytest.raises(Invalid) as refused:
        partners.change(american.pk, draft, caller=ada, now=clock())
    assert refused.value.field == "country"


def test_nothing_to_take_is_not_the_answer_where_ratings_stop(rita, luc, both, clock):
    switched_on(STOP, by=both, clock=clock, country="US")

    with pytest.raises(RatingsStopped):
        leases.take_next(caller=rita, now=clock())
    with pytest.raises(NothingToTake):
        leases.take_next(caller=luc, now=clock())
