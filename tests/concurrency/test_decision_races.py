"""Two decisions at the same moment, and workers in between: late is allowed, wrong is not."""

from threading import Event, Timer, get_ident

import pytest

from factcheck.models import Claim, Membership, Rating
from factcheck.services import leases, matches, people, ratings
from factcheck.services import partners as organisations
from factcheck.services.claims import ClaimDraft
from factcheck.services.ratings import RatingDraft
from moderation.models import Decision, Outbox, ReviewItem
from moderation.services import changes, effects, enforcement, outbox
from moderation.services.queue import ItemRef
from tests.concurrency.at_once import at_once, done, refused
from tests.factcheck import oracle
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db(transaction=True)

COPIED = "Breaking: the town well is poisoned and nobody tells you the truth about it"


@pytest.fixture
def partners(clock):
    return [f.partner(clock=clock) for _ in range(3)]


@pytest.fixture
def reviewers(partners, clock):
    return [f.lead(partner, clock=clock) for partner in partners]


def named(partner, claim: Claim, verdict: str = "false") -> RatingDraft:
    made = f.draft(partner, verdict)
    return RatingDraft(**{**made.__dict__, "claim": ClaimDraft(id=claim.pk)})


def settled(clock) -> None:
    p.settle(clock)
    oracle.check_states(now=clock())
    oracle.check_feed()
    oracle.check_queue()


def test_two_partners_who_rate_one_claim_at_once_are_both_heard(partners, reviewers, clock):
    first = f.rate(p.post("Somewhere a bridge fell.", clock=clock), by=reviewers[0], clock=clock)
    ratings.withdraw(first.pk, reason="Too early.", caller=reviewers[0], now=clock())
    claim = Claim.objects.get()
    posts = [p.post(f"They say in town {n} that the bridge fell.", clock=clock) for n in (1, 2)]
    p.settle(clock)
    items = [f.taken(post, by=by, clock=clock) for post, by in zip(posts, reviewers[1:], strict=True)]

    results = at_once(
        [
            lambda i=i, v=v: ratings.submit(
                ItemRef(items[i].pk, items[i].version),
                named(partners[i + 1], claim, v),
                caller=reviewers[i + 1],
                now=clock(),
            )
            for i, v in enumerate(("false", "true"))
        ]
    )

    assert refused(results) == []
    settled(clock)
    assert {p.lookup(post, clock=clock)["label"] for post in posts} == {"disputed"}
    assert not ReviewItem.objects.filter(status="open", kind="review").exists()
    assert ReviewItem.objects.filter(status="open", kind="conflict").count() == 1


def test_a_reviewer_who_names_a_claim_and_the_worker_that_finds_the_copy_do_not_lock_each_other_out(
    partners, reviewers, clock
):
    original = p.post(COPIED, clock=clock)
    p.settle(clock)
    first = f.rate(original, by=reviewers[0], clock=clock)
    ratings.undo(first.pk, caller=reviewers[0], now=clock())  # leaves the claim with an open item
    claim = Claim.objects.get()
    copies = [p.post(COPIED, clock=clock, actor=f"page-{n}") for n in range(4)]
    items = [f.taken(copy, by=reviewers[1], clock=clock) for copy in copies]

    results = at_once(
        [
            *[
                lambda item=item: ratings.submit(
                    ItemRef(item.pk, item.version),
                    named(partners[1], claim),
                    caller=reviewers[1],
                    now=clock(),
                )
                for item in items
            ],
            *[lambda: enforcement.drain("matching", limit=50, now=clock) for _ in range(3)],
        ]
    )

    assert len([r for r in done(results) if isinstance(r, Rating)]) <= 1
    assert not Outbox.objects.exclude(error="").exists(), list(Outbox.objects.values("kind", "error"))
    settled(clock)


def test_an_undo_and_another_partners_rating_of_the_same_claim_both_happen(partners, reviewers, clock):
    post = p.post(clock=clock)
    rating = f.rate(post, by=reviewers[0], clock=clock)
    p.settle(clock)
    item = f.taken(post, by=reviewers[1], clock=clock)

    results = at_once(
        [
            lambda: ratings.undo(rating.pk, caller=reviewers[0], now=clock()),
            lambda: ratings.submit(
                ItemRef(item.pk, item.version),
                named(partners[1], rating.claim, "partly_false"),
                caller=reviewers[1],
                now=clock(),
            ),
        ]
    )

    assert refused(results) == []
    settled(clock)
    assert p.lookup(post, clock=clock)["multipliers"]["feed"] == 0.5


