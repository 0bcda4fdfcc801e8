"""Flagging a post, and what became of one's flags."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from moderation.enums import FlagReason
from moderation.errors import Conflict
from moderation.forms import REASON_MEANS, FlagForm, language_label
from moderation.models import Flag, Post, PostVersion
from moderation.permissions import may_flag
from moderation.selectors import members, policies
from moderation.services import flags
from moderation.views import cards, flag_states
from moderation.views.doors import Visit, signed_in
from moderation.views.pages import cursor_page

PER_PAGE = 20


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def flag(request: Visit, post_id: uuid.UUID) -> HttpResponse:
    """The flag dialog, as a page of its own and as a <dialog> for htmx; sending it twice is one flag."""
    may_flag(request.caller).require()
    post = get_object_or_404(Post.objects.select_related("actor"), pk=post_id)
    version = _version_seen(request, post)
    live = members.live_flag_on(version, request.caller)
    if live is not None and request.method != "POST":
        return _told(request, live, added=False)
    form = FlagForm(request.POST or None, initial={"version": version.pk})
    if request.method == "POST" and form.is_valid():
        raised = flags.raise_flag(
            version_id=version.pk,
            reason=FlagReason(form.cleaned_data["reason"]),
            note=form.cleaned_data["note"],
            caller=request.caller,
            now=timezone.now(),
        )
        return _told(request, raised.flag, added=raised.added)
    if post.deleted_at is not None and request.method != "POST":
        return redirect("post", post.pk)
    return render(
        request,
        "moderation/flag.html#dialog" if request.htmx else "moderation/flag.html",
        {
            "form": form,
            "post": post,
            "excerpt": cards.excerpt(version.content.text, 280),
            "reasons": _reasons(form),
            "edited_since": version.pk != post.current_version_id,
            "language": language_label(post.language),
        },
        status=422 if form.is_bound else 200,
    )


@require_GET
@signed_in
def mine(request: Visit) -> HttpResponse:
    """The person's flags with what became of them."""
    page = cursor_page(request, members.flags_of(request.caller), PER_PAGE)
    return render(
        request,
        "moderation/flags.html",
        {"flags": flag_states.of(page.rows, region=request.user.region), "next_url": page.next_url},
    )


@require_GET
@signed_in
def one(request: Visit, flag_id: uuid.UUID) -> HttpResponse:
    """One of the person's flags: what was seen, what they said, what happens next."""
    found = _own(request, members.flags_of(request.caller), flag_id)
    state = flag_states.of([found], region=request.user.region)[0]
    return render(
        request,
        "moderation/flag_one.html",
        {
            "state": state,
            "flag": found,
            "text": cards.excerpt(found.post_version.content.text),
            **_next(found),
        },
    )


@require_POST
@signed_in
def withdraw(request: Visit, flag_id: uuid.UUID) -> HttpResponse:
    """Take a flag back, as long as it has no answer."""
    try:
        flags.withdraw(flag_id, caller=request.caller, now=timezone.now())
    except Conflict:
        messages.error(request, _("This flag has been answered meanwhile, so it stays as it is."))
    else:
        messages.success(request, _("Your flag is withdrawn. It counts no more."))
    return redirect("flags-one", flag_id)


def _told(request: Visit, sent: Flag, *, added: bool) -> HttpResponse:
    """What the sender is told; without htmx the flag's own page says it."""
    if not request.htmx:
        if added:
            messages.success(request, _("Thank you. Your flag is stored."))
        else:
            messages.info(request, _("You have flagged this version already; here is your flag."))
        return redirect("flags-one", sent.pk)
    found = _own(request, members.flags_of(request.caller), sent.pk)
    state = flag_states.of([found], region=request.user.region)[0]
    context = {"state": state, "flag": found, "added": added, **_next(found)}
    return render(request, "moderation/flag.html#sent", context)


def _next(sent: Flag) -> Mapping[str, Any]:
    rules = policies.at(timezone.now()).data
    return {
        "due_hours": rules["priority"]["due_hours"].get(sent.reason),
        "cool_off_days": rules["cool_off_days"],
        "language": language_label(sent.post.language),
        "edited_since": sent.post_version_id != sent.post.current_version_id,
    }


def _own(request: Visit, own: QuerySet[Flag], flag_id: uuid.UUID) -> Flag:
    return get_object_or_404(own, pk=flag_id)


def _version_seen(request: Visit, post: Post) -> PostVersion:
    """The version the person had before their eyes: the form names it. It stays flaggable after an edit."""
    named = request.POST.get("version") or request.GET.get("version") or post.current_version_id
    try:
        wanted = uuid.UUID(str(named))
    except ValueError:
        raise Http404 from None
    return get_object_or_404(post.versions.select_related("content"), pk=wanted)


def _reasons(form: FlagForm) -> Sequence[Mapping[str, Any]]:
    chosen = form["reason"].value()
    return [
        {"value": r.value, "label": r.label, "means": REASON_MEANS[r], "chosen": chosen == r.value}
        for r in FlagReason
    ]
