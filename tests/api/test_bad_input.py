"""What nobody should send: each is a clear problem with the field named, and nothing is stored."""

import json

import pytest

from moderation.models import Flag, Post
from tests.factories import platform as p

pytestmark = pytest.mark.django_db

POST = {
    "external_id": "status/1",
    "actor": {"kind": "page", "external_id": "page/1", "name": "Town Square"},
    "text": "The well is poisoned.",
    "language": "en",
    "published_at": "2026-11-30T10:00:00Z",
}


def raw(**changes: str) -> bytes:
    """The post as JSON, with some values written by hand."""
    fields = {name: json.dumps(value) for name, value in POST.items()} | changes
    return ("{" + ", ".join(f'"{name}": {value}' for name, value in fields.items()) + "}").encode(
        "utf-8", "surrogatepass"
    )


WRITTEN_BY_HAND = {
    "a NUL": (raw(text='"a\\u0000b"'), "text", "unstorable_text"),
    "half a surrogate pair": (raw(text='"\\ud800"'), "text", "unstorable_text"),
    "the other half": (raw(text='"x\\udc00y"'), "text", "unstorable_text"),
    "a NUL in a name": (b'{"a\\u0000": 1}', "a\x00", "unstorable_text"),
    "a NUL far inside": (
        raw(actor='{"kind": "page", "external_id": "x", "name": "\\u0000"}'),
        "actor.name",
        "unstorable_text",
    ),
    "NaN": (raw(reach='{"at": "2026-11-30T10:00:00Z", "views": NaN}'), "reach.views", "not_a_number"),
    "Infinity": (raw(text="-Infinity"), "text", "not_a_number"),
    "a huge integer": (raw(text="1" + "0" * 400), "text", "number_too_large"),
    "a huger integer than Python reads": (raw(text="1" * 5000), "text", "number_too_large"),
    "a fraction beyond all": (raw(text="1e999"), "text", "number_too_large"),
    "a key twice": (raw()[:-1] + b', "text": "other"}', "text", "duplicate_key"),
    "a key twice inside": (
        raw(actor='{"kind": "page", "kind": "group", "external_id": "x", "name": "y"}'),
        "actor.kind",
        "duplicate_key",
    ),
}


@pytest.mark.parametrize(("body", "field", "code"), WRITTEN_BY_HAND.values(), ids=WRITTEN_BY_HAND)
def test_json_that_would_be_read_differently_elsewhere_is_refused(platform, body, field, code):
    answer = platform.post("/posts", body)

    assert answer.status_code == 400
    assert answer.json()["errors"][field][0]["code"] == code
    assert not Post.objects.exists()


NO_JSON_OBJECT = {
    "bytes that are no UTF-8": (b'{"text": "\xff\xfe"}', "not_utf8"),
    "a surrogate written out": (raw(text='"\ud800"'), "not_utf8"),
    "Latin-1": ('{"text": "é"}'.encode("latin-1"), "not_utf8"),
    "UTF-16": ('{"text": "e"}'.encode("utf-16"), "not_utf8"),
    "a byte order mark": (b"\xef\xbb\xbf{}", "not_json"),
    "an array": (b"[]", "not_an_object"),
    "a string": (b'"text"', "not_an_object"),
    "null": (b"null", "not_an_object"),
    "no JSON": (b"external_id=status", "not_json"),
    "half of it": (raw()[:40], "not_json"),
    "more than one": (b"{} {}", "not_json"),
    "a comment": (b"{} // hello", "not_json"),
    "a raw control character": (b'{"text": "a\x01b"}', "not_json"),
    "a million brackets": (b'{"a":' + b"[" * 500_000 + b"]" * 500_000 + b"}", "too_deep"),
    "twenty levels": (b'{"a":' * 20 + b"1" + b"}" * 20, "too_deep"),
}


@pytest.mark.parametrize(("body", "code"), NO_JSON_OBJECT.values(), ids=NO_JSON_OBJECT)
def test_a_body_that_is_no_plain_json_object_is_refused(platform, body, code):
    answer = platform.post("/posts", body)

    assert answer.status_code == 400
    assert answer.json()["code"] == code
    assert not Post.objects.exists()


