"""The checks themselves: they find a wrong state wherever it lies."""

import pytest
from django.core.management import CommandError, call_command

from moderation import effective_cache
from moderation.effective_cache import Entry
from moderation.models import AuditRow, EffectiveState, ReviewItem
from moderation.selectors import verification
from moderation.services import audit, escalations
from moderation.services.escalations import CaseRef
from tests.factories import platform as p

pytestmark = pytest.mark.django_db


@pytest.fixture
def hidden(clock):
    """A post hidden by the desk, settled."""
    paula = p.specialist(clock=clock)
    post = p.post(clock=clock)
    case, _ = escalations.open_case(
        version_id=post.current_version_id, ground="hate", note="", caller=paula, now=clock()
    )
    escalations.hide(CaseRef(case.pk, case.version), explanation="Look again.", caller=paula, now=clock())
    p.settle(clock)
    return post


def test_a_settled_platform_has_no_faults(hidden, clock):
    assert list(verification.faults(now=clock())) == []
    assert list(verification.feed_faults()) == []
    call_command("verify_states")


def test_a_stored_state_that_nobody_decided_is_found(hidden, clock):
    EffectiveState.objects.filter(post=hidden).update(document=None, removed=False)

    assert any("stored" in fault for fault in verification.faults(now=clock()))
    with pytest.raises(CommandError):
        call_command("verify_states")


def test_a_wrong_cache_is_found(hidden, clock):
    state = EffectiveState.objects.get(post=hidden)
    effective_cache.write([(hidden.pk, Entry(state.version + 1, None, None))], effective_cache.epoch())

    assert any("cached" in fault for fault in verification.faults(now=clock()))


def test_a_changed_audit_row_breaks_the_chain(hidden):
    audit.seal()
    assert audit.verify() == []
    row = AuditRow.objects.order_by("id").first()

    AuditRow.objects.filter(pk=row.pk).update(role="nobody")

    assert audit.verify() == [f"Row {row.pk} (position 1) was changed."]
    with pytest.raises(CommandError):
        call_command("verify_audit")


def test_a_removed_audit_row_is_missed(hidden):
    audit.seal()
    AuditRow.objects.order_by("id").first().delete()

    assert len(audit.verify()) == 1


def test_a_flag_that_lost_its_item_is_found(clock):
    post = p.post(clock=clock)
    p.flag(post, clock=clock)
    p.settle(clock)
    assert list(verification.queue_faults()) == []

    ReviewItem.objects.all().delete()

    assert len(list(verification.queue_faults())) == 1
