"""A partner's people: who comes, who goes, and that whoever goes can do nothing from then on."""

from datetime import timedelta

import pytest
from django.utils import timezone

from factcheck.enums import LeaseEnding, MembershipRole
from factcheck.models import Invitation, Lease, Membership
from factcheck.selectors import partners as find
from factcheck.services import leases, partners, people
from factcheck.services.people import INVITATION_HOLDS
from moderation.enums import Role, Scope
from moderation.errors import Conflict, Invalid, NotFound, Refused
from moderation.models import ReviewItem, User
from moderation.services import callers
from moderation.services import people as accounts
from tests.api.clients import Api, as_person, key
from tests.factories import platform as p
from tests.factories import programme as f
from tests.factories.visitors import visit

pytestmark = pytest.mark.django_db
NAME = {"display_name": "Nadia", "password": "correct horse battery"}


@pytest.fixture
def partner(clock):
    return f.partner(clock=clock)


@pytest.fixture
def lena(partner, clock):
    return f.lead(partner, clock=clock)


@pytest.fixture
def rita(partner, clock):
    return f.reviewer(partner, clock=clock)


@pytest.fixture
def adam(clock):
    return p.administrator(clock=clock)


def place(caller):
    return Membership.objects.exclude(status="removed").get(
        person_id=caller.person_id, partner_id=caller.organisation_id
    )


def invited(partner, *, by, clock, email="nadia@people.example", role=MembershipRole.REVIEWER):
    return people.invite(partner, email=email, role=role, caller=by, now=clock())


# ── invitations ────────────────────────────────────────────────────────────────────────────────────


def test_an_invited_address_joins_once_with_an_account_of_its_own(partner, lena, clock):
    _, token = invited(partner, by=lena, clock=clock, email=" Nadia@People.example ")

    membership = people.accept(token, now=clock(), **NAME)

    assert membership.person.email == "nadia@people.example"
    assert callers.for_person(membership.person, now=clock()).role is Role.REVIEWER
    with pytest.raises(NotFound):
        people.accept(token, now=clock(), **NAME)


def test_looking_at_an_invitation_uses_nothing_up(partner, lena, clock):
    _, token = invited(partner, by=lena, clock=clock)

    for _ in range(5):
        assert people.find_invitation(token, now=clock()).partner == partner

    people.accept(token, now=clock(), **NAME)


def test_an_invitation_ends_by_itself_by_revocation_and_by_a_newer_one(partner, lena, clock):
    old = invited(partner, by=lena, clock=clock)[1]
    invitation, new = invited(partner, by=lena, clock=clock)
    with pytest.raises(NotFound):
        people.accept(old, now=clock(), **NAME)

    people.revoke(invitation.pk, caller=lena, now=clock())
    with pytest.raises(NotFound):
        people.accept(new, now=clock(), **NAME)
    with pytest.raises(Conflict):
        people.revoke(invitation.pk, caller=lena, now=clock())

    last = invited(partner, by=lena, clock=clock)[1]
    clock.advance(seconds=INVITATION_HOLDS.total_seconds())
    with pytest.raises(NotFound):
        people.accept(last, now=clock(), **NAME)
    assert not User.objects.filter(email="nadia@people.example").exists()


def test_who_has_an_account_signs_in_first_and_nobody_accepts_for_another(partner, lena, clock):
    nadia = p.person("Nadia")
    _, token = invited(partner, by=lena, clock=clock, email=nadia.email)
    other = p.member(clock=clock)

    with pytest.raises(Conflict) as unsigned:
        people.accept(token, now=clock(), **NAME)
    with pytest.raises(Conflict) as foreign:
        people.accept(token, caller=other, now=clock())
    people.accept(token, caller=callers.for_person(nadia, now=clock()), now=clock())

    assert (unsigned.value.code, foreign.value.code) == ("sign_in_first", "other_address")
    assert Membership.objects.get(person=nadia).role == "reviewer"


