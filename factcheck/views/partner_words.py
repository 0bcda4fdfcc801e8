"""Partners and their people in words: the certificate's state, and what an act would do, in numbers."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from factcheck.enums import MembershipRole, PartnerStatus
from factcheck.models import Certification, Membership, Partner
from factcheck.selectors.partners import ENDS_SOON
from moderation import iso
from moderation.selectors.access import Access


def certificate(partner: Partner, until: datetime | None, *, now: datetime) -> dict[str, str]:
    """The state of a partner's certification: `code`, words, icon and tone say the same."""
    if until is None:
        return {"code": "none", "words": _("Not certified"), "icon": "file-certificate", "tone": "bad"}
    day = last_day(until, partner)
    if until <= now:
        words = _("Lapsed on %(day)s") % {"day": day}
        return {"code": "lapsed", "words": words, "icon": "alert-octagon", "tone": "bad"}
    if until - now <= ENDS_SOON:
        days = (until - now).days
        words = (
            ngettext("Ends in %(n)d day", "Ends in %(n)d days", days) % {"n": days}
            if days
            else _("Ends today")
        )
        return {"code": "soon", "words": words, "icon": "hourglass", "tone": "warn"}
    words = _("Holds until %(day)s") % {"day": day}
    return {"code": "holds", "words": words, "icon": "certificate", "tone": "good"}


def last_day(until: datetime, partner: Partner) -> str:
    """The last day on which something that ends at `until` holds, where the partner works."""
    local = (until - timedelta(seconds=1)).astimezone(ZoneInfo(partner.time_zone))
    return date_format(local, "j M Y")


def certificate_row(row: Certification, partner: Partner, *, now: datetime) -> dict[str, Any]:
    """One line of the certification's history."""
    return {
        "body": row.body,
        "later": row.valid_from > now,
        "holds": row.valid_from <= now < row.valid_until,
        "first": date_format(row.valid_from.astimezone(ZoneInfo(partner.time_zone)), "j M Y"),
        "last": last_day(row.valid_until, partner),
        "recorded_at": row.recorded_at,
        "recorded_by": row.recorded_by,
    }


def coverage(partner: Partner) -> dict[str, list[dict[str, str]]]:
    """Its home, languages and countries, each with its code and its name."""
    home = [partner.country] if partner.country else []
    return {
        "home": [{"code": c, "name": iso.country_name(c) or c} for c in home],
        "languages": [{"code": c, "name": iso.language_name(c) or c} for c in partner.languages],
        "countries": [{"code": c, "name": iso.country_name(c) or c} for c in partner.countries],
    }


def suspending(people: int, access: Access, ratings: int) -> Iterator[str]:
    """What suspending a partner does."""
    yield ngettext(
        "%(n)d person loses access now: sessions and keys end at once.",
        "%(n)d people lose access now: sessions and keys end at once.",
        people,
    ) % {"n": people}
    yield from _leases(access)
    yield from _keys(access)
    yield ngettext(
        "Its %(n)s rating stays in force, with its effects and strikes.",
        "Its %(n)s ratings stay in force, with their effects and strikes.",
        ratings,
    ) % {"n": number_format(ratings, force_grouping=True)}
    yield _("Open invitations rest until it is resumed.")


def resuming(partner: Partner, people: int, state: dict[str, str]) -> Iterator[str]:
    yield ngettext(
        "%(n)d person may sign in and work again.", "%(n)d people may sign in and work again.", people
    ) % {"n": people}
    if state["code"] in ("none", "lapsed"):
        yield _("It stays without a certificate: they may read and soften, not take or rate.")


def ending(membership: Membership, access: Access, *, removing: bool, self_act: bool) -> Iterator[str]:
    """What suspending or removing somebody does."""
    if self_act:
        yield _("This is you: you are signed out at once.")
    else:
        yield _("Their sessions and keys end at once.")
    yield from _leases(access)
    yield from _keys(access)
    yield _("What they rated stays the organisation's.")
    if removing:
        yield _("To come back they need a new invitation.")
    else:
        yield _("You can resume them at any time.")


def changing(role: MembershipRole) -> Iterator[str]:
    """What a change of role does."""
    if role == MembershipRole.LEAD:
        yield _("They can invite, suspend and remove people, and answer disputes, from their next click on.")
    else:
        yield _(
            "They keep reviewing, and can no longer change people or answer disputes, from their next click on."
        )


def status_chip(partner: Partner) -> dict[str, str]:
    if partner.status == PartnerStatus.SUSPENDED:
        return {"label": _("Suspended"), "icon": "player-pause", "tone": "bad"}
    return {"label": _("Active"), "icon": "circle-check", "tone": "good"}


def _leases(access: Access) -> Iterator[str]:
    if access.leases:
        yield ngettext(
            "%(n)d item they hold goes back to the queue, free for others.",
            "%(n)d items they hold go back to the queue, free for others.",
            access.leases,
        ) % {"n": access.leases}
    else:
        yield _("No item is held: the queue does not change.")


def _keys(access: Access) -> Iterator[str]:
    if access.keys:
        yield ngettext("%(n)d API key stops working.", "%(n)d API keys stop working.", access.keys) % {
            "n": access.keys
        }
