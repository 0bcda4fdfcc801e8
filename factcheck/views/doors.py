"""The way into the programme's pages: for reviewers and leads with their partner at hand, for auditors to read."""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.http import HttpResponseBase
from django.utils.translation import gettext as _

from factcheck.models import Partner
from factcheck.permissions import may_read_queue, may_see_queue
from factcheck.selectors import partners
from moderation.errors import Refused
from moderation.views.doors import Visit, signed_in


class Reading(Visit):
    """A request by somebody who reads what partners work on: for a partner, or for none, as an auditor does."""

    partner: Partner | None


class Shift(Reading):
    """A request by somebody who acts for a partner."""

    partner: Partner


Page = Callable[..., HttpResponseBase]


def reading(view: Page) -> Page:
    """For whoever may read the queue; a page shows acts only where `partner` is somebody's."""

    @signed_in
    @wraps(view)
    def checked(request: Visit, *args: Any, **kwargs: Any) -> HttpResponseBase:
        may_read_queue(request.caller).require()
        read = cast(Reading, request)
        read.partner = partners.of(request.caller)
        return view(read, *args, **kwargs)

    return checked


def reviewing(view: Page) -> Page:
    """Only for reviewers and leads; others read why (403)."""

    @signed_in
    @wraps(view)
    def checked(request: Visit, *args: Any, **kwargs: Any) -> HttpResponseBase:
        may_see_queue(request.caller).require()
        partner = partners.of(request.caller)
        if partner is None:
            raise Refused(_("Only reviewers of a partner see the queue."))
        shift = cast(Shift, request)
        shift.partner = partner
        return view(shift, *args, **kwargs)

    return checked
