"""What a reviewer does beside rating: escalate, note, match, and look ahead at the consequences."""

import pytest

from factcheck.services import leases
from moderation.models import Escalation, ItemNote, ReviewItem
from moderation.services import notes
from tests.factcheck.reading import filled, flagged, item_of, page, verb, words
from tests.factories import platform as p
from tests.factories import programme as f

pytestmark = pytest.mark.django_db


def test_escalating_opens_a_case_and_the_item_stays_ratable(hers, rita, partner, wall):
    item = item_of(flagged(wall))
    leases.take(item.pk, caller=rita, now=wall())
    sent = {
        "ground": "incites_violence",
        "note": "They name a place and a time.",
        "regions": "et",
        "seen": str(item.displayed_version_id),
    }

    shown = hers.post(verb("escalate", item), sent, follow=True)

    assert "The policy desk has it." in words(shown)
    assert "Incites violence: Open." in words(shown)
    case = Escalation.objects.get()
    assert (case.note, case.regions, case.opened_for) == (sent["note"], ["ET"], partner.pk)
    assert hers.post(page(item), filled(item, partner)).status_code == 302


def test_what_a_second_reviewer_writes_to_the_desk_is_kept_as_a_note(hers, wall):
    item = item_of(flagged(wall))
    seen = {"ground": "hate", "seen": str(item.displayed_version_id)}
    hers.post(verb("escalate", item), {**seen, "note": "It names the family."})

    shown = hers.post(verb("escalate", item), {**seen, "note": "Somebody threw a stone."}, follow=True)

    assert Escalation.objects.get().note == "It names the family."
    assert ItemNote.objects.get().text == "Somebody threw a stone."
    assert "has an open case on this ground already" in words(shown) and "Somebody threw a stone." in words(
        shown
    )


def test_an_escalation_that_lacks_words_fails_loudly(hers, rita, wall):
    item = item_of(flagged(wall))

    answer = hers.post(verb("escalate", item), {"ground": "hate", "seen": str(item.displayed_version_id)})

    assert answer.status_code == 422
    assert "Not escalated" in words(answer)
    assert "data-dialog-auto" in answer.content.decode()
    assert not Escalation.objects.exists()
    foreign = flagged(wall, "Another story.", actor="page-9")
    sent = {"ground": "hate", "note": "x", "seen": str(foreign.current_version_id)}
    assert hers.post(verb("escalate", item), sent).status_code == 404


def test_notes_are_signed_by_first_name_within_and_by_organisation_outside(hers, rita, partner, door, wall):
    item = item_of(flagged(wall))
    other = f.partner(clock=wall)
    stranger = f.reviewer(other, clock=wall)
    notes.add(item.pk, text="We saw this in March.", caller=stranger, now=wall())

    shown = words(hers.post(verb("note", item), {"text": "I call the town hall."}, follow=True))

    assert f"We saw this in March. {other.name}" in shown
    assert "I call the town hall. Rita" in shown
    assert str(f.person_of(stranger)) not in shown
    assert "I call the town hall. " + partner.name in words(door(stranger).get(page(item)))
    assert hers.post(verb("note", item), {"text": " "}).status_code == 422


def test_a_claim_that_sounds_alike_is_suggested_and_confirmed_in_one_act(hers, rita, wall):
    rated = f.rate(p.post(clock=wall), by=rita, clock=wall, claim="The town well was poisoned last week")
    item = item_of(
        flagged(wall, "Our town well was poisoned, pass it on before they delete it", actor="page-2")
    )
    leases.take(item.pk, caller=rita, now=wall())
    shown = words(hers.get(page(item)))
    assert "The town well was poisoned last week" in shown
    assert "4 of 7 words the same" in shown

    done = hers.post(
        verb("same_claim", item), {"claim": str(rated.claim_id), "version": item.version}, follow=True
    )

    assert "the claim&#x27;s rating answers this post" in words(done)
    item.refresh_from_db()
    assert (item.status, item.outcome) == ("closed", "rated")


def test_an_edited_post_is_confirmed_or_let_go_by_its_re_check(hers, rita, wall):
    post = p.post("The town well was poisoned last week, they say.", clock=wall)
    rating = f.rate(post, by=rita, clock=wall)
    p.settle(wall)
    p.edit(post, "The town well was NOT poisoned, as it turns out.", clock=wall)
    p.settle(wall)
    item = ReviewItem.objects.get(status="open", kind="re_check")
    leases.take(item.pk, caller=rita, now=wall())
    assert "An earlier version made this claim" in words(hers.get(page(item)))
    assert p.lookup(post, clock=wall)["made_on_earlier_version"]

    hers.post(verb("no_longer", item), {"claim": str(rating.claim_id), "version": item.version})
    p.settle(wall)

    assert p.lookup(post, clock=wall) is None
    item.refresh_from_db()
    assert item.status == "closed"


def consequences(client, item, verdict):
    return words(client.post(verb("consequences", item), {"verdict": verdict}))


def test_the_preview_counts_copies_and_their_actors(hers, wall):
    text = "Breaking: the town well is poisoned and nobody tells you the truth about it"
    post = flagged(wall, text)
    p.post(text.upper(), clock=wall, actor="page-2")
    p.post(text + "!!", clock=wall, actor="page-3")
    p.post(text, clock=wall, actor="page-2")
    p.settle(wall)

    told = consequences(hers, item_of(post), "")

    assert "Reaches 3 posts of 2 actors" in told.replace(" ", " ")


def test_the_preview_says_who_becomes_a_repeat_offender(hers, rita, wall):
    f.rate(p.post("Lemon water cures dengue within a day.", clock=wall), by=rita, clock=wall)
    p.settle(wall)
    item = item_of(flagged(wall))

    told = consequences(hers, item, "false")
    assert "20% of the feed left" in told
    assert "Page 1 becomes a repeat offender: all 2 posts keep 50% of their reach." in told
    assert "No strike." in consequences(hers, item, "partly_false")
    assert "Distribution unchanged" in consequences(hers, item, "true")
    assert "Closes the item" in consequences(hers, item, "not_eligible")


def test_the_preview_says_that_another_partner_found_otherwise(hers, rita, wall):
    other = f.partner(clock=wall)
    post = p.post(clock=wall)
    f.rate(post, "true", by=f.reviewer(other, clock=wall), clock=wall)
    p.settle(wall)
    item = f.taken(post, by=rita, clock=wall)

    told = consequences(hers, item, "false")

    assert f"{other.name} (true) found otherwise." in told
    assert "Fact-checkers disagree" in told
    assert "Distribution unchanged" in told
    assert "No strike." in told
    assert f"Already rated by {other.name}:" in words(hers.get(page(item)))
