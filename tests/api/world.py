"""A small world for the walk: two partners that share nothing, and one of everything for each to find."""

import uuid
from datetime import timedelta
from typing import Any

from factcheck.enums import MembershipRole
from factcheck.models import Claim, Membership, Partner
from factcheck.services import people
from moderation.caller import Caller
from moderation.enums import DeskAction, Ground, Scope, SwitchKind
from moderation.models import FanOut, Post, ReviewItem
from moderation.services import deliveries, escalations, flags, policies, switches, webhooks
from moderation.services.escalations import CaseRef
from tests.api.clients import Api, as_person, key
from tests.api.expectations import EVERYBODY, PROGRAMS
from tests.factories import platform as p
from tests.factories import programme as f
from tests.factories.platform import Clock

OWN, FOREIGN, MISSING = "own", "foreign", "missing"


class World:
    """`own` is what the callers of the first partner, or the caller themselves, find as theirs."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.past = (clock() - timedelta(hours=1)).isoformat()
        self.future = (clock() + timedelta(days=1)).isoformat()
        here = f.partner(clock=clock, languages=("en",))
        there = f.partner(clock=clock, languages=("fr",))
        self.domain = here.domains[0]
        rita, lena = f.reviewer(here, clock=clock), f.lead(here, clock=clock)
        luc, lou = f.reviewer(there, clock=clock), f.lead(there, clock=clock)
        self.people: dict[str, Caller] = {
            "member": p.member(clock=clock),
            "reviewer": rita,
            "lead": lena,
            "policy_specialist": p.specialist(clock=clock),
            "administrator": p.administrator(clock=clock),
            "auditor": p.auditor(clock=clock),
        }
        self.ids: dict[str, str] = {}
        self._objects = {OWN: self._objects_of(here, rita, lena), FOREIGN: self._objects_of(there, luc, lou)}
        self._flags = {kind: str(self._flag(kind)) for kind in EVERYBODY if kind != "anonymous"}
        self.ids |= {"post": self._objects[OWN]["post"]} | self._case(p.specialist(clock=clock))
        draft = policies.draft(base=1, caller=self.people["administrator"], now=clock())
        self.ids["draft"], self.policy = str(draft.pk), draft.data
        switch = switches.propose(
            kind=SwitchKind.LIFT_EFFECTS, country="US", reason="So.", now=clock(),
            caller=self.people["administrator"],
        )  # fmt: skip
        self.ids["switch"] = str(switch.pk)
        admin = {"caller": self.people["administrator"], "now": clock()}
        hook, _ = webhooks.add(name="A", url="https://hooks.example/", event_types=["post.removed"], **admin)
        self.ids |= {"webhook": str(hook.pk), "delivery": str(deliveries.ping(hook.pk, **admin).pk)}
        for which in (FOREIGN, OWN):  # a decision on its way over each claim
            cluster = Claim.objects.get(pk=self._objects[which]["claim_id"]).cluster
            self.ids["fan_out"] = str(FanOut.objects.create(cluster=cluster, total=2, started_at=clock()).pk)
        self.keys = {kind: self._key(kind) for kind in EVERYBODY if kind not in ("anonymous", *self.people)}
        self.callers = {kind: self._sign_in(kind) for kind in EVERYBODY}

    def _sign_in(self, kind: str) -> Api:
        person = self.people.get(kind)
        return as_person(person) if person else Api(key=self.keys.get(kind, ""))

    def address(self, template: str, which: str, kind: str) -> str:
        """The route's path with ids of what is own, foreign or missing to this kind of caller."""
        ids = {
            "case_id": self.ids["case"],
            "draft_id": self.ids["draft"],
            "switch_id": self.ids["switch"],
            "fan_out_id": self.ids["fan_out"],
            "number": "1",
            "webhook_id": self.ids["webhook"],
            "delivery_id": self.ids["delivery"],
            **self._objects[FOREIGN if which == FOREIGN else OWN],
            "flag_id": self._flags["member" if which == FOREIGN and kind != "member" else kind]
            if kind != "anonymous" and not (which == FOREIGN and kind == "member")
            else self._flags["auditor"],
        }
        if which == MISSING:
            ids = dict.fromkeys(ids, str(uuid.uuid4())) | {"number": "404"}
        return template.format(**ids)

    # ── bodies ─────────────────────────────────────────────────────────────────────────────────────

    def post_body(self) -> dict[str, Any]:
        return {
            "external_id": "walk/1",
            "actor": {"kind": "page", "external_id": "page/1", "name": "Town Square"},
            "text": "The well is deep.",
            "language": "en",
            "published_at": self.past,
        }

    def flag_body(self) -> dict[str, Any]:
        return {"post": self.ids["post"], "reason": "scam"}

    def on_case(self) -> dict[str, Any]:
        return {"version": int(self.ids["case_version"]), "explanation": "We looked at it."}

    def verdict(self) -> dict[str, Any]:
        return {
            "verdict": "partly_false",
            "headline": "Not quite",
            "explanation": "Half of it.",
            "article_url": f"https://{self.domain}/checks/1",
        }

    def draft_body(self) -> dict[str, Any]:
        return {"version": 1, "data": self.policy, "reason": "Better so.", "valid_from": None}

    def partner_body(self) -> dict[str, Any]:
        return {"name": "New Checks", "languages": ["en"], "domains": ["new.example"]}

    # ── what there is ──────────────────────────────────────────────────────────────────────────────

    def _objects_of(self, partner: Partner, reviewer: Caller, lead: Caller) -> dict[str, str]:
        language = partner.languages[0]
        flagged = self._post(language)
        p.flag(flagged, clock=self.clock)
        p.settle(self.clock)
        item = f.taken(flagged, by=reviewer, clock=self.clock)
        rating = f.rate(self._post(language), by=reviewer, clock=self.clock)
        match = rating.claim.matches.get()
        members = Membership.objects.filter(partner=partner, person_id=reviewer.person_id)
        return {
            "post": str(self._post(language).pk),
            "item_id": str(ReviewItem.objects.get(pk=item.pk).pk),
            "rating_id": str(rating.pk),
            "claim_id": str(rating.claim_id),
            "match_id": str(match.pk),
            "partner_id": str(partner.pk),
            "membership_id": str(members.get().pk),
            "invitation_id": str(self._invitation(partner, lead)),
        }

    def _post(self, language: str) -> Post:
        return p.post(f"One of the {language} stories.", clock=self.clock, language=language)

    def _invitation(self, partner: Partner, by: Caller) -> uuid.UUID:
        who = {"caller": by, "now": self.clock()}
        invited, _ = people.invite(partner, email="x@people.example", role=MembershipRole.REVIEWER, **who)
        return invited.pk

    def _flag(self, kind: str) -> uuid.UUID:
        """A flag of this caller's own: a person's, or told by the platform for a member."""
        post = self._post("en")
        by = self.people.get(kind)
        if by is not None:
            return p.flag(post, clock=self.clock, by=by).pk
        assert post.current_version_id is not None
        raised = flags.raise_flag(
            version_id=post.current_version_id,
            reason="scam",  # type: ignore[arg-type]
            reporter_external_id=f"member/{kind}",
            caller=p.SYSTEM,
            now=self.clock(),
        )
        return raised.flag.pk

    def _case(self, by: Caller) -> dict[str, str]:
        version = self._post("en").current_version_id
        assert version is not None
        who = {"caller": by, "now": self.clock()}
        case, _ = escalations.open_case(version_id=version, ground=Ground.HATE, note="See.", **who)
        proposal = escalations.propose(
            CaseRef(case.pk, case.version),
            action=DeskAction.REMOVE,
            ground=Ground.HATE,
            explanation="It attacks a group.",
            policy_section="Hate 1",
            **who,
        )
        case.refresh_from_db()
        return {"case": str(case.pk), "case_version": str(case.version), "proposal": str(proposal.pk)}

    def _key(self, kind: str) -> str:
        if kind in PROGRAMS:
            return key(Scope(kind.partition(":")[2]), clock=self.clock)
        role, scope = {
            "reviewer's key": ("reviewer", Scope.QUEUE_WORK),
            "lead's key": ("lead", Scope.QUEUE_WORK),
            "specialist's key": ("policy_specialist", Scope.DESK_WORK),
        }[kind]
        return key(scope, clock=self.clock, of=self.people[role])
