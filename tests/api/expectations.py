"""Who may call what: one line per route. The walk (test_walk.py) calls each as everybody.

Another area adds its routes by a file `expectations.py` of its own under tests/, with a `ROUTES` like this
one: the walk finds it, and fails for a route without a line.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from moderation.enums import Scope

PEOPLE = ("member", "reviewer", "lead", "policy_specialist", "administrator", "auditor")
PROGRAMS = tuple(f"client:{scope}" for scope in Scope)
# Keys that act as a person, with the one scope for their work.
TOOLS = ("reviewer's key", "lead's key", "specialist's key")
EVERYBODY = ("anonymous", *PEOPLE, *PROGRAMS, *TOOLS)

Body = Callable[[Any], Any]


@dataclass(frozen=True)
class Expectation:
    """What a route answers.

    `allowed` get past its permission; all others get `refused`, whether the object exists or not.
    `foreign`: what the allowed get for an object that is not theirs, None where nothing is foreign to them.
    `sees_all` are those among the allowed to whom nothing is foreign. `also` are refusals of the state
    (409, 400) that an allowed caller may meet on an own object.
    """

    allowed: Collection[str]
    body: Body | None = None
    query: str = ""
    foreign: int | None = 404
    sees_all: Collection[str] = ()
    refused: int = 403
    also: Collection[int] = field(default_factory=tuple)


REVIEWERS = ("reviewer", "lead", "reviewer's key", "lead's key")
DESK = ("policy_specialist", "specialist's key")
READ_POSTS = (
    "reviewer", "lead", "policy_specialist", "administrator", "auditor",
    "client:posts:write", "client:distribution:read", *TOOLS,
)  # fmt: skip
READ_RATINGS = (
    "reviewer", "lead", "policy_specialist", "administrator", "auditor", "client:decisions:read", *TOOLS,
)  # fmt: skip
READ_PARTNERS = ("administrator", "auditor", "client:partners:read")
LEAD_PEOPLE = ("lead", "lead's key", "administrator")
READ_QUEUE = (*REVIEWERS, "auditor")
FLAG = (*PEOPLE, "client:flags:write")
NOTHING: Body = lambda world: {}  # noqa: E731


def _on_item(**more: Any) -> Expectation:
    return Expectation(REVIEWERS, also=(409,), **more)


def _on_rating(body: Body) -> Expectation:
    return Expectation(REVIEWERS, body=body, also=(403, 409))


def _on_case(body: Body, **more: Any) -> Expectation:
    return Expectation(DESK, body=body, foreign=None, also=(403, 409), **more)


def _by_administrator(body: Body, **more: Any) -> Expectation:
    return Expectation(("administrator",), body=body, foreign=None, also=(409,), **more)


def _on_people(body: Body | None = None) -> Expectation:
    return Expectation(LEAD_PEOPLE, body=body, sees_all=("administrator",), also=(409,))


_READ_PEOPLE = Expectation((*LEAD_PEOPLE, "auditor"), sees_all=("administrator", "auditor"))
_STEP: Body = lambda w: {"version": 1}  # noqa: E731


def _reads_everything() -> Expectation:
    return Expectation(("administrator", "auditor"), foreign=None)


def _on_draft(body: Body) -> Expectation:
    """The author's steps and the judge's: each is refused (403, 409) where the other is asked for."""
    return Expectation(("administrator",), body=body, foreign=None, also=(403, 409))


ROUTES: dict[str, Expectation] = {
    "POST /api/v1/posts": Expectation(("client:posts:write",), lambda w: w.post_body(), foreign=None),
    "POST /api/v1/posts/bulk": Expectation(
        ("client:posts:write",), lambda w: {"posts": [w.post_body()]}, foreign=None
    ),
    "GET /api/v1/posts/{post}": Expectation(READ_POSTS, foreign=None),
    "DELETE /api/v1/posts/{post}": Expectation(("client:posts:write",), foreign=None),
    "POST /api/v1/posts/{post}/reach": Expectation(
        ("client:posts:write",), lambda w: {"at": w.past, "views": 7}, foreign=None
    ),
    "POST /api/v1/reach/bulk": Expectation(
        ("client:posts:write",),
        lambda w: {"samples": [{"post": w.ids["post"], "at": w.past, "views": 7}]},
        foreign=None,
    ),
    "POST /api/v1/flags": Expectation(FLAG, lambda w: w.flag_body(), foreign=None),
    "GET /api/v1/flags": Expectation(FLAG, query="?flagger=member/1", foreign=None),
    "DELETE /api/v1/flags/{flag_id}": Expectation(FLAG),
    "POST /api/v1/signals": Expectation(
        ("client:signals:write",),
        lambda w: {"post": w.ids["post"], "source": "a", "kind": "b", "score": 0.5, "at": w.past},
        foreign=None,
    ),
    "POST /api/v1/distribution/lookup": Expectation(
        ("client:distribution:read",), lambda w: {"posts": [w.ids["post"]]}, foreign=None
    ),
    "GET /api/v1/distribution/changes": Expectation(
        ("client:distribution:read",), query="?cursor=0", foreign=None
    ),
    "GET /api/v1/distribution/snapshot": Expectation(("client:distribution:read",), foreign=None),
    "GET /api/v1/escalations": Expectation((*DESK, "auditor", "client:decisions:read"), foreign=None),
    "POST /api/v1/escalations": Expectation(
        (*REVIEWERS, *DESK),
        lambda w: {"post": w.ids["post"], "ground": "hate", "note": "See there."},
        foreign=None,
    ),
    "GET /api/v1/escalations/{case_id}": Expectation(
        (*DESK, "auditor", "client:decisions:read"), foreign=None
    ),
    "POST /api/v1/escalations/{case_id}/decide": _on_case(lambda w: {**w.on_case(), "action": "keep"}),
    "POST /api/v1/escalations/{case_id}/confirm": _on_case(lambda w: {"proposal": w.ids["proposal"]}),
    "POST /api/v1/escalations/{case_id}/refuse": _on_case(
        lambda w: {"proposal": w.ids["proposal"], "reason": "It quotes."}
    ),
    "POST /api/v1/escalations/{case_id}/hide": _on_case(lambda w: w.on_case()),
    "POST /api/v1/escalations/{case_id}/restore": _on_case(lambda w: w.on_case()),
    "GET /api/v1/queue": Expectation(READ_QUEUE, foreign=None),
    "POST /api/v1/queue/take": Expectation(REVIEWERS, NOTHING, foreign=None),
    "GET /api/v1/queue/summary": Expectation(READ_QUEUE, foreign=None),
    "POST /api/v1/items": Expectation(REVIEWERS, lambda w: {"post": w.ids["post"]}, foreign=None),
    "GET /api/v1/items/{item_id}": Expectation(READ_QUEUE, sees_all=("auditor",)),
    "POST /api/v1/items/{item_id}/take": _on_item(body=NOTHING),
    "POST /api/v1/items/{item_id}/renew": _on_item(body=NOTHING),
    "POST /api/v1/items/{item_id}/release": _on_item(body=NOTHING),
    "POST /api/v1/items/{item_id}/skip": _on_item(body=lambda w: {"reason": "time"}),
    "POST /api/v1/items/{item_id}/snooze": _on_item(body=lambda w: {"wake_at": w.future}),
    "POST /api/v1/items/{item_id}/escalate": _on_item(body=lambda w: {"ground": "hate", "note": "See."}),
    "POST /api/v1/items/{item_id}/notes": _on_item(body=lambda w: {"text": "Called them."}),
    "POST /api/v1/items/{item_id}/not-eligible": _on_item(
        body=lambda w: {"version": 1, "reason": "An opinion."}
    ),
    "POST /api/v1/items/{item_id}/ratings": _on_item(
        body=lambda w: {**w.verdict(), "version": 1, "claim": {"text": "It is so."}}
    ),
    "GET /api/v1/ratings/{rating_id}": Expectation(READ_RATINGS, foreign=None),
    "POST /api/v1/ratings/{rating_id}/revise": _on_rating(lambda w: w.verdict()),
    "POST /api/v1/ratings/{rating_id}/withdraw": _on_rating(lambda w: {"reason": "We were wrong."}),
    "POST /api/v1/ratings/{rating_id}/undo": _on_rating(NOTHING),
    "GET /api/v1/claims": Expectation(READ_RATINGS, query="?q=well", foreign=None),
    "GET /api/v1/claims/{claim_id}": Expectation(READ_RATINGS, foreign=None),
    "GET /api/v1/claims/{claim_id}/matches": Expectation(READ_RATINGS, foreign=None),
    "POST /api/v1/matches/{match_id}/confirm": Expectation(REVIEWERS, NOTHING, foreign=None),
    "POST /api/v1/matches/{match_id}/reject": Expectation(REVIEWERS, NOTHING, foreign=None),
    "GET /api/v1/partners": Expectation(READ_PARTNERS, foreign=None),
    "POST /api/v1/partners": _by_administrator(lambda w: {"slug": "new-checks", **w.partner_body()}),
    "GET /api/v1/partners/{partner_id}": Expectation(READ_PARTNERS, foreign=None),
    "PUT /api/v1/partners/{partner_id}": _by_administrator(lambda w: w.partner_body()),
    "POST /api/v1/partners/{partner_id}/certifications": _by_administrator(
        lambda w: {"body": "IFCN", "valid_from": w.past, "valid_until": w.future}
    ),
    "POST /api/v1/partners/{partner_id}/suspend": _by_administrator(NOTHING),
    "POST /api/v1/partners/{partner_id}/resume": _by_administrator(NOTHING),
    "GET /api/v1/partners/{partner_id}/people": _READ_PEOPLE,
    "POST /api/v1/partners/{partner_id}/people": _on_people(
        lambda w: {"email": "new@people.example", "role": "reviewer"}
    ),
    "GET /api/v1/partners/{partner_id}/invitations": _READ_PEOPLE,
    "DELETE /api/v1/partners/{partner_id}/invitations/{invitation_id}": _on_people(),
    "PUT /api/v1/partners/{partner_id}/people/{membership_id}": _on_people(lambda w: {"role": "lead"}),
    "DELETE /api/v1/partners/{partner_id}/people/{membership_id}": _on_people(),
    "POST /api/v1/partners/{partner_id}/people/{membership_id}/suspend": _on_people(NOTHING),
    "POST /api/v1/partners/{partner_id}/people/{membership_id}/resume": _on_people(NOTHING),
    "GET /api/v1/fan-outs": _reads_everything(),
    "POST /api/v1/fan-outs/{fan_out_id}/pause": _by_administrator(NOTHING),
    "POST /api/v1/fan-outs/{fan_out_id}/resume": _by_administrator(NOTHING),
    "GET /api/v1/policies": _reads_everything(),
    "POST /api/v1/policies": _by_administrator(lambda w: {"base": 1}),
    "GET /api/v1/policies/{number}": _reads_everything(),
    "GET /api/v1/policies/drafts": _reads_everything(),
    "GET /api/v1/policies/drafts/{draft_id}": _reads_everything(),
    "PUT /api/v1/policies/drafts/{draft_id}": _on_draft(lambda w: w.draft_body()),
    "POST /api/v1/policies/drafts/{draft_id}/dry-run": _on_draft(_STEP),
    "POST /api/v1/policies/drafts/{draft_id}/propose": _on_draft(_STEP),
    "POST /api/v1/policies/drafts/{draft_id}/approve": _on_draft(_STEP),
    "POST /api/v1/policies/drafts/{draft_id}/refuse": _on_draft(lambda w: {"version": 1, "reason": "No."}),
    "POST /api/v1/policies/drafts/{draft_id}/withdraw": _on_draft(_STEP),
    "GET /api/v1/switches": _reads_everything(),
    "POST /api/v1/switches": _by_administrator(
        lambda w: {"kind": "lift_effects", "country": "FR", "reason": "So."}
    ),
    "GET /api/v1/switches/{switch_id}": _reads_everything(),
    "POST /api/v1/switches/{switch_id}/dry-run": _on_draft(_STEP),
    "POST /api/v1/switches/{switch_id}/confirm": _on_draft(_STEP),
    "POST /api/v1/switches/{switch_id}/refuse": _on_draft(lambda w: {"version": 1, "reason": "No."}),
    "POST /api/v1/switches/{switch_id}/withdraw": _on_draft(_STEP),
    "POST /api/v1/switches/{switch_id}/return": _on_draft(_STEP),
    "GET /api/v1/webhooks": _reads_everything(),
    "POST /api/v1/webhooks": _by_administrator(
        lambda w: {"name": "Ranking", "url": "https://hooks.example/", "events": ["post.removed"]}
    ),
    "GET /api/v1/webhooks/{webhook_id}": _reads_everything(),
    "DELETE /api/v1/webhooks/{webhook_id}": Expectation(("administrator",), foreign=None),
    "POST /api/v1/webhooks/{webhook_id}/rotate": _by_administrator(NOTHING),
    "POST /api/v1/webhooks/{webhook_id}/disable": _by_administrator(NOTHING),
    "POST /api/v1/webhooks/{webhook_id}/enable": _by_administrator(NOTHING),
    "POST /api/v1/webhooks/{webhook_id}/test": _by_administrator(NOTHING),
    "GET /api/v1/webhooks/{webhook_id}/deliveries": _reads_everything(),
    "POST /api/v1/deliveries/{delivery_id}/resend": _by_administrator(NOTHING),
}
