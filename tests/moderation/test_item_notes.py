"""Notes and what reviewers read about flags, actors and reach."""

from datetime import timedelta

import pytest

from moderation.caller import SYSTEM
from moderation.enums import FlagReason
from moderation.errors import Invalid, NotFound, Refused
from moderation.ids import new_id
from moderation.models import AuditRow, ReviewItem
from moderation.selectors import actors, flags, items
from moderation.services import notes, posts
from moderation.services.posts import Reach
from tests.factories import platform as p

pytestmark = pytest.mark.django_db


def test_a_note_is_signed_audited_and_leaves_the_version_alone(clock):
    post = p.post(clock=clock)
    p.flag(post, clock=clock)
    item = ReviewItem.objects.get()
    paula = p.specialist(clock=clock)

    note = notes.add(item.pk, text="  Seen in March already. ", caller=paula, now=clock())

    assert note.text == "  Seen in March already. "
    assert note.author_id == paula.person_id
    row = AuditRow.objects.get(event="note_added")
    assert row.data == {"item": str(item.pk)}
    item.refresh_from_db()
    assert item.version == 1


def test_a_note_needs_words_an_item_and_a_role(clock):
    p.flag(p.post(clock=clock), clock=clock)
    item = ReviewItem.objects.get()
    paula = p.specialist(clock=clock)

    with pytest.raises(Invalid):
        notes.add(item.pk, text=" \n", caller=paula, now=clock())
    with pytest.raises(Invalid):
        notes.add(item.pk, text="x" * 2001, caller=paula, now=clock())
    with pytest.raises(NotFound):
        notes.add(new_id(), text="Hello", caller=paula, now=clock())
    with pytest.raises(Refused):
        notes.add(item.pk, text="Hello", caller=p.member(clock=clock), now=clock())


def test_flags_are_counted_by_people_reason_and_hour(clock):
    post = p.post(clock=clock)
    p.flag(post, clock=clock)
    clock.advance(hours=2)
    p.flag(post, clock=clock)
    p.flag(post, clock=clock, reason=FlagReason.VIOLENCE)

    curves = flags.by_reason([post.pk], now=clock())

    assert [(c.reason, c.count) for c in curves] == [("false_information", 2), ("violence", 1)]
    assert curves[0].hours[-3:] == [1, 0, 1]
    assert curves[0].last - curves[0].first == timedelta(hours=2)


def test_an_actor_without_strikes_is_told_what_the_first_one_means(clock):
    post = p.post(clock=clock)

    seen = actors.history(post.actor_id, now=clock())

    assert (seen.posts, list(seen.strikes), seen.level["level"]) == (1, [], "none")
    assert seen.next_level["at"] == 1


def test_a_sparkline_keeps_to_the_newest_samples(clock):
    post = p.post(clock=clock)
    for views in range(1, 31):
        posts.record_reach([Reach(post.pk, clock(), views)], caller=SYSTEM, now=clock())
        clock.advance(minutes=5)

    assert items.sparklines([post.pk])[post.pk] == list(range(7, 31))
