"""Internal notes on an item, signed by the organisation. Rows are only added."""

import uuid
from datetime import datetime

from django.db import transaction

from moderation.caller import Caller
from moderation.enums import AuditEvent
from moderation.errors import Invalid, NotFound
from moderation.models import ItemNote, ReviewItem
from moderation.permissions import may_note
from moderation.services import audit, words

LONGEST = 2000


@transaction.atomic
def add(item_id: uuid.UUID, *, text: str, caller: Caller, now: datetime) -> ItemNote:
    """Leave a note for whoever works on the item later; it never changes the item's version.

    Raises Refused; NotFound; Invalid (`text`) if it is empty or longer than LONGEST characters.
    """
    may_note(caller).require()
    words.require("Write the note first.", text=text)
    if len(text) > LONGEST:
        raise Invalid(f"A note has at most {LONGEST} characters.", field="text", code="too_long")
    if not ReviewItem.objects.filter(pk=item_id).exists():
        raise NotFound("There is no such item.")
    note = ItemNote.objects.create(
        item_id=item_id, author_id=caller.person, organisation=caller.organisation_id, text=text, at=now
    )
    audit.record(AuditEvent.NOTE_ADDED, note, caller=caller, now=now, item=str(item_id))
    return note
