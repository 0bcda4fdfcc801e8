"""A person's own settings."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from moderation.enums import Role, ViewerPreference
from moderation.forms import SettingsForm
from moderation.models import User
from moderation.policy import FULL
from moderation.selectors import feed, policies
from moderation.services import people
from moderation.views.doors import Visit, signed_in


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def preferences(request: Visit) -> HttpResponse:
    """Name, language, time zone, place, how rated posts rank in the feed, keyboard shortcuts, media in review."""
    own = User.objects.get(
        pk=request.user.pk
    )  # not request.user: a refused form must not rename the page's head
    languages = feed.languages(now=timezone.now())
    form = SettingsForm(request.POST if request.method == "POST" else None, instance=own, languages=languages)
    if request.method == "POST" and form.is_valid():
        people.change_settings(request.user.pk, **form.cleaned_data)
        messages.success(request, _("Your settings are saved."))
        return redirect("settings")
    reviews = any(capacity.role != Role.MEMBER for capacity in request.capacities)
    context = {"form": form, "reviews": reviews, "choices": _choices(form), "email": request.user.email}
    return render(request, "moderation/settings.html", context, status=422 if form.is_bound else 200)


def _choices(form: SettingsForm) -> list[dict[str, object]]:
    """The viewer's preference with what each choice does, in the policy's numbers."""
    rules = policies.at(timezone.now()).data
    false = rules["verdicts"]["false"]["multiplier"]["feed"]
    halved = false * rules["viewer_preference"][ViewerPreference.REDUCE_MORE] // FULL
    chosen = form["viewer_preference"].value()
    shares = {
        ViewerPreference.DEFAULT: false,
        ViewerPreference.REDUCE_MORE: max(halved, rules["floor"]["feed"]),
        ViewerPreference.DO_NOT_REDUCE: FULL,
    }
    return [
        {"value": p.value, "label": p.label, "share": shares[p], "chosen": chosen == p.value}
        for p in ViewerPreference
    ]
