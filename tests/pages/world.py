"""The small world of the API's walk, with what pages address besides."""

import hashlib
import uuid
from typing import Any

from factcheck.enums import MembershipRole
from factcheck.models import Partner
from factcheck.services import people
from moderation.caller import Caller
from moderation.enums import OutboxKind
from moderation.models import ApiClient, Escalation, Outbox, Post, ReviewItem
from moderation.services import media
from tests.api.world import FOREIGN, MISSING, World
from tests.factories import platform as p

PICTURE = b"GIF89a"


class PageWorld(World):
    """`own` is what the people of the first partner, or the visitor themselves, find as theirs."""

    def __init__(self, clock: Any) -> None:
        super().__init__(clock)
        mine = self._objects["own"]
        item = ReviewItem.objects.get(pk=mine["item_id"])
        self.ids |= {
            "version": str(Post.objects.get(pk=self.ids["post"]).current_version_id),
            "item_version": str(item.displayed_version_id),
            "claim": mine["claim_id"],
            "case_shown": str(Escalation.objects.get(pk=self.ids["case"]).post.current_version_id),
        }
        digest = hashlib.sha256(PICTURE).hexdigest()
        self.media = {"folder": digest[:2], "digest": digest, "suffix": "gif"}
        media.keep(PICTURE, suffix=".gif")
        p.settle(clock)
        failed = Outbox.objects.create(
            kind=OutboxKind.PUBLISH, target=self.ids["post"], queue="effects", at=clock(), available_at=clock(),
            failed_at=clock(), error="Down",
        )  # fmt: skip
        self.staff = {
            "row_id": str(failed.pk),
            "key_id": str(ApiClient.objects.values_list("pk", flat=True)[0]),
            "person_id": str(p.auditor(clock=clock).person_id),
        }

    def _objects_of(self, partner: Partner, reviewer: Caller, lead: Caller) -> dict[str, str]:
        invited, token = people.invite(
            partner, email="y@people.example", role=MembershipRole.REVIEWER, caller=lead, now=self.clock()
        )
        return {
            **super()._objects_of(partner, reviewer, lead),
            "slug": partner.slug,
            "token": token,
            "revocable": str(invited.pk),
        }

    def kwargs(self, names: list[str], which: str, kind: str) -> dict[str, str]:
        """What an address is made of for what is own, foreign or missing to this visitor."""
        found = {
            **self._objects[FOREIGN if which == FOREIGN else "own"],
            **self.media,
            **self.staff,
            "case_id": self.ids["case"],
            "proposal_id": self.ids["proposal"],
            "post_id": self.ids["post"],
            "flag_id": self._flags[self._whose(which, kind)],
            "draft_id": self.ids["draft"],
            "switch_id": self.ids["switch"],
            "fan_out_id": self.ids["fan_out"],
            "webhook_id": self.ids["webhook"],
            "delivery_id": self.ids["delivery"],
            "number": "1",
            "move": "withdraw",
        }
        if which == MISSING:
            found = {
                **dict.fromkeys(found, str(uuid.uuid4())),
                "digest": "0" * 64,
                "folder": "00",
                "suffix": "gif",
                "number": "404",
                "move": "withdraw",
            }
        return {name: found[name] if name != "verb" else "suspend" for name in names}

    @staticmethod
    def _whose(which: str, kind: str) -> str:
        if which == FOREIGN or kind == "anonymous":
            return "auditor" if kind != "auditor" else "member"
        return kind

    # ── forms ──────────────────────────────────────────────────────────────────────────────────────

    def decision(self) -> dict[str, Any]:
        return {
            **self._on_case(),
            "act": "hide",
            "ground": "hate",
            "where": "everywhere",
            "explanation": "Your post attacks a group.",
        }

    def second_key(self) -> dict[str, Any]:
        return {**self._on_case(), "verdict": "refuse", "reason": "It quotes somebody."}

    def _on_case(self) -> dict[str, Any]:
        return {"version": self.ids["case_version"], "shown": self.ids["case_shown"], "step": "confirmed"}