def test_nobody_joins_a_suspended_partner(partner, lena, adam, clock):
    _, token = invited(partner, by=lena, clock=clock)
    partners.suspend(partner.pk, caller=adam, now=clock())

    with pytest.raises(Conflict) as refusal:
        people.accept(token, now=clock(), **NAME)
    assert refusal.value.code == "partner_suspended"

    partners.resume(partner.pk, caller=adam, now=clock())
    people.accept(token, now=clock(), **NAME)


@pytest.mark.parametrize("email", ["", "nadia", "nadia@", "nadia@people.example\nBcc: all@people.example"])
def test_an_address_that_is_none_is_refused(partner, lena, clock, email):
    with pytest.raises(Invalid) as refusal:
        invited(partner, by=lena, clock=clock, email=email)

    assert refusal.value.field == "email"


def test_a_member_of_the_partner_is_not_invited_again(partner, lena, rita, clock):
    with pytest.raises(Invalid):
        invited(partner, by=lena, clock=clock, email=f.person_of(rita).email)


def test_a_removed_person_may_come_back(partner, lena, rita, clock):
    people.remove(place(rita).pk, caller=lena, now=clock())
    _, token = invited(partner, by=lena, clock=clock, email=f.person_of(rita).email)

    people.accept(token, caller=callers.for_person(f.person_of(rita), now=clock()), now=clock())

    assert Membership.objects.filter(person_id=rita.person_id).count() == 2


# ── who may ────────────────────────────────────────────────────────────────────────────────────────


def test_only_leads_and_administrators_change_people(partner, rita, clock):
    other = f.reviewer(partner, clock=clock)

    with pytest.raises(Refused):
        invited(partner, by=rita, clock=clock)
    with pytest.raises(NotFound):
        people.suspend(place(other).pk, caller=rita, now=clock())


def test_another_partners_people_do_not_exist_for_a_lead(rita, partner, lena, clock):
    foreign = f.lead(f.partner(clock=clock), clock=clock)
    invitation, _ = invited(partner, by=lena, clock=clock)

    for verb in (people.suspend, people.resume, people.remove):
        with pytest.raises(NotFound):
            verb(place(rita).pk, caller=foreign, now=clock())
    with pytest.raises(NotFound):
        people.change_role(place(rita).pk, role=MembershipRole.LEAD, caller=foreign, now=clock())
    with pytest.raises(NotFound):
        people.revoke(invitation.pk, caller=foreign, now=clock())


def test_the_last_lead_stays_whoever_asks(partner, lena, adam, clock):
    only = place(lena).pk
    for caller in (lena, adam):
        for act in (
            lambda who: people.suspend(only, caller=who, now=clock()),
            lambda who: people.remove(only, caller=who, now=clock()),
            lambda who: people.change_role(only, role=MembershipRole.REVIEWER, caller=who, now=clock()),
        ):
            with pytest.raises(Conflict) as refusal:
                act(caller)
            assert refusal.value.code == "last_lead"


def test_a_lead_may_go_once_there_is_another(partner, lena, rita, clock):
    people.change_role(place(rita).pk, role=MembershipRole.LEAD, caller=lena, now=clock())
    again = callers.for_person(f.person_of(rita), now=clock())
    assert again.role is Role.LEAD

    people.change_role(place(lena).pk, role=MembershipRole.REVIEWER, caller=again, now=clock())

    assert callers.for_person(f.person_of(lena), now=clock()).role is Role.REVIEWER
    assert find.sole_lead(partner) == place(rita).pk


def test_every_act_twice_says_that_it_was_done(lena, rita, clock):
    them = place(rita).pk
    people.suspend(them, caller=lena, now=clock())
    with pytest.raises(Conflict):
        people.suspend(them, caller=lena, now=clock())
    people.resume(them, caller=lena, now=clock())
    with pytest.raises(Conflict):
        people.resume(them, caller=lena, now=clock())
    with pytest.raises(Conflict):
        people.change_role(them, role=MembershipRole.REVIEWER, caller=lena, now=clock())
    people.remove(them, caller=lena, now=clock())
    with pytest.raises(NotFound):
        people.remove(them, caller=lena, now=clock())


