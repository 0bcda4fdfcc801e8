"""A small platform with everybody in it, and the acts they may do in any order; refusals are part of life."""

import random
from collections.abc import Callable
from typing import Any

from django.db import transaction

from factcheck.models import Claim, Match, Partner, Rating
from factcheck.services import claims, leases, matches, ratings
from factcheck.services.claims import ClaimDraft
from factcheck.services.ratings import RatingDraft
from moderation.caller import SYSTEM, Caller
from moderation.enums import DeskAction, FlagReason, Ground, OutboxKind, SwitchKind
from moderation.errors import DomainError
from moderation.models import Escalation, Flag, Outbox, Post, Proposal, ReviewItem, Switch
from moderation.services import enforcement, escalations, flags, posts, switches
from moderation.services.escalations import CaseRef
from moderation.services.queue import ItemRef
from tests.factories import platform as p
from tests.factories import programme as f

# Two that are long enough to be copied word for word, two that are not.
TEXTS = (
    "Breaking: the town well is poisoned and nobody tells you the truth about it",
    "They say that lemon water cures dengue within a single day, and doctors hide it",
    "The mayor sold the park.",
    "Schools close on Monday.",
)
HOMES = ("US", "FR", "")  # of the pages
WORDS = {"explanation": "Calls for an attack.", "policy_section": "Violence 1"}


