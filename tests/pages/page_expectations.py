"""Who may open and use which page: one line per named address. The walk (test_walk.py) goes there as everybody.

Another area adds its pages by a file `page_expectations.py` of its own under tests/, with a `PAGES` like this
one: the walk finds it, and fails for an address without a line.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

ROLES = ("member", "reviewer", "lead", "policy_specialist", "administrator", "auditor")
EVERYBODY = ("anonymous", *ROLES)

Body = Callable[[Any], dict[str, Any]]


@dataclass(frozen=True)
class Door:
    """What one method of a page answers.

    `allowed` get one of `own`; all others get `refused`, alike for what is theirs, foreign or missing.
    `foreign`: what the allowed get for an object that is not theirs, None where nothing is foreign to them.
    `sees_all` are those among the allowed to whom nothing is foreign.
    """

    allowed: Collection[str]
    own: int | Collection[int] = 200
    body: Body = lambda world: {}
    foreign: int | None = 404
    missing: int = 404
    sees_all: Collection[str] = ()
    refused: int = 403

    @property
    def answers(self) -> Collection[int]:
        return (self.own,) if isinstance(self.own, int) else self.own


@dataclass(frozen=True)
class Page:
    """`get` and `post` are None where the page has no such method (405). `is_open`: also to nobody known."""

    get: Door | None = None
    post: Door | None = None
    is_open: bool = False


REVIEWERS = ("reviewer", "lead")
READ_QUEUE = (*REVIEWERS, "auditor")
DESK = ("policy_specialist",)
READ_DESK = (*DESK, "auditor")
ADMINISTRATOR = ("administrator",)
READ_EVERYTHING = (*ADMINISTRATOR, "auditor")
LEAD_PEOPLE = ("lead", "administrator")
DONE = 302
AGAIN = 422  # the form once more, with what to mend
SENT: Body = lambda world: {"sent": "1"}  # noqa: E731


def _read(allowed: Collection[str], **more: Any) -> Page:
    return Page(get=Door(allowed, **more))


def _own_read(allowed: Collection[str]) -> Page:
    """A page without an object: each sees their own."""
    return Page(get=Door(allowed, foreign=None))


def _act(allowed: Collection[str], body: Body = lambda world: {}, **more: Any) -> Page:
    return Page(post=Door(allowed, **{"own": DONE, "body": body, **more}))


def _on_item(body: Body = lambda world: {}, **more: Any) -> Page:
    return _act(REVIEWERS, body, **more)


def _on_rating(body: Body = lambda world: {}) -> Page:
    return _act(REVIEWERS, body)


def _by_administrator(body: Body = lambda world: {}, **more: Any) -> Page:
    """An act that is asked once on its own page before it is done."""
    return Page(
        get=Door(ADMINISTRATOR, foreign=None, **more), post=Door(ADMINISTRATOR, DONE, body, foreign=None)
    )


def _on_person(body: Body = lambda world: {}) -> Page:
    return _act(ADMINISTRATOR, body, foreign=None)


def _of_people() -> Page:
    """Another partner's people do not exist for a lead, nor does anybody for others."""
    asked = {"sees_all": ADMINISTRATOR, "refused": 404}
    return Page(get=Door(LEAD_PEOPLE, **asked), post=Door(LEAD_PEOPLE, DONE, **asked))


