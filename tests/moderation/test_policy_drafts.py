"""Policy drafts: tried on the real data, proposed with reasons, judged by another administrator."""

import threading

import pytest
from django.db import IntegrityError, connection, transaction

from moderation.enums import OutboxKind, PolicyStatus
from moderation.errors import Conflict, Invalid, Refused, StaleItem
from moderation.models import AuditRow, EffectiveState, Outbox, PolicyDraft, PolicyVersion
from moderation.services import enforcement
from moderation.services import policies as service
from tests.factories import platform as p
from tests.factories.policies import approved, changed, claim, proposed, v1

pytestmark = pytest.mark.django_db


def test_the_dry_run_says_what_would_change_and_stores_nothing_else(clock, ada):
    rated = [claim(n, clock) for n in range(3)]
    for post in rated[:2]:
        p.rated(post, "false", clock=clock)
    p.rated(rated[2], "satire", clock=clock)
    p.settle(clock)
    states = list(EffectiveState.objects.order_by("post_id").values())
    draft = service.draft(
        base=1,
        data=changed({
            "verdicts.false.multiplier.feed": 1000, "verdicts.satire.label": "context", "verdicts.satire.ads": False,
            "strikes.levels.0.at": 2, "strikes.levels.1.at": 3,
        }),
        caller=ada, now=clock(),
    )  # fmt: skip

    service.dry_run(draft.pk, version=1, caller=ada, now=clock())
    p.settle(clock)

    found = PolicyDraft.objects.get().dry_run
    assert (found["posts"], found["total"], found["changed"]) == (3, 3, 3)
    assert found["by"] == {"feed": 2, "actor_level": 2, "label": 1, "ads": 1, "ads_allowed": 1}
    assert (found["rise"], found["fall"]) == (0, 2)
    assert {s["post"] for s in found["sample"]} == {str(post.pk) for post in rated}
    assert found["ended_at"]
    assert list(EffectiveState.objects.order_by("post_id").values()) == states
    assert PolicyVersion.objects.count() == 1


def test_the_dry_run_tells_exactly_what_the_rollout_then_does(clock, ada, ben):
    posts = [claim(n, clock) for n in range(4)]
    for post, verdict in zip(posts, ("false", "partly_false", "satire", "missing_context"), strict=True):
        p.rated(post, verdict, clock=clock)
    p.settle(clock)
    before = dict(EffectiveState.objects.values_list("post_id", "document"))

    version = approved(
        {"verdicts.partly_false.multiplier.feed": 1000, "verdicts.missing_context.interstitial": True},
        by=(ada, ben), clock=clock,
    )  # fmt: skip

    after = dict(EffectiveState.objects.values_list("post_id", "document"))
    really = [i for i in before if before[i] != after[i] | {"policy_version": 1}]
    foretold = version.draft.dry_run
    assert foretold["changed"] == len(really) == 2
    assert {s["post"] for s in foretold["sample"]} == {str(i) for i in really}


def test_a_dry_run_ends_when_the_draft_says_something_else(clock, ada, monkeypatch):
    monkeypatch.setattr(enforcement, "DRY_RUN_BATCH", 1)
    for number in range(3):
        p.rated(
            claim(number, clock),
            "false",
            clock=clock,
        )
    p.settle(clock)
    draft = service.draft(base=1, data=changed({"cool_off_days": 1}), caller=ada, now=clock())
    service.dry_run(draft.pk, version=1, caller=ada, now=clock())
    enforcement.drain("maintenance", limit=1, now=clock)

    service.change(
        draft.pk,
        version=2,
        data=changed({"cool_off_days": 2}),
        reason="",
        valid_from=None,
        caller=ada,
        now=clock(),
    )
    p.settle(clock)

    assert PolicyDraft.objects.get().dry_run is None
    assert not Outbox.objects.filter(kind=OutboxKind.DRY_RUN_POLICY).exists()


