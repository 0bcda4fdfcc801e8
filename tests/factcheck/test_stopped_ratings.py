"""Where new ratings stop: what is refused, what goes on, whom it reaches."""

import pytest
from django.urls import reverse

from factcheck.services import leases, partners, ratings
from factcheck.services.partners import RatingsStopped
from moderation.errors import Invalid, NothingToTake
from moderation.models import ReviewItem
from moderation.services import escalations
from moderation.services.queue import ItemRef
from tests.factcheck.switch_fixtures import STOP, rated, story
from tests.factories import platform as p
from tests.factories import programme as f
from tests.factories.switches import proposed, switched_on

pytestmark = pytest.mark.django_db


def test_where_ratings_stop_everything_else_goes_on(american, uma, luc, both, clock):
    first, second = story(1, clock), story(2, clock)
    given = [rated(post, by=uma, clock=clock) for post in (first, second)]
    open_post = story(3, clock)
    p.flag(open_post, clock=clock)
    p.settle(clock)
    held = f.taken(open_post, by=uma, clock=clock)
    switched_on(STOP, by=both, clock=clock, organisation=american.pk)

    draft = f.draft(american, "false")
    for act in (
        lambda: leases.take_next(caller=uma, now=clock()),
        lambda: leases.take(held.pk, caller=uma, now=clock()),
        lambda: leases.renew(held.pk, caller=uma, now=clock()),
        lambda: f.taken(story(4, clock), by=uma, clock=clock),
        lambda: ratings.submit(ItemRef(held.pk, held.version), draft, caller=uma, now=clock()),
        lambda: ratings.not_eligible(ItemRef(held.pk, held.version), reason="x", caller=uma, now=clock()),
        lambda: ratings.revise(given[0].pk, f.draft(american, "altered"), caller=uma, now=clock()),
    ):
        with pytest.raises(RatingsStopped):
            act()
    softer = ratings.revise(given[0].pk, f.draft(american, "missing_context"), caller=uma, now=clock())
    ratings.withdraw(given[1].pk, reason="We were wrong.", caller=uma, now=clock())
    case, _ = escalations.open_case(
        version_id=open_post.current_version_id, ground="hate", note="See.", caller=uma, now=clock()
    )
    p.settle(clock)

    assert p.lookup(first, clock=clock)["label"] == "context"
    assert p.lookup(second, clock=clock) is None
    assert (softer.verdict, case.ground) == ("missing_context", "hate")
    assert rated(story(5, clock), by=luc, clock=clock).verdict == "false"


def test_a_stopped_verdict_is_refused_at_its_field_and_all_others_go_on(american, uma, both, clock):
    given = rated(story(1, clock), "true", by=uma, clock=clock)
    kept = f.taken(story(2, clock), by=uma, clock=clock)
    switched_on(STOP, by=both, clock=clock, country="US", outcome="partly_false")

    assert ReviewItem.objects.get(pk=kept.pk).holder_id == uma.person_id  # no work is lost
    harsher = rated(story(3, clock), "false", by=uma, clock=clock)
    for act in (
        lambda: ratings.submit(
            ItemRef(kept.pk, kept.version), f.draft(american, "partly_false"), caller=uma, now=clock()
        ),
        lambda: ratings.revise(given.pk, f.draft(american, "partly_false"), caller=uma, now=clock()),
        lambda: ratings.revise(harsher.pk, f.draft(american, "partly_false"), caller=uma, now=clock()),
    ):
        with pytest.raises(Invalid) as refused:
            act()
        assert (refused.value.field, refused.value.code) == ("verdict", "ratings_stopped")


def test_a_partner_whose_home_is_not_known_is_in_no_country(both, clock):
    nowhere = f.lead(f.partner(clock=clock), clock=clock)
    switched_on(STOP, by=both, clock=clock, country="US")

    assert rated(story(1, clock), by=nowhere, clock=clock).verdict == "false"


def test_the_dry_run_of_a_stop_counts_whom_it_reaches(american, uma, both, clock):
    f.reviewer(american, clock=clock)
    f.partner(clock=clock, languages=("en",), country="FR", certified=False)  # nobody of it may take
    f.partner(clock=clock, languages=("fr",), country="FR")
    for n, language in enumerate(("en", "en", "fr")):
        p.flag(story(n, clock, language=language), clock=clock)
    p.settle(clock)
    leases.take_next(caller=uma, now=clock())

    figures = proposed(STOP, by=both[0], clock=clock, country="US").dry_run
    assert figures["stops"] == {"organisations": 1, "people": 2, "leases": 1, "uncovered": 2}
    assert figures["ended_at"]

    figures = proposed(STOP, by=both[0], clock=clock, country="US", outcome="false").dry_run
    assert figures["stops"] == {"organisations": 1, "people": 2, "leases": 0, "uncovered": 0}


def test_a_partners_home_is_a_country_that_exists(american, ada, clock):
    draft = partners.PartnerDraft("x", "X", ["en"], [], ["x.example"], country="XQ")

    with pytest.raises(Invalid) as refused:
        partners.change(american.pk, draft, caller=ada, now=clock())
    assert refused.value.field == "country"


def test_nothing_to_take_is_not_the_answer_where_ratings_stop(uma, luc, both, clock):
    switched_on(STOP, by=both, clock=clock, country="US")

    with pytest.raises(RatingsStopped):
        leases.take_next(caller=uma, now=clock())
    with pytest.raises(NothingToTake):
        leases.take_next(caller=luc, now=clock())


def test_a_reviewer_reads_on_the_page_why_nothing_can_be_taken(partner, rita, hers, wall):
    post = story(1, wall)
    p.flag(post, clock=wall)
    p.settle(wall)
    item = f.taken(post, by=rita, clock=wall)
    two = p.administrator(clock=wall), p.administrator(clock=wall)
    switched_on(STOP, by=two, clock=wall, organisation=partner.pk)

    page = hers.get(reverse("factcheck:triage")).content.decode()
    assert f"The platform has stopped new ratings of {partner.name}" in page
    assert "You can read, not take." in page
    assert hers.get(reverse("factcheck:triage_item", args=[item.pk])).status_code == 200


def test_a_stop_says_whom_it_reaches_before_it_is_confirmed(partner, rita, door, wall):
    ada, ben = p.administrator(clock=wall), p.administrator(clock=wall)
    door(ada).post(
        "/switches/", {"kind": "stop_ratings", "organisation": partner.pk, "reason": "It asked for it."}
    )

    page = door(ben).get("/switches/").content.decode()

    assert f"Stop new ratings of {partner.name}" in page
    assert "1 partner rates nothing new." in page
    assert "1 person is kept from it." in page
    assert "Turn the second key" in page