FIELDS = {
    "an unknown field": ({"colour": "red"}, "colour", "unknown_field"),
    "an unknown field inside": ({"actor": {**POST["actor"], "id": 1}}, "actor.id", "unknown_field"),
    "a missing actor": ({"actor": None}, "actor", "null"),
    "an actor that is a list": ({"actor": []}, "actor", "invalid"),
    "a number for text": ({"text": 5}, "text", "invalid"),
    "true for text": ({"text": True}, "text", "invalid"),
    "an object for text": ({"text": {"a": 1}}, "text", "invalid"),
    "nothing to see": ({"text": " \n"}, "text", "required"),
    "20 001 characters": ({"text": "ß" * 20_001}, "text", "max_length"),
    "an unknown kind": ({"actor": {**POST["actor"], "kind": "bot"}}, "actor.kind", "invalid_choice"),
    "a kind that is an object": ({"actor": {**POST["actor"], "kind": {}}}, "actor.kind", "invalid_choice"),
    "an empty id": ({"external_id": ""}, "external_id", "blank"),
    "an id with a line break": ({"external_id": "a\nb"}, "external_id", "invalid_id"),
    "an id with space around": ({"external_id": " a"}, "external_id", "invalid_id"),
    "an id of 201 characters": ({"external_id": "a" * 201}, "external_id", "max_length"),
    "a language in words": ({"language": "english"}, "language", "unknown_language"),
    "no such language": ({"language": "xx"}, "language", "unknown_language"),
    "a language in capitals": ({"language": "EN"}, "language", "unknown_language"),
    "no such region": ({"regions": ["LK", "UK"]}, "regions.1", "unknown_region"),
    "regions as text": ({"regions": "LK"}, "regions", "not_a_list"),
    "a time that is a date": ({"published_at": "2026-11-30"}, "published_at", "invalid"),
    "a time without an offset": ({"published_at": "2026-11-30T10:00:00"}, "published_at", "invalid"),
    "a time as a number": ({"published_at": 1796036400}, "published_at", "invalid"),
    "the 30th of February": ({"published_at": "2026-02-30T10:00:00Z"}, "published_at", "invalid"),
    "a time with other digits": ({"published_at": "٢٠٢٦-11-30T10:00:00Z"}, "published_at", "invalid"),
    "a time in the future": ({"published_at": "2026-11-30T12:00:01Z"}, "published_at", "future"),
    "a time beyond all": ({"published_at": "9999-12-31T23:59:59-23:59"}, "published_at", "out_of_range"),
    "a time before all": ({"published_at": "0001-01-01T00:00:00+14:00"}, "published_at", "out_of_range"),
    "21 links": ({"links": ["https://a.example/"] * 21}, "links", "too_many"),
    "21 media": ({"media": [{"url": "https://a.example/"}] * 21}, "media", "too_many"),
    "a digest in capitals": (
        {"media": [{"url": "https://a.example/", "sha256": "A" * 64}]},
        "media.0.sha256",
        "not_a_digest",
    ),
    "negative views": ({"reach": {"at": POST["published_at"], "views": -1}}, "reach.views", "min_value"),
    "views as text": ({"reach": {"at": POST["published_at"], "views": "5"}}, "reach.views", "invalid"),
    "views as a fraction": ({"reach": {"at": POST["published_at"], "views": 5.0}}, "reach.views", "invalid"),
    "views beyond 2^53": (
        {"reach": {"at": POST["published_at"], "views": 2**53}},
        "reach.views",
        "max_value",
    ),
}