def test_a_draft_is_proposed_only_with_a_change_a_reason_and_a_dry_run_that_ended(clock, ada):
    draft = service.draft(base=1, caller=ada, now=clock())
    with pytest.raises(Conflict) as no_change:
        service.propose(draft.pk, version=1, caller=ada, now=clock())
    assert no_change.value.code == "no_change"

    service.change(
        draft.pk,
        version=1,
        data=changed({"cool_off_days": 2}),
        reason=" ",
        valid_from=None,
        caller=ada,
        now=clock(),
    )
    with pytest.raises(Invalid) as no_reason:
        service.propose(draft.pk, version=2, caller=ada, now=clock())
    assert no_reason.value.field == "reason"

    service.change(
        draft.pk,
        version=2,
        data=changed({"cool_off_days": 2}),
        reason="Why",
        valid_from=None,
        caller=ada,
        now=clock(),
    )
    with pytest.raises(Conflict) as no_dry_run:
        service.propose(draft.pk, version=3, caller=ada, now=clock())
    assert no_dry_run.value.code == "no_dry_run"
    draft.refresh_from_db()
    assert (draft.status, draft.version) == (PolicyStatus.DRAFT, 3)


def test_nobody_approves_their_own_draft_neither_by_the_service_nor_by_the_database(clock, ada):
    draft = proposed({"cool_off_days": 2}, by=ada, clock=clock)

    with pytest.raises(Refused, match="you wrote this"):
        service.approve(draft.pk, version=draft.version, caller=ada, now=clock())
    with pytest.raises(IntegrityError), transaction.atomic():
        PolicyVersion.objects.create(
            number=2, data=v1(), valid_from=clock(), author_id=ada.person_id, approver_id=ada.person_id
        )
    assert PolicyVersion.objects.count() == 1


def test_only_its_author_changes_a_draft_and_only_an_administrator_makes_one(clock, ada, ben):
    draft = service.draft(base=1, caller=ada, now=clock())

    with pytest.raises(Refused, match="Only its author"):
        service.change(draft.pk, version=1, data=v1(), reason="", valid_from=None, caller=ben, now=clock())
    with pytest.raises(Refused):
        service.draft(base=1, caller=p.specialist(clock=clock), now=clock())


def test_a_draft_read_before_it_changed_is_not_approved(clock, ada, ben):
    draft = proposed({"cool_off_days": 2}, by=ada, clock=clock)

    with pytest.raises(StaleItem):
        service.approve(draft.pk, version=draft.version - 1, caller=ben, now=clock())


def test_a_draft_on_a_version_that_another_followed_is_not_approved(clock, ada, ben):
    first = proposed({"cool_off_days": 2}, by=ada, clock=clock)
    second = proposed({"cool_off_days": 3}, by=ada, clock=clock)
    service.approve(first.pk, version=first.version, caller=ben, now=clock())

    with pytest.raises(Conflict) as late:
        service.approve(second.pk, version=second.version, caller=ben, now=clock())

    assert late.value.code == "not_latest"
    assert PolicyVersion.objects.count() == 2


def test_a_refusal_says_why_and_ends_the_draft(clock, ada, ben):
    draft = proposed({"cool_off_days": 2}, by=ada, clock=clock)

    with pytest.raises(Invalid):
        service.refuse(draft.pk, version=draft.version, reason="  ", caller=ben, now=clock())
    service.refuse(draft.pk, version=draft.version, reason="Too short a time.", caller=ben, now=clock())

    draft.refresh_from_db()
    assert (draft.status, draft.refusal) == (PolicyStatus.REFUSED, "Too short a time.")
    with pytest.raises(Conflict):
        service.approve(draft.pk, version=draft.version, caller=ben, now=clock())


def test_every_step_is_in_the_audit_log_without_words(clock, ada, ben):
    version = approved({"cool_off_days": 2}, by=(ada, ben), clock=clock)

    events = AuditRow.objects.filter(subject=str(version.draft.pk)).order_by("id")
    assert [row.event for row in events] == ["policy_drafted", "policy_proposed", "policy_approved"]
    assert events.last().data == {"number": 2}


@pytest.mark.django_db(transaction=True)
def test_two_administrators_who_approve_two_drafts_at_once_make_one_version(clock):
    ada, ben = p.administrator(clock=clock), p.administrator(clock=clock)
    drafts = [proposed({"cool_off_days": n}, by=by, clock=clock) for n, by in ((2, ada), (3, ben))]
    said = []
    barrier = threading.Barrier(2)

    def approve(draft, by):
        try:
            barrier.wait(5)
            said.append(service.approve(draft.pk, version=draft.version, caller=by, now=clock()).number)
        except Conflict as no:
            said.append(no.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=approve, args=pair) for pair in zip(drafts, (ben, ada), strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)

    assert sorted(map(str, said)) == ["2", "not_latest"]
    assert PolicyVersion.objects.count() == 2