def test_of_a_revision_and_a_withdrawal_at_once_one_is_refused(partners, reviewers, clock):
    rating = f.rate(p.post(clock=clock), by=reviewers[0], clock=clock)

    results = at_once(
        [
            lambda: ratings.revise(rating.pk, f.draft(partners[0], "true"), caller=reviewers[0], now=clock()),
            lambda: ratings.withdraw(rating.pk, reason="Wrong.", caller=reviewers[0], now=clock()),
            lambda: ratings.revise(
                rating.pk, f.draft(partners[0], "satire"), caller=reviewers[0], now=clock()
            ),
        ]
    )

    assert refused(results) == ["not_in_force"] * 2
    assert Decision.objects.filter(kind="standing_verdict", superseded_by__isnull=True).count() == 1
    settled(clock)


def test_two_drains_at_once_do_each_row_once(clock, monkeypatch):
    posts = [p.post(f"Post {n}.", clock=clock) for n in range(40)]
    p.settle(clock)
    asked: list[object] = []
    recompute = effects.recompute
    monkeypatch.setattr(
        effects, "recompute", lambda ids, **more: (asked.extend(ids), recompute(ids, **more))[1]
    )
    outbox.put("recompute_post", [post.pk for post in posts], now=clock())

    done_rows = at_once([lambda: enforcement.drain("effects", limit=100, now=clock) for _ in range(4)])

    assert sum(done_rows) == 40
    assert sorted(map(str, asked)) == sorted(str(post.pk) for post in posts)


def test_a_recompute_never_overwrites_what_a_newer_decision_says(partners, reviewers, clock):
    post = p.post(clock=clock)
    rating = f.rate(post, by=reviewers[0], clock=clock)

    def change_the_mind() -> None:
        known = rating
        for verdict in ("true", "false", "partly_false", "missing_context", "false", "altered"):
            known = ratings.revise(known.pk, f.draft(partners[0], verdict), caller=reviewers[0], now=clock())

    def work() -> None:
        for _ in range(12):
            enforcement.drain("effects", limit=3, now=clock)
            changes.sequence()

    at_once([change_the_mind, work, work])

    settled(clock)
    assert p.feed_of(post, clock=clock) == 0.2


def test_two_who_confirm_and_reject_the_same_match_leave_what_the_last_one_said(partners, reviewers, clock):
    claim = f.rate(p.post("A bridge fell.", clock=clock), by=reviewers[0], clock=clock).claim
    other = p.post("A tower fell.", clock=clock)
    match = matches.confirm(claim, other.current_version, caller=reviewers[0], now=clock())

    at_once(
        [
            lambda: matches.reject(match.pk, caller=reviewers[1], now=clock()),
            lambda: matches.confirm(claim, other.current_version, caller=reviewers[2], now=clock()),
            lambda: enforcement.drain("effects", limit=10, now=clock),
        ]
    )

    settled(clock)
    assert p.lookup(other, clock=clock) is None


@pytest.mark.parametrize("whom", ["partner", "person"])
def test_whoever_is_suspended_while_they_take_holds_nothing(partners, reviewers, clock, whom):
    for number in range(3):
        p.flag(p.post(f"Post {number}.", clock=clock), clock=clock)
    admin = p.administrator(clock=clock)
    rita = f.reviewer(partners[0], clock=clock)
    place = Membership.objects.get(person_id=rita.person_id)

    at_once(
        [
            lambda: (
                organisations.suspend(partners[0].pk, caller=admin, now=clock())
                if whom == "partner"
                else people.suspend(place.pk, caller=admin, now=clock())
            ),
            *[lambda: leases.take_next(caller=rita, now=clock())] * 3,
        ]
    )

    assert not ReviewItem.objects.filter(holder_id=rita.person_id).exists()


def test_a_worker_that_still_writes_what_an_actors_level_was_is_waited_for(reviewers, clock, monkeypatch):
    """A strike comes and goes while one worker has computed its effect on another post, and not stored it."""
    other = p.post("Good morning.", clock=clock)
    f.rate(p.post("One.", clock=clock), by=reviewers[0], clock=clock, claim="One.")
    p.settle(clock)
    second = f.rate(p.post("Two.", clock=clock), by=reviewers[0], clock=clock, claim="Two.")
    computed, go_on, dawdler = Event(), Event(), []
    store = effects._store

    def dawdle(changes, **more):
        if get_ident() in dawdler and any(str(other.pk) in change.post_ids for change in changes):
            computed.set()
            assert go_on.wait(timeout=30)
        return store(changes, **more)

    def first_worker() -> None:
        dawdler.append(get_ident())
        enforcement.drain("effects", limit=20, now=clock)

    def second_worker() -> None:
        assert computed.wait(timeout=30)
        ratings.withdraw(second.pk, reason="Wrong.", caller=reviewers[0], now=clock())
        Timer(1.0, go_on.set).start()
        enforcement.drain("effects", limit=20, now=clock)
        go_on.set()

    monkeypatch.setattr(effects, "_store", dawdle)
    at_once([first_worker, second_worker])

    settled(clock)
    assert p.lookup(other, clock=clock) is None