class World:
    """Three partners, two specialists, two administrators, three members, three pages; no post yet."""

    def __init__(self) -> None:
        self.clock = p.Clock()
        self.partners = [f.partner(clock=self.clock, country=home) for home in ("US", "", "FR")]
        self.reviewers = [f.lead(partner, clock=self.clock) for partner in self.partners]
        self.specialists = [p.specialist(clock=self.clock) for _ in range(2)]
        self.administrators = [p.administrator(clock=self.clock) for _ in range(2)]
        self.members = [p.member(clock=self.clock) for _ in range(3)]

    # ── who and what ────────────────────────────────────────────────────────────────────────────

    def post(self, n: int) -> Post | None:
        return _nth(Post.objects.order_by("id"), n)

    def partner_of(self, reviewer: Caller) -> Partner:
        return next(partner for partner in self.partners if partner.pk == reviewer.organisation_id)

    def draft(self, reviewer: Caller, verdict: str, claim: ClaimDraft | None = None) -> RatingDraft:
        made = f.draft(self.partner_of(reviewer), verdict)
        return RatingDraft(**{**made.__dict__, "claim": claim or made.claim})

    # ── acts: each returns what it made, or None if there was nothing to act on or it was refused ──

    def publish(self, text: int, actor: int) -> Post:
        return p.post(TEXTS[text], clock=self.clock, actor=f"page-{actor}", country=HOMES[actor])

    def publish_and_rate(self, text: str, actor: int, reviewer: int, verdict: str) -> object:
        post = p.post(text, clock=self.clock, actor=f"page-{actor}", country=HOMES[actor])
        by = self.reviewers[reviewer]
        return _try(lambda: f.rate(post, verdict, by=by, clock=self.clock, claim=text))

    def edit(self, post: int, text: int) -> object:
        of = self.post(post)
        return of and _try(lambda: p.edit(of, TEXTS[text], clock=self.clock))

    def delete(self, post: int) -> object:
        of = self.post(post)
        return of and _try(lambda: posts.delete(of.pk, caller=SYSTEM, now=self.clock()))

    def flag(self, post: int, member: int, reason: FlagReason) -> object:
        of = self.post(post)
        return of and _try(lambda: p.flag(of, by=self.members[member], reason=reason, clock=self.clock))

    def withdraw_flag(self, n: int) -> object:
        flag = _nth(Flag.objects.filter(withdrawn_at__isnull=True).order_by("id"), n)
        by = (
            next(m for m in self.members if flag and m.person_id == flag.reporter.person_id) if flag else None
        )
        return flag and _try(lambda: flags.withdraw(flag.pk, caller=by, now=self.clock()))

    def hold(self, n: int, reviewer: int) -> object:
        item = _nth(ReviewItem.objects.filter(status="open").order_by("id"), n)
        return item and _try(lambda: leases.take(item.pk, caller=self.reviewers[reviewer], now=self.clock()))

    def put_back(self, n: int, reviewer: int) -> object:
        item = _nth(ReviewItem.objects.filter(status="open", holder__isnull=False).order_by("id"), n)
        return item and _try(
            lambda: leases.release(item.pk, caller=self.reviewers[reviewer], now=self.clock())
        )

    def rate(self, post: int, reviewer: int, verdict: str, named: int | None) -> object:
        """Rate a post's item: a claim of its own, or one that is known already."""
        of, by = self.post(post), self.reviewers[reviewer]
        known = _nth(Claim.objects.order_by("id"), named) if named is not None else None

        def act() -> Rating:
            item = f.taken(of, by=by, clock=self.clock)  # type: ignore[arg-type]
            claim = ClaimDraft(id=known.pk) if known and item.post_id else None
            return self._submit(item, by, verdict, claim)

        return of and _try(act)

    def rate_item(self, n: int, reviewer: int, verdict: str) -> object:
        """Rate whatever is open: a conflict, a re-check, a claim's item."""
        item, by = _nth(ReviewItem.objects.filter(status="open").order_by("id"), n), self.reviewers[reviewer]

        def act() -> Rating:
            return self._submit(leases.take(item.pk, caller=by, now=self.clock()), by, verdict, None)  # type: ignore[union-attr]

        return item and _try(act)

    def rate_claim(self, n: int, reviewer: int, verdict: str) -> object:
        """Rate a claim that another partner rated."""
        claim, by = _nth(Claim.objects.order_by("id"), n), self.reviewers[reviewer]

        def act() -> Rating:
            item = claims.pick(claim_id=claim.pk, caller=by, now=self.clock())  # type: ignore[union-attr]
            return self._submit(leases.take(item.pk, caller=by, now=self.clock()), by, verdict, None)

        return claim and _try(act)

    def not_eligible(self, n: int, reviewer: int) -> object:
        item, by = _nth(ReviewItem.objects.filter(status="open").order_by("id"), n), self.reviewers[reviewer]

        def act() -> object:
            held = leases.take(item.pk, caller=by, now=self.clock())  # type: ignore[union-attr]
            ref = ItemRef(held.pk, held.version)
            return ratings.not_eligible(ref, reason="An opinion.", caller=by, now=self.clock())

        return item and _try(act)

    def revise(self, n: int, verdict: str) -> object:
        rating = _nth(self.in_force(), n)
        by = self._rater(rating)
        return rating and _try(
            lambda: ratings.revise(rating.pk, self.draft(by, verdict), caller=by, now=self.clock())
        )

    def withdraw(self, n: int) -> object:
        rating = _nth(self.in_force(), n)
        return rating and _try(
            lambda: ratings.withdraw(
                rating.pk, reason="We were wrong.", caller=self._rater(rating), now=self.clock()
            )
        )

    def undo(self, n: int) -> object:
        rating = _nth(self.in_force().order_by("-id"), n)
        return rating and _try(lambda: ratings.undo(rating.pk, caller=self._rater(rating), now=self.clock()))

    def match(self, post: int, claim: int, reviewer: int) -> object:
        of, known, by = self.post(post), _nth(Claim.objects.order_by("id"), claim), self.reviewers[reviewer]
        if of is None or known is None:
            return None
        version = of.current_version
        return _try(lambda: matches.confirm(known, version, caller=by, now=self.clock()))  # type: ignore[arg-type]

    def reject(self, n: int, reviewer: int) -> object:
        match = _nth(Match.objects.order_by("id"), n)
        return match and _try(
            lambda: matches.reject(match.pk, caller=self.reviewers[reviewer], now=self.clock())
        )

    def escalate(self, post: int, ground: Ground) -> object:
        of = self.post(post)
        return of and _try(
            lambda: escalations.open_case(
                version_id=of.current_version_id,  # type: ignore[arg-type]
                ground=ground,
                note="",
                caller=self.specialists[0],
                now=self.clock(),
            )
        )

    def desk(self, n: int, verb: str, regions: tuple[str, ...] = (), specialist: int = 0) -> object:
        """One act on a case: hide, keep, restrict, restore, propose, confirm, refuse."""
        case = _nth(Escalation.objects.order_by("id"), n)
        return case and _try(lambda: self._desk(case, verb, regions, self.specialists[specialist]))

    def switch_on(self, kind: SwitchKind, country: str, partner: int | None, outcome: str) -> object:
        """Propose a switch, try it and turn its second key."""
        first, second = self.administrators

        def act() -> Switch:
            made = switches.propose(
                kind=kind,
                country=country,
                organisation=None if partner is None else self.partners[partner].pk,
                outcome=outcome,
                reason="So that it is on.",
                caller=first,
                now=self.clock(),
            )
            waiting = Outbox.objects.filter(kind=OutboxKind.DRY_RUN_SWITCH, target=made.pk)
            while waiting.update(available_at=p.Clock().now):  # before all others
                enforcement.drain("maintenance", limit=1, now=self.clock)
            return switches.confirm(made.pk, version=made.version, caller=second, now=self.clock())

        return _try(act)

    def switch_back(self, n: int) -> object:
        made = _nth(Switch.objects.filter(status="on").order_by("id"), n)
        return made and _try(
            lambda: switches.give_back(
                made.pk, version=made.version, caller=self.administrators[0], now=self.clock()
            )
        )

    def work(self, rows: int, seed: int) -> int:
        """Do some of the waiting rows, in an order that nothing promises; returns how many."""
        order = random.Random(seed)
        for done in range(rows):
            waiting = list(Outbox.objects.filter(failed_at__isnull=True).order_by("id"))
            if not waiting:
                return done
            chosen = order.choice(waiting)
            Outbox.objects.filter(pk=chosen.pk).update(available_at=p.Clock().now)  # before all others
            enforcement.drain(chosen.queue, limit=1, now=self.clock)
        return rows

    def reverse_everything(self) -> None:
        """Withdraw every rating, take every measure of the desk back, close every case, return every switch."""
        while self.switch_back(0):
            pass
        for rating in self.in_force():
            ratings.withdraw(rating.pk, reason="We were wrong.", caller=self._rater(rating), now=self.clock())
        for case in Escalation.objects.order_by("id"):
            for verb in {"open": ["keep"], "proposed": ["refuse", "keep"], "kept": []}.get(
                case.status, ["restore"]
            ):
                case.refresh_from_db()
                self._desk(case, verb, (), self._second(case))

    # ── inside ──────────────────────────────────────────────────────────────────────────────────

    def in_force(self) -> Any:
        return Rating.objects.filter(superseded_by__isnull=True, withdrawal__isnull=True).order_by("id")

    def _rater(self, rating: Rating | None) -> Any:
        return next((r for r in self.reviewers if rating and r.person_id == rating.rated_by_id), None)

    def _second(self, case: Escalation) -> Caller:
        waiting = Proposal.objects.filter(escalation=case, status="waiting").first()
        by = waiting.proposed_by_id if waiting else None
        return next(s for s in self.specialists if s.person_id != by)

    def _submit(self, item: ReviewItem, by: Caller, verdict: str, claim: ClaimDraft | None) -> Rating:
        ref = ItemRef(item.pk, item.version)
        draft = self.draft(by, verdict, claim or (ClaimDraft() if item.cluster_id else None))
        return ratings.submit(ref, draft, caller=by, now=self.clock())

    def _desk(self, case: Escalation, verb: str, regions: tuple[str, ...], by: Caller) -> object:
        ref, now = CaseRef(case.pk, case.version), self.clock()
        if verb in ("confirm", "refuse"):
            proposal = Proposal.objects.filter(escalation=case, status="waiting").first()
            if proposal is None:
                return None
            if verb == "confirm":
                return escalations.confirm(proposal.pk, caller=by, now=now)
            return escalations.refuse(proposal.pk, reason="A quotation.", caller=by, now=now)
        if verb in ("propose", "propose restriction"):
            action = DeskAction.REMOVE if verb == "propose" else DeskAction.RESTRICT
            return escalations.propose(
                ref, action=action, ground=Ground.HATE, regions=regions, caller=by, now=now, **WORDS
            )
        if verb == "restrict":
            return escalations.restrict(ref, regions=regions, caller=by, now=now, **WORDS)
        act: Callable[..., object] = getattr(escalations, verb)
        return act(ref, explanation=WORDS["explanation"], caller=by, now=now)


def _nth(rows: Any, n: int | None) -> Any:
    """The n-th of some rows, counted round; None if there are none."""
    ids = list(rows.values_list("pk", flat=True)) if n is not None else []
    return rows.model.objects.get(pk=ids[n % len(ids)]) if ids else None  # type: ignore[operator]


def _try(act: Callable[[], Any]) -> Any:
    try:
        with transaction.atomic():
            return act()
    except DomainError:
        return None
