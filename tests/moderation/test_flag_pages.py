"""Flagging: on the version that was seen, once however often it is sent, and answered in words."""

import pytest
from django.urls import reverse

from moderation.enums import FlagReason
from moderation.models import Flag, ReviewItem
from moderation.services import posts
from tests.factories import pages
from tests.factories import platform as p

pytestmark = pytest.mark.django_db


@pytest.fixture
def mira(wall):
    return p.member(clock=wall)


@pytest.fixture
def post(wall):
    return p.post("The well is poisoned.", clock=wall)


def send(by, post, **fields):
    version = fields.pop("version", post.current_version_id)
    data = {"version": str(version), "reason": "false_information", "note": ""} | fields
    return pages.visitor(by).post(reverse("flag", args=[post.pk]), data)


def test_a_flag_enters_the_queue_and_its_sender_reads_what_happens_next(mira, post):
    answer = send(mira, post, note="See the laboratory's results.")

    flag = Flag.objects.get()
    assert answer.status_code == 302 and answer["Location"] == reverse("flags-one", args=[flag.pk])
    page = pages.text_of(mira, "flags-one", flag.pk)
    assert (
        "In review" in page and "within 24 hours" in page and "The author is never told who flagged" in page
    )
    assert "The well is poisoned." in page and "See the laboratory" in page
    assert ReviewItem.objects.count() == 1
    assert "You flagged this" in pages.text_of(mira, "feed")


def test_a_double_click_is_one_flag(mira, post):
    first, second = send(mira, post), send(mira, post, reason="hate")

    assert first["Location"] == second["Location"]
    assert [f.reason for f in Flag.objects.all()] == ["false_information"]
    page = pages.visitor(mira).get(reverse("flag", args=[post.pk]), follow=True).content.decode()
    assert "You have flagged this version already" in page


def test_a_script_gets_the_dialog_and_then_the_words_in_its_place(mira, post):
    client, address = pages.visitor(mira), reverse("flag", args=[post.pk])
    by_script = {"hx-request": "true"}

    dialog = client.get(address, headers=by_script).content.decode()
    assert dialog.lstrip().startswith("<dialog") and "data-dialog-auto" in dialog and "<html" not in dialog
    refused = client.post(address, {"version": post.current_version_id}, headers=by_script)
    assert refused.status_code == 422 and "Choose what comes closest." in refused.content.decode()
    sent = client.post(
        address, {"version": post.current_version_id, "reason": "scam", "note": ""}, headers=by_script
    ).content.decode()
    assert "Thank you" in sent and "In review" in sent
    assert f'id="flag-{post.pk}" hx-swap-oob="true"' in sent


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"reason": ""}, "Choose what comes closest."),
        ({"reason": "made_up"}, "made_up is not one of the available choices."),
        ({"note": "x" * 2001}, "at most 2000 characters (it has 2001)"),
        ({"note": "a\x00b"}, "Null characters are not allowed."),
        ({"reason": "other", "note": "  "}, "Say in a few words what is wrong."),
    ],
)
def test_what_cannot_be_accepted_is_said_and_nothing_typed_is_lost(mira, post, fields, sentence):
    answer = send(mira, post, **({"note": "My long note."} | fields))
    page = answer.content.decode()

    assert answer.status_code == 422 and sentence in page
    assert not Flag.objects.exists()
    if "note" not in fields:
        assert "My long note." in page


def test_a_note_is_kept_as_it_was_typed(mira, post):
    note = "  می\u200cروم 👩\u200d👩\u200d👧\n\u202etwo lines  "
    assert send(mira, post, note=note.replace("\n", "\r\n")).status_code == 302

    assert Flag.objects.get().note == note
    assert send(p.member(clock=lambda: Flag.objects.get().at), post, note="\r\n" * 2000).status_code == 302


