"""Policy versions: what one may say, how it comes into force, what it changes and how it goes back."""

import copy
from datetime import timedelta

import pytest

from moderation import policy
from moderation.enums import OutboxKind
from moderation.errors import Invalid
from moderation.models import EffectiveState, FanOut, Outbox, ReviewItem
from moderation.selectors import distribution, policies, verification
from moderation.services import effects, enforcement
from moderation.services import policies as service
from tests.factories import platform as p
from tests.factories.policies import approved, changed, claim, v1

pytestmark = pytest.mark.django_db


def test_version_1_may_follow_itself():
    assert policy.faults(v1(), after=v1()) == []


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("verdicts.false.multiplier.feed", 10_001, "at most 10000"),
        ("verdicts.false.multiplier.feed", -1, "at least 0"),
        ("verdicts.false.multiplier.feed", 0.5, "type integer"),
        ("verdicts.false.label", "shouting", "one of"),
        ("floor.feed", 0, "at least 1"),
        ("desk.hide_hours", 25, "at most 24"),
        ("desk.realert_hours", [2, 12, 24], "before the hide ends"),
        ("desk.realert_hours", [12, 2], "rising order"),
        ("strikes.levels.1.at", 1, "more strikes"),
        ("strikes.levels.2.multiplier", 6000, "more distribution"),
        ("strikes.levels.2.level", "notice", "notice to severe"),
        ("lease.minutes", 61, "longest"),
        ("priority.harm.violence", 0, "at least 0.1"),
        ("priority.reliability.least", 3.0, "above the most"),
    ],
)
def test_a_number_out_of_its_range_is_refused_by_its_path(path, value, words):
    (fault,) = policy.faults(changed({path: value}), after=v1())

    assert fault.path == path
    assert words in fault.message


def test_what_is_missing_and_what_is_too_much_is_named():
    data = v1()
    del data["floor"]["search"]
    assert [f.path for f in policy.faults(data, after=v1())] == ["floor.search"]

    data = v1() | {"mood": 1}
    assert "mood" in policy.faults(data, after=v1())[0].message


def test_no_verdict_loses_its_rule_because_decisions_in_force_name_it():
    data = v1()
    del data["verdicts"]["satire"]

    assert [f.path for f in policy.faults(data, after=v1())] == ["verdicts.satire"]


def test_a_countrys_rule_is_for_a_verdict_and_a_country_that_exist(clock, ada):
    rule = {k: v for k, v in v1()["verdicts"]["true"].items() if k not in ("strike", "article", "flag")}
    assert (
        policy.faults(v1() | {"countries": {"US": {"wrong": rule}}}, after=v1())[0].path
        == "countries.US.wrong"
    )

    with pytest.raises(Invalid) as refused:
        service.draft(base=1, data=v1() | {"countries": {"XQ": {"false": rule}}}, caller=ada, now=clock())
    assert refused.value.field == "data.countries"


def test_the_difference_of_two_policies_is_a_list_of_paths():
    found = policy.difference(
        v1(), changed({"verdicts.false.multiplier.feed": 3000, "desk.realert_hours": [1]})
    )

    assert [(c.path, c.before, c.after) for c in found] == [
        ("verdicts.false.multiplier.feed", 2000, 3000),
        ("desk.realert_hours", [2, 12, 20], [1]),
    ]


def test_of_the_versions_that_have_begun_the_highest_number_holds(clock, ada, ben):
    later = clock() + timedelta(days=7)
    scheduled = approved({"cool_off_days": 10}, by=(ada, ben), clock=clock, valid_from=later)
    urgent = approved({"cool_off_days": 20}, by=(ben, ada), clock=clock)

    assert (scheduled.number, urgent.number) == (2, 3)
    assert policies.at(clock()).number == 3
    assert policies.at(later + timedelta(days=1)).number == 3
    assert [(h.version.number, h.state(clock())) for h in policies.history()] == [
        (3, "in_force"), (2, "never"), (1, "over"),
    ]  # fmt: skip


def test_a_version_begins_at_its_date_and_not_before(clock, ada, ben):
    when = clock() + timedelta(hours=5)
    approved({"verdicts.false.multiplier.feed": 4000}, by=(ada, ben), clock=clock, valid_from=when)
    post = p.post(clock=clock)
    p.rated(post, "false", clock=clock)
    p.settle(clock)
    assert p.feed_of(post, clock=clock) == 0.2

    clock.advance(hours=4, minutes=59)
    p.sweep(clock), p.settle(clock)
    assert p.feed_of(post, clock=clock) == 0.2

    clock.advance(minutes=1)
    p.sweep(clock), p.sweep(clock)
    assert Outbox.objects.filter(kind=OutboxKind.ROLL_OUT_POLICY).count() == 1
    p.settle(clock)
    assert p.feed_of(post, clock=clock) == 0.4
    assert EffectiveState.objects.get(post=post).document["policy_version"] == 2
    assert list(verification.faults(now=clock())) == []


def test_a_return_to_the_older_version_is_a_new_version_that_brings_the_same_effects_back(clock, ada, ben):
    post = p.post(clock=clock)
    p.rated(post, "false", clock=clock)
    p.settle(clock)
    before = EffectiveState.objects.get(post=post).document

    approved(
        {"verdicts.false.multiplier.feed": 9000, "verdicts.false.interstitial": False},
        by=(ada, ben),
        clock=clock,
    )
    assert EffectiveState.objects.get(post=post).document["interstitial"] is False
    clock.advance(minutes=1)
    back = approved({}, data=v1(), by=(ben, ada), clock=clock)

    assert EffectiveState.objects.get(post=post).document == before | {"policy_version": back.number}
    assert list(verification.faults(now=clock())) == []
    assert list(verification.feed_faults()) == []


