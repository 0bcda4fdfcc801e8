"""The way into the programme's pages: reviewers and leads of a partner, with the partner at hand."""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.http import HttpResponseBase
from django.utils.translation import gettext as _

from factcheck.models import Partner
from factcheck.permissions import may_see_queue
from factcheck.selectors import partners
from moderation.errors import Refused
from moderation.views.doors import Visit, signed_in


class Shift(Visit):
    """A request by somebody who acts for a partner."""

    partner: Partner


Page = Callable[..., HttpResponseBase]


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
