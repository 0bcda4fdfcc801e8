"""May this person, may this thing, in the programme."""

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from factcheck.enums import Verdict
from moderation.caller import Caller
from moderation.enums import Role, Scope
from moderation.permissions import Answer, all_of, may_administer, may_read_everything, no, yes_if
from moderation.selectors import switches

if TYPE_CHECKING:
    from datetime import datetime

    from factcheck.models import Partner, Rating

__all__ = [
    "holds_certificate",
    "may_administer",
    "may_lead",
    "may_rate",
    "may_read_everything",
    "may_read_people",
    "may_read_queue",
    "may_read_ratings",
    "may_see_partners",
    "may_see_queue",
    "may_undo",
    "may_withdraw",
    "may_work_queue",
    "ratings_go_on",
]


def may_see_queue(caller: Caller) -> Answer:
    return all_of(
        [
            yes_if(
                caller.acts_as(Role.REVIEWER, Role.LEAD) and caller.organisation is not None,
                _("Only reviewers of a partner see the queue."),
            ),
            yes_if(caller.has(Scope.QUEUE_WORK), _lacks_queue_work()),
        ]
    )


def may_read_queue(caller: Caller) -> Answer:
    """A partner's people their own part of it, an auditor all of it (domain 2)."""
    if caller.acts_as(Role.AUDITOR):
        return yes_if(caller.has(Scope.QUEUE_WORK), _lacks_queue_work())
    return may_see_queue(caller)


def may_work_queue(caller: Caller, partner: "Partner", *, now: "datetime") -> Answer:
    """See the queue and take from it: needs a certificate that holds, and no switch that stops ratings."""
    return all_of(
        [may_see_queue(caller), holds_certificate(partner, now=now), ratings_go_on(partner, now=now)]
    )


def may_rate(caller: Caller, partner: "Partner", *, now: "datetime") -> Answer:
    return may_work_queue(caller, partner, now=now)


def may_withdraw(caller: Caller, rating: "Rating") -> Answer:
    """The rater, or a lead of the same partner; a lapsed partner too."""
    if caller.organisation_id != rating.partner_id:
        return no(_("This is another partner's rating."))
    if not caller.has(Scope.QUEUE_WORK):
        return no(_lacks_queue_work())
    return yes_if(
        caller.acts_as(Role.LEAD) or rating.rated_by_id == caller.person_id,
        _("Only the rater or a lead of the partner changes a rating."),
    )


def may_undo(caller: Caller, rating: "Rating", *, now: "datetime", seconds: int) -> Answer:
    """The rater, within the undo time of the policy."""
    own = rating.rated_by_id == caller.person_id and caller.has(Scope.QUEUE_WORK)
    return yes_if(
        own and (now - rating.at).total_seconds() <= seconds,
        _("A rating can be undone by its rater within %(seconds)s seconds.") % {"seconds": seconds},
    )


def may_lead(caller: Caller, partner: "Partner") -> Answer:
    """A lead of this partner, or an administrator."""
    own = caller.acts_as(Role.LEAD) and caller.organisation_id == partner.pk and caller.has(Scope.QUEUE_WORK)
    return yes_if(own or bool(may_administer(caller)), _("Only a lead of this partner does this."))


def may_read_people(caller: Caller, partner: "Partner") -> Answer:
    """Who leads a partner, and auditors."""
    leads = may_lead(caller, partner)
    return leads if leads else yes_if(bool(may_read_everything(caller)), leads.reason)


def may_see_partners(caller: Caller) -> Answer:
    by_key = caller.acts_as(Role.API_CLIENT) and caller.has(Scope.PARTNERS_READ)
    return yes_if(
        by_key or bool(may_read_everything(caller)), _("Only administrators and auditors see partners.")
    )


def may_read_ratings(caller: Caller) -> Answer:
    """Claims and ratings of every partner: whoever works here, and programs that read decisions."""
    works = caller.acts_as(Role.REVIEWER, Role.LEAD, Role.POLICY_SPECIALIST, Role.ADMINISTRATOR, Role.AUDITOR)
    by_work = works and (caller.has(Scope.QUEUE_WORK) or caller.has(Scope.DESK_WORK))
    by_key = caller.client_id is not None and caller.has(Scope.DECISIONS_READ)
    return yes_if(
        by_work or by_key, _("Only people who work here and keys with decisions:read read ratings.")
    )


def _lacks_queue_work() -> str:
    return _("This key lacks the scope queue:work.")


def holds_certificate(partner: "Partner", *, now: "datetime") -> Answer:
    if partner.status != "active":
        return no(_("%(partner)s is suspended.") % {"partner": partner.name})
    return yes_if(
        partner.is_certified(now=now),
        _("%(partner)s has no certificate that holds today, so it cannot rate.") % {"partner": partner.name},
    )


def ratings_go_on(partner: "Partner", *, verdict: str = "", softens: bool = False, now: "datetime") -> Answer:
    """Whether no programme switch stops new ratings of the partner; with `verdict`, also of this one.

    Softening a rating goes on (`softens`), unless the softer verdict itself is stopped.
    """
    stops = switches.stops(organisation=partner.pk, country=partner.country, outcome=verdict, now=now)
    if not softens and any(not stop.outcome for stop in stops):
        return no(
            _(
                "The platform has stopped new ratings of %(partner)s. Ratings in force stay, and can be"
                " withdrawn or softened."
            )
            % {"partner": partner.name}
        )
    return yes_if(
        not any(stop.outcome for stop in stops),
        _("The platform has stopped new ratings “%(verdict)s” of %(partner)s.")
        % {
            "verdict": Verdict(verdict).label if verdict in Verdict.values else verdict,
            "partner": partner.name,
        },
    )