def test_a_rollout_reaches_posts_that_only_their_authors_strikes_touch(clock, ada, ben):
    post = p.post(clock=clock)
    p.rated(post, "false", clock=clock)
    quiet = p.post(text="Nothing at all is wrong with this one here.", clock=clock)
    p.settle(clock)
    assert EffectiveState.objects.get(post=quiet).document is None

    approved({"strikes.levels.0.multiplier": 5000}, by=(ada, ben), clock=clock)

    assert p.feed_of(quiet, clock=clock) == 0.5
    assert list(verification.faults(now=clock())) == []


def test_a_rollout_reaches_posts_whose_effect_is_still_being_computed(clock, ada, ben):
    post = p.post(clock=clock)
    p.settle(clock)
    p.rated(post, clock=clock)
    Outbox.objects.filter(queue="effects").delete()  # in the hands of a worker that has not committed

    approved({"verdicts.false.multiplier.feed": 3000}, by=(ada, ben), clock=clock)

    assert EffectiveState.objects.get(post=post).document["policy_version"] == 2


def test_new_weights_rank_the_open_items_again(clock, ada, ben):
    post = p.post(clock=clock)
    p.flag(post, clock=clock)
    p.settle(clock)
    before = ReviewItem.objects.get().rank

    approved({"priority.harm.false_information": 50}, by=(ada, ben), clock=clock)

    assert ReviewItem.objects.get().rank > before


def test_a_rollout_goes_on_where_its_worker_stopped_and_shows_its_progress(clock, ada, ben, monkeypatch):
    monkeypatch.setattr(enforcement, "FAN_OUT_BATCH", 2)
    for number in range(5):
        p.rated(
            claim(number, clock),
            "false",
            clock=clock,
        )
    p.settle(clock)
    approved({"verdicts.false.multiplier.feed": 3000}, by=(ada, ben), clock=clock, work=False)

    enforcement.drain("effects", limit=1, now=clock)
    progress = FanOut.objects.get(policy=2)
    assert (progress.done, progress.finished_at) == (2, None)

    p.settle(clock)
    progress.refresh_from_db()
    assert progress.done == progress.total == 5
    assert progress.finished_at is not None
    assert set(EffectiveState.objects.filter(document__isnull=False).values_list("feed_bp", flat=True)) == {
        3000
    }


def test_a_newer_version_ends_the_rollout_of_an_older_one(clock, ada, ben, monkeypatch):
    monkeypatch.setattr(enforcement, "FAN_OUT_BATCH", 2)
    for number in range(4):
        p.rated(
            claim(number, clock),
            "false",
            clock=clock,
        )
    p.settle(clock)
    approved({"verdicts.false.multiplier.feed": 3000}, by=(ada, ben), clock=clock, work=False)
    enforcement.drain("effects", limit=1, now=clock)
    approved({"verdicts.false.multiplier.feed": 4000}, by=(ben, ada), clock=clock, work=False)

    p.settle(clock)

    assert set(EffectiveState.objects.filter(document__isnull=False).values_list("feed_bp", flat=True)) == {
        4000
    }
    assert not FanOut.objects.filter(finished_at__isnull=True, policy__isnull=False).exists()
    assert list(verification.faults(now=clock())) == []


def test_a_recompute_that_waited_does_not_bring_an_older_policy_back(clock, ada, ben):
    post = p.post(clock=clock)
    p.rated(post, "false", clock=clock)
    p.settle(clock)
    read_at = clock()
    clock.advance(seconds=2)
    approved({"verdicts.false.multiplier.feed": 3000}, by=(ada, ben), clock=clock)

    effects.recompute([post.pk], now=read_at)

    assert p.feed_of(post, clock=clock) == 0.3


# ── rules for one country ──────────────────────────────────────────────────────────────────────────


def test_a_country_with_rules_of_its_own_is_served_by_them_and_the_world_by_its_own(clock, ada, ben):
    post = p.post(clock=clock)
    p.rated(post, "false", clock=clock)
    milder = {
        k: v for k, v in v1()["verdicts"]["missing_context"].items() if k not in ("strike", "article", "flag")
    }
    data = copy.deepcopy(v1()) | {"countries": {"US": {"false": milder}}}
    approved({}, data=data, by=(ada, ben), clock=clock)

    def served(region, preference="default"):
        (answer,) = distribution.lookup([str(post.pk)], region=region, preference=preference, now=clock())
        return answer.document

    assert served("")["multipliers"]["feed"] == served("FR")["multipliers"]["feed"] == 0.2
    assert served("")["regional"] is True
    for region in ("US", "US-TX"):
        here = served(region)
        assert (here["multipliers"]["feed"], here["label"], here["interstitial"], here["ads"]) == (
            1.0, "context", False, True,
        )  # fmt: skip
        assert here["articles"]
    assert served("US", "reduce_more")["multipliers"]["feed"] == 0.5
    assert served("FR", "reduce_more")["multipliers"]["feed"] == 0.1
    assert list(verification.faults(now=clock())) == []


def test_a_policy_that_says_nothing_about_countries_makes_no_regional_effect(clock):
    post = p.post(clock=clock)
    p.rated(post, "false", clock=clock)
    p.settle(clock)

    assert EffectiveState.objects.get(post=post).document["regions"] == {}
