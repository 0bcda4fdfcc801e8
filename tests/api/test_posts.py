"""What the platform tells about its posts."""

import pytest

from moderation.models import Post, PostContent, PostVersion

pytestmark = pytest.mark.django_db


def post_body(**changes):
    return {
        "external_id": "status/1",
        "actor": {"kind": "page", "external_id": "page/1", "name": "Town Square"},
        "text": "The well is poisoned.",
        "links": ["https://town.example/well?b=2&a=1"],
        "media": [{"url": "https://town.example/a.jpg", "alt": "A well"}],
        "language": "en",
        "regions": ["LK"],
        "published_at": "2026-11-30T10:00:00Z",
        **changes,
    }


def test_a_post_is_added_once_and_edited_by_sending_it_again(platform):
    added = platform.post("/posts", post_body())
    again = platform.post("/posts", post_body())
    edited = platform.post("/posts", post_body(text="The well is not poisoned."))

    assert [r.status_code for r in (added, again, edited)] == [201, 200, 200]
    assert [r.json()["status"] for r in (added, again, edited)] == ["added", "unchanged", "edited"]
    assert edited.json()["version"] == 2
    assert PostVersion.objects.count() == 2


def test_a_corrected_language_or_region_is_kept_and_is_no_edit(platform):
    platform.post("/posts", post_body())

    again = platform.post("/posts", post_body(language="si", regions=["LK-1"]))

    assert again.json()["status"] == "unchanged"
    stored = Post.objects.get()
    assert (stored.language, stored.regions) == ("si", ["LK-1"])
    assert PostVersion.objects.count() == 1


def test_a_post_is_found_by_our_id_and_by_the_platforms_own(platform):
    post_id = platform.post("/posts", post_body()).json()["id"]

    by_id, by_ext = platform.get(f"/posts/{post_id}"), platform.get("/posts/ext:status/1")

    assert by_id.json() == by_ext.json()
    assert by_id.json()["version"]["text"] == "The well is poisoned."
    assert by_id.json()["effect"] is None


@pytest.mark.parametrize(
    "text",
    [
        "می‌روم",
        "क्‍ष",
        "👨‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿",
        "  space kept \n\t",
        "\u202eright to left\u2066",
        "e\u0301 is not é",
        "\ufeffbom",
    ],
)
def test_text_comes_back_byte_for_byte(platform, text):
    post_id = platform.post("/posts", post_body(text=text)).json()["id"]

    assert platform.get(f"/posts/{post_id}").json()["version"]["text"] == text
    assert PostContent.objects.get().text == text


def test_one_bad_post_of_a_bulk_does_not_refuse_the_others(platform):
    bodies = [
        post_body(),
        post_body(external_id="status/2", published_at="2027-01-01T00:00:00Z"),
        post_body(external_id="status/3", links=["javascript:alert(1)"]),
        "no object",
        post_body(external_id="status/5", text="Another."),
    ]

    results = platform.post("/posts/bulk", {"posts": bodies}).json()["results"]

    assert [r["status"] for r in results] == ["added", "refused", "refused", "refused", "added"]
    assert [r["index"] for r in results] == [0, 1, 2, 3, 4]
    assert results[1]["error"]["errors"]["published_at"][0]["code"] == "future"
    assert results[2]["error"]["errors"]["links.0"][0]["code"] == "not_a_link"
    assert Post.objects.count() == 2


def test_a_bulk_has_at_most_500_posts(platform):
    answer = platform.post("/posts/bulk", {"posts": [post_body()] * 501})

    assert answer.status_code == 400
    assert answer.json()["errors"]["posts"][0]["code"] == "too_many"


def test_a_post_cannot_change_its_author(platform):
    platform.post("/posts", post_body())

    answer = platform.post(
        "/posts", post_body(actor={"kind": "page", "external_id": "page/2", "name": "Other"})
    )

    assert answer.status_code == 400
    assert "actor" in answer.json()["errors"]


def test_a_deleted_post_leaves_a_tombstone(platform):
    post_id = platform.post("/posts", post_body()).json()["id"]

    first, second = platform.delete(f"/posts/{post_id}"), platform.delete("/posts/ext:status/1")

    assert first.json() == second.json()
    assert first.json()["deleted_by"] == "author"
    assert platform.get(f"/posts/{post_id}").json()["version"]["text"] == "The well is poisoned."


def test_reach_is_told_one_by_one_and_in_bulk(platform):
    platform.post("/posts", post_body(reach={"at": "2026-11-30T10:30:00Z", "views": 100}))
    platform.post("/posts", post_body(external_id="status/2"))
    figures = {"at": "2026-11-30T11:00:00Z", "views": 1100, "shares": 5, "comments": 1}

    one = platform.post("/posts/ext:status/1/reach", figures)
    again = platform.post("/posts/ext:status/1/reach", figures)
    bulk = platform.post(
        "/reach/bulk",
        {
            "samples": [
                {"post": "ext:status/2", **figures},
                {"post": "ext:nothing", **figures},
                {"post": "ext:status/2", **figures, "at": "2027-01-01T00:00:00Z"},
            ]
        },
    )

    assert [one.json()["recorded"], again.json()["recorded"]] == [1, 0]
    assert bulk.json()["recorded"] == 1
    assert [r["index"] for r in bulk.json()["refused"]] == [1, 2]
    assert platform.get("/posts/ext:status/1").json()["reach"]["views_per_hour"] == 2000