@pytest.mark.parametrize(("changes", "field", "code"), FIELDS.values(), ids=FIELDS)
def test_a_field_that_cannot_be_taken_is_named(platform, changes, field, code):
    answer = platform.post("/posts", {**POST, **changes})

    assert answer.status_code == 400
    assert [(name, errors[0]["code"]) for name, errors in answer.json()["errors"].items()] == [(field, code)]
    assert not Post.objects.exists()


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,<script>",
        "ftp://a.example/",
        "file:///etc/passwd",
        "//a.example/",
        "a.example/page",
        "https://",
        "https:///path",
        "https://user:secret@a.example/",
        "https://user@a.example/",
        "https://@a.example/",
        "https://a.example:99999/",
        "https://[::1/",
        "https://a.example/ space",
        "https://a.example/\ttab",
        "java\nscript:alert(1)",
        " https://a.example/",
        "https://a.example/" + "x" * 2000,
        7,
        None,
    ],
)
def test_only_plain_web_addresses_are_links(platform, link):
    answer = platform.post("/posts", {**POST, "links": [link]})

    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == ["links.0"]
    assert not Post.objects.exists()


@pytest.mark.parametrize(
    "link",
    [
        "https://a.example/%2F?id=2&id=1#/route",
        "HTTP://A.Example:8080/~x",
        "https://bücher.example/ü",
        "https://xn--bcher-kva.example/",
        "http://[2001:db8::1]/",
    ],
)
def test_a_link_is_kept_as_it_was_sent(platform, link):
    post = platform.post("/posts", {**POST, "links": [link]}).json()["id"]

    assert platform.get(f"/posts/{post}").json()["version"]["links"] == [link]


def test_several_faults_are_told_at_once(platform):
    answer = platform.post("/posts", {"text": 5, "colour": "red", "language": "en"})

    assert answer.json()["code"] == "invalid"
    assert answer.json()["errors"].keys() == {"external_id", "actor", "text", "published_at", "colour"}


def test_a_note_has_at_most_2000_characters(platform, clock):
    post = p.post(clock=clock)
    body = {"post": str(post.pk), "reason": "scam", "flagger": "m/1"}

    assert "note" in platform.post("/flags", {**body, "note": "x" * 2001}).json()["errors"]
    assert not Flag.objects.exists()
    assert platform.post("/flags", {**body, "note": "x" * 2000}).status_code == 201


def test_a_signals_details_are_small_and_its_score_between_0_and_1(platform, clock):
    signal = {"post": str(p.post(clock=clock).pk), "source": "a", "kind": "b", "at": "2026-11-30T11:00:00Z"}

    for changes, field in (
        ({"score": 1.01}, "score"),
        ({"score": "0.5"}, "score"),
        ({"score": 0.5, "details": {"a": "x" * 5000}}, "details"),
        ({"score": 0.5, "details": {str(n): n for n in range(51)}}, "details"),
        ({"score": 0.5, "details": []}, "details"),
        ({"score": 0.5, "at": "2026-11-30T12:00:01Z"}, "at"),
    ):
        assert list(platform.post("/signals", {**signal, **changes}).json()["errors"]) == [field]


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml"],
)
def test_only_json_is_read(platform, content_type):
    answer = platform.post("/posts", raw(), Content_Type=content_type)

    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type")


def test_json_with_its_charset_is_json(platform):
    assert platform.post("/posts", raw(), Content_Type="Application/JSON; charset=utf-8").status_code == 201


def test_a_body_of_more_than_1_mib_is_refused_by_its_length_and_bulk_takes_8(platform):
    body = raw(text=json.dumps("x" * 1024 * 1024))

    single, bulk = platform.post("/posts", body), platform.post("/posts/bulk", body)
    huge = platform.post("/posts/bulk", b" " * (8 * 1024 * 1024 + 1))

    assert (single.status_code, single.json()["code"]) == (413, "too_large")
    assert bulk.status_code == 400
    assert huge.status_code == 413


def test_a_body_without_its_length_is_refused(platform):
    answer = platform.client.generic(
        "POST",
        "/api/v1/posts",
        headers={**platform.headers, "Transfer-Encoding": "chunked"},
        CONTENT_LENGTH="",
        content_type="application/json",
    )

    assert (answer.status_code, answer.json()["code"]) == (411, "length_required")


def test_no_body_at_all_is_an_empty_object(platform):
    answer = platform.post("/posts")

    assert answer.status_code == 400
    assert answer.json()["errors"]["external_id"][0]["code"] == "required"
