"""Whoever needs several items locks them in one go: one after the other, two people may wait for each other."""

import threading

import pytest
from django.db import OperationalError, connection, transaction

from factcheck.services import leases
from moderation.caller import SYSTEM
from moderation.enums import ItemKind
from moderation.models import ReviewItem
from moderation.services import queue
from moderation.services.queue import ItemRef
from tests.factories import platform as p
from tests.factories import programme as f


@pytest.mark.django_db(transaction=True)
def test_who_decides_on_an_item_holds_every_open_item_about_the_post_it_shows(clock):
    rita = f.reviewer(f.partner(clock=clock), clock=clock)
    version = p.post(clock=clock).current_version
    with transaction.atomic():
        kinds = (ItemKind.REVIEW, ItemKind.RE_CHECK)
        older, newer = (
            queue.open_for_version(version, kind=kind, caller=SYSTEM, now=clock()) for kind in kinds
        )
    assert older.pk < newer.pk
    item = leases.take(newer.pk, caller=rita, now=clock())
    held, looked = threading.Event(), threading.Event()

    def decide():
        try:
            with transaction.atomic():
                queue.lock_held(ItemRef(item.pk, item.version), caller=rita, now=clock())
                held.set()
                looked.wait(10)
        finally:
            connection.close()

    deciding = threading.Thread(target=decide)
    deciding.start()
    assert held.wait(10)
    with pytest.raises(OperationalError, match="could not obtain lock"), transaction.atomic():
        ReviewItem.objects.select_for_update(nowait=True).get(pk=older.pk)
    looked.set()
    deciding.join(10)