def test_the_last_administrator_stays(clock):
    adam = p.administrator(clock=clock)
    accounts.end_role(adam.person_id, Role.ADMINISTRATOR, caller=p.administrator(clock=clock), now=clock())
    last = callers.for_person(User.objects.get(role_grants__ended_at__isnull=True), now=clock())

    with pytest.raises(Conflict) as ended:
        accounts.end_role(last.person_id, Role.ADMINISTRATOR, caller=last, now=clock())
    with pytest.raises(Refused):
        accounts.deactivate(last.person_id, caller=last, now=clock())

    assert ended.value.code == "last_administrator"


# ── whoever goes can do nothing from then on (ORG-03) ──────────────────────────────────────────────


class Work:
    """A reviewer in the middle of it: a session on the pages, one at the API, a key, a lease, a rating."""

    def __init__(self, partner, *, clock):
        self.partner, self.clock = partner, clock
        self.rita = f.reviewer(partner, clock=clock)
        self.rating = f.rate(p.post("The bridge was closed on Tuesday, says nobody at all.", clock=clock),
                             by=self.rita, clock=clock)  # fmt: skip
        flagged = p.post(clock=clock)
        p.flag(flagged, clock=clock)
        p.settle(clock)
        self.item = leases.take_next(caller=self.rita, now=clock())
        self.page, self.session = visit(self.rita), as_person(self.rita)
        self.key = Api(key=key(Scope.QUEUE_WORK, clock=clock, of=self.rita))
        assert self.channels() == (200, 200, 200)

    def channels(self):
        """What a page, the session at the API, and the key answer to somebody who reads the queue."""
        return (
            self.page.get("/triage/").status_code,
            self.session.get("/queue").status_code,
            self.key.get("/queue").status_code,
        )

    def is_free(self):
        """Whether a colleague of another partner gets the item at the next call."""
        other = f.reviewer(f.partner(clock=self.clock), clock=self.clock)
        return leases.take_next(caller=other, now=self.clock()).pk == self.item.pk


@pytest.fixture
def work(partner, clock, monkeypatch):
    monkeypatch.setattr(timezone, "now", clock)
    return Work(partner, clock=clock)


def suspend_person(work, lena, adam):
    people.suspend(place(work.rita).pk, caller=lena, now=work.clock())


def remove_person(work, lena, adam):
    people.remove(place(work.rita).pk, caller=lena, now=work.clock())


def suspend_partner(work, lena, adam):
    assert partners.suspend(work.partner.pk, caller=adam, now=work.clock()) == 1


def turn_account_off(work, lena, adam):
    accounts.deactivate(work.rita.person_id, caller=adam, now=work.clock())


@pytest.mark.parametrize("end", [suspend_person, remove_person, suspend_partner, turn_account_off])
def test_ended_access_ends_on_every_channel_at_the_next_call(work, lena, adam, end):
    end(work, lena, adam)

    page, session, by_key = work.channels()
    assert page in (302, 403)  # to the sign-in page: nobody is signed in any more
    assert (session, by_key) == (401, 401)
    assert work.is_free()
    work.rating.refresh_from_db()
    assert (work.rating.partner_id, work.rating.rated_by_id) == (work.partner.pk, work.rita.person_id)


def test_what_ends_is_told_apart_in_the_history_of_the_lease(work, lena, adam):
    suspend_person(work, lena, adam)

    assert Lease.objects.get(item_id=work.item.pk).ending == LeaseEnding.FREED
    assert ReviewItem.objects.get(pk=work.item.pk).holder_id is None


def test_a_person_of_two_partners_keeps_working_for_the_other(work, lena, adam):
    second = f.partner(clock=work.clock)
    people.join(second, work.rita.person_id, role=MembershipRole.REVIEWER, caller=None, now=work.clock())

    suspend_partner(work, lena, adam)

    person = f.person_of(work.rita)
    assert [c.organisation.id for c in callers.capacities(person, now=work.clock()) if c.organisation] == [
        second.pk
    ]
    assert visit(callers.for_person(person, now=work.clock())).get("/triage/").status_code == 200


