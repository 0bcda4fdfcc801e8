"""What people write is kept byte for byte (TXT-01); what says nothing is refused by its field."""

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from factcheck.models import Claim, Partner, Rating
from factcheck.services import ratings
from factcheck.services.claims import ClaimDraft
from factcheck.services.ratings import RatingDraft
from moderation.enums import Ground
from moderation.errors import Invalid
from moderation.models import Escalation, Flag, ItemNote
from moderation.services import escalations, notes
from moderation.services.queue import ItemRef
from tests.depth import budget
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db
# Anything PostgreSQL stores: all but NUL and halves of letters.
typed = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)
NOTHING = ["", " ", "\n\t", "\u200b\u200d", "\u00a0\ufeff\u2066"]


@pytest.fixture
def rita(clock):
    return f.reviewer(f.partner(clock=clock), clock=clock)


def draft(partner, *, claim="It was so.", headline="No", explanation="It was not."):
    return RatingDraft("false", headline, explanation, ClaimDraft(text=claim),
                       article_url=f"https://{partner.domains[0]}/1")  # fmt: skip


@given(typed)
@example("  می‌روم क्‍ष 👨‍👩‍👧 🏴󠁧󠁢󠁳󠁣󠁴󠁿 \r\n")
@example("\u202e=SUM(A1)\u2066 ")
@settings(budget(20), suppress_health_check=list(HealthCheck))
def test_words_come_back_as_they_were_typed(rita, clock, middle):
    words = f" {middle}a{middle} \n"
    post = p.post(clock=clock)
    p.flag(post, clock=clock, note=words)
    item = f.taken(post, by=rita, clock=clock)
    notes.add(item.pk, text=words, caller=rita, now=clock())
    escalations.open_case(
        version_id=post.current_version_id, ground=Ground.HATE, note=words, caller=rita, now=clock()
    )
    partner = Partner.objects.get(pk=rita.organisation_id)
    rating = ratings.submit(
        ItemRef(item.pk, item.version),
        draft(partner, claim=words, headline=words, explanation=words),
        caller=rita,
        now=clock(),
    )
    ended = ratings.withdraw(rating.pk, reason=words, caller=rita, now=clock())

    stored = Rating.objects.get(pk=rating.pk)
    assert stored.headline == stored.explanation == words
    assert Claim.objects.get(pk=stored.claim_id).text == words
    assert ItemNote.objects.get(item=item).text == words
    assert Flag.objects.get(post=post).note == words
    assert Escalation.objects.get(post=post).note == words
    ended.refresh_from_db()
    assert ended.reason == words


@pytest.mark.parametrize("nothing", NOTHING)
@pytest.mark.parametrize("field", ["headline", "explanation", "claim"])
def test_a_rating_that_says_nothing_is_refused_by_its_field(rita, clock, field, nothing):
    item = f.taken(p.post(clock=clock), by=rita, clock=clock)
    partner = Partner.objects.get(pk=rita.organisation_id)

    with pytest.raises(Invalid) as refusal:
        ratings.submit(
            ItemRef(item.pk, item.version), draft(partner, **{field: nothing}), caller=rita, now=clock()
        )

    assert (refusal.value.field, refusal.value.code) == (field, "required")
    assert not Rating.objects.exists()


@pytest.mark.parametrize("nothing", NOTHING)
def test_a_note_or_reason_that_says_nothing_is_refused_by_its_field(rita, clock, nothing):
    item = f.taken(p.post(clock=clock), by=rita, clock=clock)
    with pytest.raises(Invalid) as note:
        notes.add(item.pk, text=nothing, caller=rita, now=clock())
    with pytest.raises(Invalid) as reason:
        ratings.not_eligible(ItemRef(item.pk, item.version), reason=nothing, caller=rita, now=clock())

    assert (note.value.field, reason.value.field) == ("text", "reason")


def test_a_headline_has_a_limit_and_a_field(rita, clock):
    item = f.taken(p.post(clock=clock), by=rita, clock=clock)
    partner = Partner.objects.get(pk=rita.organisation_id)

    with pytest.raises(Invalid) as refusal:
        ratings.submit(
            ItemRef(item.pk, item.version), draft(partner, headline="x" * 201), caller=rita, now=clock()
        )

    assert (refusal.value.field, refusal.value.code) == ("headline", "too_long")