def test_the_version_that_was_seen_is_flagged_after_the_author_edited_it(mira, post, wall):
    seen = post.current_version_id
    p.edit(post, "The well is fine.", clock=wall)

    answer = send(mira, post, version=seen)

    flag = Flag.objects.get()
    assert str(flag.post_version_id) == str(seen)
    page = pages.visitor(mira).get(answer["Location"]).content.decode()
    assert "The well is poisoned." in page and "The author edited the post since" in page


def test_a_fast_deletion_does_not_stop_a_flag(mira, post, wall):
    form = pages.text_of(mira, "flag", post.pk)
    assert str(post.current_version_id) in form
    posts.delete(post.pk, caller=p.SYSTEM, now=wall())

    answer = send(mira, post)

    assert answer.status_code == 302
    assert Flag.objects.get().post_version.content.text == "The well is poisoned."
    page = pages.visitor(mira).get(answer["Location"]).content.decode()
    assert "The well is poisoned." not in page and "kept as evidence" in page


def test_a_version_of_another_post_cannot_be_flagged_through_this_one(mira, post, wall):
    other = p.post("Something else.", clock=wall)

    assert send(mira, post, version=other.current_version_id).status_code == 404
    assert send(mira, post, version="nonsense").status_code == 404
    assert not Flag.objects.exists()


def test_a_post_that_was_decided_lately_counts_the_flag_without_a_second_review(mira, post, wall):
    p.rated(post, "false", clock=wall)
    p.settle(wall)

    page = pages.visitor(mira).get(send(mira, post)["Location"]).content.decode()

    assert "Counted" in page and "no second review now" in page and "30 days" in page
    assert not ReviewItem.objects.filter(status="open").exists()


def test_a_danger_is_reviewed_again_whatever_was_decided(mira, post, wall):
    p.rated(post, "false", clock=wall)
    p.settle(wall)

    page = pages.visitor(mira).get(send(mira, post, reason="violence")["Location"]).content.decode()

    assert "In review" in page


def test_a_flag_can_be_withdrawn_until_it_is_answered(mira, post, wall):
    flag = p.flag(post, by=mira, clock=wall)
    assert "Withdraw this flag" in pages.text_of(mira, "flags-one", flag.pk)

    answer = pages.visitor(mira).post(reverse("flags-withdraw", args=[flag.pk]), follow=True)

    assert "Your flag is withdrawn" in answer.content.decode()
    assert Flag.objects.get().withdrawn_at is not None
    assert "Withdrawn" in pages.text_of(mira, "flags")
    assert send(mira, post).status_code == 302 and Flag.objects.count() == 2


def test_an_answered_flag_stays_and_says_what_was_found(mira, post, wall):
    flag = p.flag(post, by=mira, clock=wall)
    p.rated(post, "false", clock=wall)
    p.settle(wall)

    page = pages.text_of(mira, "flags")
    assert "Agreed" in page and 'data-verdict="false"' in page
    answer = pages.visitor(mira).post(reverse("flags-withdraw", args=[flag.pk]), follow=True)
    assert "This flag has been answered meanwhile" in answer.content.decode()
    assert Flag.objects.get().withdrawn_at is None


def test_a_flag_is_its_sender_s_own(mira, post, wall):
    flag = p.flag(post, by=mira, clock=wall, note="Only for reviewers.")
    other = p.member(clock=wall)

    pages.text_of(other, "flags-one", flag.pk, status=404)
    assert pages.visitor(other).post(reverse("flags-withdraw", args=[flag.pk])).status_code == 404
    assert "Only for reviewers." not in pages.text_of(other, "flags")
    assert Flag.objects.get().withdrawn_at is None


def test_my_flags_ask_the_database_as_often_for_one_as_for_twenty(mira, wall, django_assert_max_num_queries):
    for n in range(20):
        p.flag(p.post(f"Number {n}.", clock=wall), by=mira, clock=wall, reason=FlagReason.SCAM)
    client = pages.visitor(mira)
    client.get(reverse("flags"))
    with django_assert_max_num_queries(14):
        client.get(reverse("flags"))
