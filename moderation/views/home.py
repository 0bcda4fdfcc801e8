"""Where somebody starts, and in which of their roles they act."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from moderation import navigation
from moderation.errors import Refused
from moderation.middleware import ACTING
from moderation.services import callers
from moderation.views.doors import Visit, signed_in


@require_GET
@signed_in
def home(request: Visit) -> HttpResponse:
    """To the start page of the role somebody acts in."""
    return redirect(navigation.home(request.caller))


@require_POST
@signed_in
def acting(request: Visit) -> HttpResponse:
    """Act in another role that the person holds; stay where they are if that role may be there."""
    wanted = request.POST.get("acting", "")
    if wanted not in {capacity.value for capacity in request.capacities}:
        raise Refused(_("You do not hold this role."))
    request.session[ACTING] = wanted
    caller = callers.choose(request.user, request.capacities, wanted)
    here = request.POST.get("next", "")
    if url_has_allowed_host_and_scheme(here, allowed_hosts=None) and navigation.leads_to(here, caller):
        return redirect(here)
    return redirect(navigation.home(caller))