PAGES: dict[str, Page] = {
    # Members, and what everybody has of their own.
    "home": _read(ROLES, own=DONE),
    "acting": _act(ROLES, lambda w: {"acting": "member"}),
    "feed": _own_read(ROLES),
    "post": _read(ROLES, foreign=None),
    "flag": Page(
        get=Door(ROLES, foreign=None),
        post=Door(ROLES, DONE, lambda w: {"version": w.ids["version"], "reason": "scam"}, foreign=None),
    ),
    "share": _read(ROLES, foreign=None),
    "flags": _own_read(ROLES),
    "flags-one": _read(ROLES),
    "flags-withdraw": _act(ROLES),
    "notices": _own_read(ROLES),
    "standing": _own_read(ROLES),
    "settings": Page(get=Door(ROLES), post=Door(ROLES, AGAIN, SENT)),
    "media": _read(ROLES, foreign=None),
    # The policy desk.
    "desk": _own_read(READ_DESK),
    "desk_keys": _own_read(READ_DESK),
    "desk_decided": _own_read(READ_DESK),
    "desk_case": _read(READ_DESK, foreign=None),
    "desk_decide": Page(
        get=Door(ROLES, DONE, foreign=None, missing=DONE),  # to the case, which has a door of its own
        post=Door(DESK, DONE, lambda w: w.decision(), foreign=None),
    ),
    "desk_judge": Page(
        get=Door(ROLES, DONE, foreign=None, missing=DONE),  # to the case, which has a door of its own
        post=Door(DESK, DONE, lambda w: w.second_key(), foreign=None),
    ),
    # The platform's staff.
    "healthz": Page(get=Door(EVERYBODY), is_open=True),
    "system": _own_read(READ_EVERYTHING),
    "system-retry": _act(ADMINISTRATOR, foreign=None),
    "system-pause": _act(ADMINISTRATOR, foreign=None),
    "system-resume": _act(ADMINISTRATOR, foreign=None),
    "audit": _own_read(READ_EVERYTHING),
    "audit-verify": _act(READ_EVERYTHING, own=200),
    "audit-export": _own_read(READ_EVERYTHING),
    "keys": Page(get=Door(READ_EVERYTHING), post=Door(ADMINISTRATOR, AGAIN, SENT)),
    "keys-revoke": _act(ADMINISTRATOR, foreign=None),
    "policies": _own_read(READ_EVERYTHING),
    "policies-new": _act(ADMINISTRATOR),
    "policies-version": _read(READ_EVERYTHING, foreign=None),
    "policies-draft": Page(
        get=Door(READ_EVERYTHING, foreign=None), post=Door(ADMINISTRATOR, AGAIN, SENT, foreign=None)
    ),
    "policies-country": _act(
        ADMINISTRATOR, lambda w: {"country": "US", "verdict": "false", "version": "1"}, foreign=None
    ),
    "policies-step": _act(ADMINISTRATOR, lambda w: {"version": "1"}, foreign=None),
    "switches": Page(get=Door(READ_EVERYTHING), post=Door(ADMINISTRATOR, AGAIN, SENT)),
    "switches-dry-run": _read(READ_EVERYTHING, foreign=None),
    "switches-step": _act(ADMINISTRATOR, lambda w: {"version": "1"}, foreign=None),
    "webhooks": Page(get=Door(READ_EVERYTHING), post=Door(ADMINISTRATOR, AGAIN, SENT)),
    "webhooks-one": _read(READ_EVERYTHING, foreign=None),
    "webhooks-rotate": _act(ADMINISTRATOR, lambda w: {"overlap": "24"}, own=201, foreign=None),
    "webhooks-test": _act(ADMINISTRATOR, foreign=None),
    "webhooks-off": _act(ADMINISTRATOR, foreign=None),
    "webhooks-on": _act(ADMINISTRATOR, foreign=None),
    "webhooks-remove": _act(ADMINISTRATOR, foreign=None),
    "webhooks-resend": _act(ADMINISTRATOR, foreign=None),
    "people": _own_read(READ_EVERYTHING),
    "people-one": _read(READ_EVERYTHING, foreign=None),
    "people-grant": _on_person(lambda w: {"role": "administrator"}),
    "people-end-role": _on_person(lambda w: {"role": "auditor"}),
    "people-off": _on_person(),
    "people-on": _on_person(),
    "styleguide": Page(get=Door(EVERYBODY), post=Door(EVERYBODY), is_open=True),
    # The queue and what is done with an item of it.
    "factcheck:triage": _own_read(READ_QUEUE),
    "factcheck:triage_live": _own_read(READ_QUEUE),
    "factcheck:triage_next": _on_item(),
    "factcheck:triage_article": _on_item(own=200),
    "factcheck:triage_item": Page(
        get=Door(READ_QUEUE, sees_all=("auditor",)),
        post=Door(REVIEWERS, AGAIN, lambda w: {"verdict": "false"}),
    ),
    "factcheck:triage_draft": _on_item(lambda w: {"headline": "No"}, own=204),
    "factcheck:triage_consequences": _on_item(own=200),
    "factcheck:triage_take": _on_item(),
    "factcheck:triage_renew": _on_item(own=(200, 409)),
    "factcheck:triage_release": _on_item(),
    "factcheck:triage_skip": _on_item(lambda w: {"reason": "time"}),
    "factcheck:triage_snooze": _on_item(lambda w: {"until": "1h"}),
    "factcheck:triage_escalate": _on_item(
        lambda w: {"ground": "hate", "note": "See there.", "seen": w.ids["item_version"]}
    ),
    "factcheck:triage_note": _on_item(lambda w: {"text": "Called them."}),
    "factcheck:triage_same_claim": _on_item(lambda w: {"version": "1", "claim": w.ids["claim"]}),
    "factcheck:triage_no_longer": _on_item(
        lambda w: {"version": "1", "claim": w.ids["claim"]}, own=(302, 404)
    ),
    "factcheck:work": _own_read(REVIEWERS),
    # Claims and ratings of every partner are everybody's who works on them.
    "factcheck:claims": _own_read(READ_QUEUE),
    "factcheck:claims_one": _read(READ_QUEUE, foreign=None),
    "factcheck:claims_progress": _read(READ_QUEUE, foreign=None),
    "factcheck:claims_rate": _act(REVIEWERS, foreign=None),
    "factcheck:matches_confirm": _act(REVIEWERS, foreign=None),
    "factcheck:matches_reject": _act(REVIEWERS, foreign=None),
    "factcheck:ratings_undo": _on_rating(),
    "factcheck:ratings_revise": Page(get=Door(REVIEWERS), post=Door(REVIEWERS, AGAIN, SENT)),
    "factcheck:ratings_withdraw": _on_rating(lambda w: {"reason": "We were wrong."}),
    "factcheck:posts_pick": Page(
        get=Door(REVIEWERS), post=Door(REVIEWERS, DONE, lambda w: {"post": w.ids["post"]})
    ),
    # Partners and their people.
    "factcheck:partners": _own_read(READ_EVERYTHING),
    "factcheck:partners_add": Page(get=Door(ADMINISTRATOR), post=Door(ADMINISTRATOR, AGAIN, SENT)),
    "factcheck:partners_one": _read(READ_EVERYTHING, foreign=None),
    "factcheck:partners_edit": Page(
        get=Door(ADMINISTRATOR, foreign=None), post=Door(ADMINISTRATOR, AGAIN, SENT, foreign=None)
    ),
    "factcheck:partners_certify": Page(
        get=Door(ADMINISTRATOR, foreign=None), post=Door(ADMINISTRATOR, AGAIN, SENT, foreign=None)
    ),
    "factcheck:partners_suspend": Page(
        get=Door(ADMINISTRATOR, foreign=None), post=Door(ADMINISTRATOR, DONE, foreign=None)
    ),
    "factcheck:partners_resume": Page(
        get=Door(ADMINISTRATOR, foreign=None),
        post=Door(ADMINISTRATOR, 409, foreign=None),  # this one was not suspended
    ),
    "factcheck:partners_invite": Page(
        get=Door(ADMINISTRATOR, DONE, foreign=None), post=Door(ADMINISTRATOR, AGAIN, SENT, foreign=None)
    ),
    "factcheck:people": Page(get=Door(("lead",)), post=Door(("lead",), AGAIN, SENT)),
    "factcheck:people_act": _of_people(),
    "factcheck:people_revoke": _of_people(),
    "factcheck:invitation": Page(
        get=Door(EVERYBODY, foreign=None),
        # Whoever is signed in under another address may not accept it; nobody known is asked for a password.
        post=Door(EVERYBODY, (409, AGAIN), foreign=None),
        is_open=True,
    ),
}
