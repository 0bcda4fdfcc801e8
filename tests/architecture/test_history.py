"""What was decided is only added to, and nothing happens without its row in the audit log."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, models, transaction
from django.db.models import CheckConstraint, UniqueConstraint

from factcheck.enums import MembershipRole
from factcheck.models import Membership, Rating
from factcheck.services import leases, matches, partners, people, ratings
from launcher.postgres import RUNTIME
from moderation.caller import SYSTEM
from moderation.enums import DeskAction, Ground, Role
from moderation.models import ChangeFeed, Decision, EffectiveState
from moderation.services import audit, changes, escalations, flags, notices, posts, signals
from moderation.services import people as accounts
from moderation.services.escalations import CaseRef
from moderation.services.queue import ItemRef
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db

OURS = ("moderation", "factcheck")
WORDS = {"explanation": "Calls for an attack.", "policy_section": "Violence 1"}


def our_models() -> list[type[models.Model]]:
    from django.apps import apps

    return [model for label in OURS for model in apps.get_app_config(label).get_models()]


@pytest.mark.parametrize("model", our_models(), ids=lambda m: m.__name__)
def test_every_constraint_has_a_sentence_for_a_person(model):
    silent = [
        constraint.name
        for constraint in model._meta.constraints
        if isinstance(constraint, CheckConstraint | UniqueConstraint)
        and constraint.violation_error_message == constraint.default_violation_error_message
    ]

    assert silent == []


@pytest.mark.parametrize("model", our_models(), ids=lambda m: m.__name__)
def test_a_row_that_others_rest_on_is_never_deleted_with_something_else(model):
    """No cascade: the record outlives post, person and organisation (ESC-05)."""
    cascading = [
        field.name
        for field in model._meta.get_fields()
        if isinstance(field, models.ForeignKey)
        and field.remote_field.on_delete is not models.PROTECT
        and field.model is model
    ]

    assert cascading == []


class Flow:
    """Everybody does their work once: from a flag to a rating, its end, and a removal and its end."""

    def __init__(self, clock) -> None:
        self.clock = clock
        self.partner = f.partner(clock=clock)
        self.rita = f.reviewer(self.partner, clock=clock)
        self.lena = f.lead(f.partner(clock=clock), clock=clock)
        self.paula, self.piet = p.specialist(clock=clock), p.specialist(clock=clock)
        self.mira = p.member(clock=clock)
        self.post = p.post(clock=clock)

    def case(self, ground: Ground = Ground.HATE):
        case, _ = escalations.open_case(
            version_id=self.post.current_version_id, ground=ground, note="", caller=self.paula, now=self.clock()
        )  # fmt: skip
        return case

    def proposed(self, case):
        return escalations.propose(
            CaseRef(case.pk, case.version), action=DeskAction.REMOVE, ground=Ground.HATE,
            caller=self.paula, now=self.clock(), **WORDS,
        )  # fmt: skip

    def run(self) -> None:
        clock = self.clock
        p.flag(self.post, by=self.mira, clock=clock)
        p.settle(clock)
        rating = f.rate(self.post, by=self.rita, clock=clock)
        p.settle(clock)
        f.rate(self.post, "true", by=self.lena, clock=clock)
        p.settle(clock)
        revised = ratings.revise(rating.pk, f.draft(self.partner, "true"), caller=self.rita, now=clock())
        p.edit(self.post, "The well was tested again.", clock=clock)
        p.settle(clock)
        ratings.withdraw(revised.pk, reason="Wrong.", caller=self.rita, now=clock())
        case = self.case()
        escalations.confirm(self.proposed(case).pk, caller=self.piet, now=clock())
        p.settle(clock)
        case.refresh_from_db()
        escalations.restore(
            CaseRef(case.pk, case.version), explanation="A quotation.", caller=self.piet, now=clock()
        )
        posts.delete(self.post.pk, caller=SYSTEM, now=clock())
        clock.advance(hours=7)
        p.settle(clock)
        p.sweep(clock)
        notices.deliver(now=clock())
        changes.sequence()
        audit.seal()


def test_the_whole_job_is_done_by_a_role_that_cannot_change_history(clock, capsys):
    flow = Flow(clock)
    call_command("grant_runtime", role=RUNTIME)
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {RUNTIME}")

    flow.run()

    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")
    assert audit.verify() == []
    assert ChangeFeed.objects.exists()
    assert EffectiveState.objects.get(post=flow.post).version > 2


def rated(flow: Flow) -> Rating:
    return f.rate(flow.post, by=flow.rita, clock=flow.clock)


def held(flow: Flow) -> ItemRef:
    item = f.taken(flow.post, by=flow.rita, clock=flow.clock)
    return ItemRef(item.pk, item.version)


def ref(case) -> CaseRef:
    return CaseRef(case.pk, case.version)


# What is there before, and the act that must leave no trace if its audit row cannot be written.
ACTS: dict[str, tuple[Callable[[Flow], object], Callable[[Flow, object], object]]] = {
    "publish": (lambda w: None, lambda w, _: p.post("Another one.", clock=w.clock)),
    "edit": (lambda w: None, lambda w, _: p.edit(w.post, "Changed.", clock=w.clock)),
    "delete": (lambda w: None, lambda w, _: posts.delete(w.post.pk, caller=SYSTEM, now=w.clock())),
    "flag": (lambda w: None, lambda w, _: p.flag(w.post, by=w.mira, clock=w.clock)),
    "withdraw a flag": (
        lambda w: p.flag(w.post, by=w.mira, clock=w.clock),
        lambda w, flag: flags.withdraw(flag.pk, caller=w.mira, now=w.clock()),
    ),
    "signal": (
        lambda w: None,
        lambda w, _: signals.receive(
            version_id=w.post.current_version_id, source="m", kind="k", score=0.9, at=w.clock(), details={},
            caller=SYSTEM, now=w.clock(),
        ),
    ),
    "take": (
        lambda w: p.flag(w.post, by=w.mira, clock=w.clock),
        lambda w, _: leases.take_next(caller=w.rita, now=w.clock()),
    ),
    "release": (held, lambda w, item: leases.release(item.id, caller=w.rita, now=w.clock())),
    "rate": (
        held,
        lambda w, item: ratings.submit(item, f.draft(w.partner), caller=w.rita, now=w.clock()),
    ),
    "not eligible": (
        held,
        lambda w, item: ratings.not_eligible(item, reason="An opinion.", caller=w.rita, now=w.clock()),
    ),
    "revise": (
        rated,
        lambda w, r: ratings.revise(r.pk, f.draft(w.partner, "true"), caller=w.rita, now=w.clock()),
    ),
    "withdraw": (rated, lambda w, r: ratings.withdraw(r.pk, reason="Wrong.", caller=w.rita, now=w.clock())),
    "undo": (rated, lambda w, r: ratings.undo(r.pk, caller=w.rita, now=w.clock())),
    "match": (
        rated,
        lambda w, r: matches.confirm(
            r.claim, p.post("Alike.", clock=w.clock).current_version, caller=w.rita, now=w.clock()
        ),
    ),
    "reject": (
        rated,
        lambda w, r: matches.reject(r.claim.matches.get().pk, caller=w.rita, now=w.clock()),
    ),
    "escalate": (lambda w: None, lambda w, _: w.case()),
    "hide": (
        Flow.case,
        lambda w, c: escalations.hide(ref(c), explanation="Now.", caller=w.paula, now=w.clock()),
    ),
    "keep": (
        Flow.case,
        lambda w, c: escalations.keep(ref(c), explanation="A report.", caller=w.paula, now=w.clock()),
    ),
    "restrict": (Flow.case, lambda w, c: escalations.restrict(ref(c), caller=w.paula, now=w.clock(), **WORDS)),
    "propose": (Flow.case, Flow.proposed),
    "confirm": (
        lambda w: w.proposed(w.case()),
        lambda w, proposal: escalations.confirm(proposal.pk, caller=w.piet, now=w.clock()),
    ),
    "refuse": (
        lambda w: w.proposed(w.case()),
        lambda w, proposal: escalations.refuse(proposal.pk, reason="No.", caller=w.piet, now=w.clock()),
    ),
    "grant a role": (
        lambda w: p.administrator(clock=w.clock),
        lambda w, admin: accounts.grant_role(p.person(), Role.AUDITOR, caller=admin, now=w.clock()),
    ),
    "suspend a partner": (
        lambda w: p.administrator(clock=w.clock),
        lambda w, admin: partners.suspend(w.partner.pk, caller=admin, now=w.clock()),
    ),
    "certify a partner": (
        lambda w: p.administrator(clock=w.clock),
        lambda w, admin: partners.certify(
            w.partner.pk, body="IFCN", valid_from=w.clock(), valid_until=w.clock() + timedelta(days=9),
            caller=admin, now=w.clock(),
        ),
    ),
    "suspend a person": (
        lambda w: Membership.objects.get(person_id=w.rita.person_id),
        lambda w, place: people.suspend(place.pk, caller=p.administrator(clock=w.clock), now=w.clock()),
    ),
    "join": (
        lambda w: p.person(),
        lambda w, somebody: people.join(
            w.partner, somebody.pk, role=MembershipRole.REVIEWER, caller=None, now=w.clock()
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("act", ACTS)
def test_an_act_whose_audit_row_cannot_be_written_did_not_happen(act, clock):
    before, do = ACTS[act]
    flow = Flow(clock)
    given = before(flow)
    p.settle(clock)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE moderation_auditrow ADD CONSTRAINT broken CHECK (false) NOT VALID")
    then = everything()

    with pytest.raises(IntegrityError, match="broken"), transaction.atomic():
        do(flow, given)

    assert everything() == then


def everything() -> dict[str, list[tuple[object, ...]]]:
    """Every row of ours."""
    return {
        model._meta.db_table: list(model._default_manager.order_by("pk").values_list())
        for model in our_models()
    }


def test_decisions_are_only_ever_added(clock):
    """No service holds an instance that it saves again: rows stay byte for byte what they were."""
    flow = Flow(clock)
    rating = f.rate(flow.post, by=flow.rita, clock=clock)
    kept = {m: list(m.objects.order_by("pk").values_list()) for m in (Decision, Rating)}

    flow.clock.advance(minutes=1)
    ratings.revise(rating.pk, f.draft(flow.partner, "true"), caller=flow.rita, now=clock())
    p.settle(clock)

    for model, rows in kept.items():
        assert list(model.objects.order_by("pk").values_list())[: len(rows)] == rows
