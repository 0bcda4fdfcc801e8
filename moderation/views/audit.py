"""Who did what: the append-only log, its seal, and a copy to take away."""

import csv
import json
import uuid
from collections.abc import Iterator
from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from moderation.enums import AuditEvent, Role
from moderation.models import AuditRow
from moderation.permissions import may_read_everything
from moderation.selectors import audit as log
from moderation.selectors import organisations, people
from moderation.services import audit
from moderation.services import people as accounts
from moderation.views.doors import Visit, signed_in
from moderation.views.pages import asked, cursor_page

PER_PAGE = 50
FAULTS_SHOWN = 100
NOBODY = uuid.UUID(int=0)


@require_GET
@signed_in
def rows(request: Visit) -> HttpResponse:
    """The log, newest first, filtered by event, subject and person."""
    may_read_everything(request.caller).require()
    page = cursor_page(request, log.rows(**_filters(request)), PER_PAGE)
    return render(
        request,
        "moderation/audit.html",
        {
            "rows": _told(list(page.rows)),
            "next_url": page.next_url,
            "events": _events(asked(request.GET, "event")),
            "subject": asked(request.GET, "subject", 40),
            "person": asked(request.GET, "person"),
            "filtered": any(request.GET.get(name) for name in ("event", "subject", "person")),
            "export_query": request.GET.urlencode(),
            "unsealed": audit.unsealed(),
        },
    )


@require_POST
@signed_in
def verify(request: Visit) -> HttpResponse:
    """Check the whole chain now: every seal against its row and the seal before."""
    may_read_everything(request.caller).require()
    faults = audit.verify()
    return render(
        request,
        "moderation/audit_verified.html",
        {
            "faults": faults[:FAULTS_SHOWN],
            "more": max(len(faults) - FAULTS_SHOWN, 0),
            "sealed": log.sealed(),
            "unsealed": audit.unsealed(),
            "at": timezone.now(),
        },
    )


@require_GET
@signed_in
def export(request: Visit) -> StreamingHttpResponse:
    """The filtered log as CSV, oldest first, without an end to its length."""
    may_read_everything(request.caller).require()
    found = log.rows(**_filters(request)).order_by("pk").iterator(chunk_size=2000)
    answer = StreamingHttpResponse(_csv(found), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="audit-{timezone.now():%Y-%m-%d}.csv"'
    return answer


COLUMNS = ("id", "at", "event", "person", "role", "organisation", "client", "subject_kind", "subject")


class _Line:
    """What csv writes to: it hands each line on."""

    def write(self, line: str) -> str:
        return line


def _csv(found: Iterator[AuditRow]) -> Iterator[str]:
    writer = csv.writer(_Line())
    yield writer.writerow([*COLUMNS, "data"])
    for row in found:
        yield writer.writerow(
            [
                *("" if (v := getattr(row, c)) is None else v for c in COLUMNS),
                json.dumps(row.data, sort_keys=True),
            ]
        )


def _filters(request: Visit) -> dict[str, Any]:
    event = asked(request.GET, "event")
    return {
        "event": event if event in AuditEvent.values else "",
        "subject": asked(request.GET, "subject", 40),
        "person_id": _person(asked(request.GET, "person")),
    }


def _person(who: str) -> uuid.UUID | None:
    """By id or address; somebody unknown has done nothing."""
    if not who:
        return None
    try:
        return uuid.UUID(who)
    except ValueError:
        found = accounts.by_email(who)
        return found.pk if found else NOBODY


def _told(found: list[AuditRow]) -> list[dict[str, Any]]:
    names = people.names({r.person for r in found if r.person})
    clients = log.client_names({r.client for r in found if r.client})
    partners = organisations.names({r.organisation for r in found if r.organisation})
    positions = log.positions([r.pk for r in found])
    return [
        {
            "row": row,
            "event": event_words(row.event),
            "who": _who(row, names, clients),
            "role": Role(row.role).label if row.role in Role.values else row.role,
            "organisation": partners.get(row.organisation, "") if row.organisation else "",
            "data": [(key, _value(value)) for key, value in sorted(row.data.items())],
            "position": positions.get(row.pk),
        }
        for row in found
    ]


def _who(row: AuditRow, names: dict[uuid.UUID, str], clients: dict[uuid.UUID, str]) -> str:
    if row.person is not None:
        return names.get(row.person) or str(row.person)
    if row.client is not None:
        return clients.get(row.client) or str(row.client)
    return _("The product itself")


def _value(value: Any) -> str:
    """A detail as text: lists by commas, yes and no in words."""
    if isinstance(value, bool):
        return str(_("yes")) if value else str(_("no"))
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def event_words(code: str) -> str:
    return code.replace("_", " ").capitalize()


def _events(chosen: str) -> list[dict[str, Any]]:
    return [
        {"value": "", "label": _("Every event"), "selected": not chosen},
        *(
            {"value": e.value, "label": event_words(e.value), "selected": e.value == chosen}
            for e in AuditEvent
        ),
    ]
