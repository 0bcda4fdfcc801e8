"""May this person do it, may it be done to this thing: one sentence for the button and for the refusal."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from moderation.caller import Caller
from moderation.enums import Role, Scope
from moderation.errors import Refused

if TYPE_CHECKING:
    from moderation.models import Flag, PolicyDraft, Proposal, Switch, User


@dataclass(frozen=True)
class Answer:
    """Yes, or no with the sentence a person reads."""

    allowed: bool
    reason: str = ""

    def __bool__(self) -> bool:
        return self.allowed

    def require(self) -> None:
        """Raise Refused with the sentence if the answer is no."""
        if not self.allowed:
            raise Refused(self.reason)


YES = Answer(True)


def no(reason: str) -> Answer:
    return Answer(False, reason)


def yes_if(condition: bool, reason: str) -> Answer:
    return YES if condition else no(reason)


def all_of(answers: Iterable[Answer]) -> Answer:
    return next((answer for answer in answers if not answer), YES)


def may_write_posts(caller: Caller) -> Answer:
    return yes_if(
        caller.role is Role.SYSTEM or (caller.client_id is not None and caller.has(Scope.POSTS_WRITE)),
        _("Only the platform's API client with posts:write may do this."),
    )


def may_see_posts(caller: Caller) -> Answer:
    """Posts as the platform told them, with their effect: its own programs and everybody who works here."""
    by_key = caller.has(Scope.POSTS_WRITE) or caller.has(Scope.DISTRIBUTION_READ)
    works = caller.acts_as(Role.REVIEWER, Role.LEAD, Role.POLICY_SPECIALIST, Role.ADMINISTRATOR, Role.AUDITOR)
    by_work = works and (caller.has(Scope.QUEUE_WORK) or caller.has(Scope.DESK_WORK))
    return yes_if(
        by_work or (caller.client_id is not None and by_key),
        _("Only the platform's API clients and people who work here read posts."),
    )


def may_send_signals(caller: Caller) -> Answer:
    return yes_if(
        caller.role is Role.SYSTEM or (caller.client_id is not None and caller.has(Scope.SIGNALS_WRITE)),
        _("Only an API client with signals:write may do this."),
    )


def may_flag(caller: Caller) -> Answer:
    if caller.client_id is not None:
        return yes_if(caller.has(Scope.FLAGS_WRITE), _("This key lacks the scope flags:write."))
    return yes_if(caller.person_id is not None or caller.role is Role.SYSTEM, _("Sign in to flag a post."))


def may_flag_for_others(caller: Caller) -> Answer:
    return yes_if(
        caller.role is Role.SYSTEM or (caller.acts_as(Role.API_CLIENT) and caller.has(Scope.FLAGS_WRITE)),
        _("Only the platform flags on behalf of its members."),
    )


def may_withdraw(caller: Caller, flag: "Flag") -> Answer:
    """The reporter, or the platform for the members it reports for."""
    own = caller.person_id is not None and flag.reporter.person_id == caller.person_id
    for_member = flag.reporter.external_id is not None and bool(may_flag_for_others(caller))
    return yes_if(own or for_member, _("Only who raised a flag withdraws it."))


def may_work_desk(caller: Caller) -> Answer:
    return all_of(
        [
            yes_if(
                caller.acts_as(Role.POLICY_SPECIALIST), _("Only a policy specialist decides escalations.")
            ),
            yes_if(caller.has(Scope.DESK_WORK), _("This key lacks the scope desk:work.")),
        ]
    )


def may_see_desk(caller: Caller) -> Answer:
    by_scope = caller.has(Scope.DECISIONS_READ) or caller.has(Scope.DESK_WORK)
    return yes_if(
        (caller.acts_as(Role.POLICY_SPECIALIST, Role.AUDITOR) and by_scope)
        or (caller.acts_as(Role.API_CLIENT) and caller.has(Scope.DECISIONS_READ)),
        _("Only policy specialists and auditors see the policy desk."),
    )


def may_judge_proposal(caller: Caller, proposal: "Proposal") -> Answer:
    if caller.person_id is not None and proposal.proposed_by_id == caller.person_id:
        return no(_("Another specialist must confirm: you proposed this."))
    return may_work_desk(caller)


# Said beside the closed act and in the refusal (domain 8).
HIDDEN_BEFORE = gettext_lazy("This version was hidden on this ground before; a hide cannot be repeated.")
RESTRICTED_BEFORE = gettext_lazy(
    "This version was restricted by one key on this ground before; a longer restriction needs two."
)


def may_escalate(caller: Caller) -> Answer:
    return all_of(
        [
            yes_if(
                caller.acts_as(Role.REVIEWER, Role.LEAD, Role.POLICY_SPECIALIST),
                _("Only reviewers and policy specialists escalate."),
            ),
            yes_if(
                caller.has(Scope.QUEUE_WORK) or caller.has(Scope.DESK_WORK),
                _("This key lacks the scope queue:work."),
            ),
        ]
    )


def may_note(caller: Caller) -> Answer:
    """Internal notes are for whoever works on items and cases."""
    return may_escalate(caller)


def may_administer(caller: Caller) -> Answer:
    return yes_if(
        caller.acts_as(Role.ADMINISTRATOR) and caller.client_id is None,
        _("Only an administrator does this."),
    )


def may_change_policy_draft(caller: Caller, draft: "PolicyDraft") -> Answer:
    if caller.person_id != draft.author_id:
        return no(_("Only its author changes a draft; you can draft your own from the same version."))
    return may_administer(caller)


def may_judge_policy_draft(caller: Caller, draft: "PolicyDraft") -> Answer:
    if caller.person_id == draft.author_id:
        return no(_("Another administrator must judge: you wrote this."))
    return may_administer(caller)


def may_judge_switch(caller: Caller, switch: "Switch") -> Answer:
    if caller.person_id == switch.proposed_by_id:
        return no(_("Another administrator must confirm: you proposed this."))
    return may_administer(caller)


def may_withdraw_switch(caller: Caller, switch: "Switch") -> Answer:
    if caller.person_id != switch.proposed_by_id:
        return no(_("Only who proposed a switch withdraws it; you can refuse it."))
    return may_administer(caller)


def may_turn_off(caller: Caller, person: "User") -> Answer:
    if caller.person_id == person.pk:
        return no(_("You cannot turn off your own account; another administrator can."))
    return may_administer(caller)


def may_read_everything(caller: Caller) -> Answer:
    return yes_if(
        caller.acts_as(Role.ADMINISTRATOR, Role.AUDITOR) and caller.client_id is None,
        _("Only administrators and auditors see this."),
    )


def may_read_distribution(caller: Caller) -> Answer:
    return yes_if(
        caller.client_id is not None and caller.has(Scope.DISTRIBUTION_READ),
        _("Only an API client with distribution:read reads effective states."),
    )