@pytest.mark.parametrize("end", [suspend_person, remove_person, suspend_partner])
def test_what_a_person_holds_for_another_partner_stays_theirs(work, lena, adam, end):
    second = f.partner(clock=work.clock)
    people.join(second, work.rita.person_id, role=MembershipRole.REVIEWER, caller=None, now=work.clock())
    there = callers.for_person(f.person_of(work.rita), acting=f"reviewer:{second.pk}", now=work.clock())
    other = f.taken(p.post("Another post entirely.", clock=work.clock), by=there, clock=work.clock)

    end(work, lena, adam)

    other.refresh_from_db()
    assert (other.holder_id, other.held_for) == (there.person_id, second.pk)
    assert Lease.objects.get(item_id=other.pk).ended_at is None
    assert leases.renew(other.pk, caller=there, now=work.clock()).pk == other.pk
    assert work.is_free()


def test_an_account_that_is_turned_off_holds_nothing_for_anybody(work, lena, adam):
    second = f.partner(clock=work.clock)
    people.join(second, work.rita.person_id, role=MembershipRole.REVIEWER, caller=None, now=work.clock())
    there = callers.for_person(f.person_of(work.rita), acting=f"reviewer:{second.pk}", now=work.clock())
    f.taken(p.post("Another post entirely.", clock=work.clock), by=there, clock=work.clock)

    turn_account_off(work, lena, adam)

    assert not ReviewItem.objects.filter(holder_id=work.rita.person_id).exists()


def test_a_platform_role_that_ends_takes_no_item_out_of_a_reviewers_hands(work, adam):
    accounts.grant_role(f.person_of(work.rita), Role.AUDITOR, caller=adam, now=work.clock())

    accounts.end_role(work.rita.person_id, Role.AUDITOR, caller=adam, now=work.clock())

    work.item.refresh_from_db()
    assert work.item.holder_id == work.rita.person_id


def test_a_certificate_that_lapses_leaves_reading_and_nothing_else(clock, monkeypatch, adam):
    monkeypatch.setattr(timezone, "now", clock)
    partner = f.partner(clock=clock, certified=False)
    ends = clock() + timedelta(minutes=4)
    partners.certify(partner.pk, body="IFCN", valid_from=clock(), valid_until=ends, caller=adam, now=clock())
    work = Work(partner, clock=clock)
    assert work.item.held_until == ends  # no lease outlives the certificate

    clock.advance(minutes=4)

    assert work.channels() == (200, 200, 200)
    taken = [api.post("/queue/take") for api in (work.session, work.key)]
    assert [(a.status_code, a.json()["code"]) for a in taken] == [(403, "not_certified")] * 2
    renewed = work.session.post(f"/items/{work.item.pk}/renew")
    assert (renewed.status_code, renewed.json()["code"]) == (403, "not_certified")
    assert work.is_free()
    assert find.certified_until(partner, now=clock()) is None
    assert partner.ratings.get() == work.rating


def test_an_invitation_is_kept_as_a_digest_only(partner, lena, clock):
    invitation, token = invited(partner, by=lena, clock=clock)

    assert token not in {str(value) for value in vars(Invitation.objects.get(pk=invitation.pk)).values()}


@pytest.mark.parametrize(
    ("name", "code"), [("", "required"), (" \u200b ", "required"), ("N" * 121, "too_long")]
)
def test_a_name_that_cannot_be_is_refused_by_its_field(partner, lena, clock, name, code):
    _, token = invited(partner, by=lena, clock=clock)

    with pytest.raises(Invalid) as refusal:
        people.accept(token, now=clock(), **(NAME | {"display_name": name}))

    assert (refusal.value.field, refusal.value.code) == ("display_name", code)
