"""What a reader does not see is pointed out, and nothing that languages need is called suspicious."""

from moderation import scrutiny


def test_a_turned_around_number_is_pointed_out_with_its_name():
    found = scrutiny.hidden_characters("price \u202e01\u202c, \u200b\u200bnow")

    assert [(h.code, h.count, h.turns) for h in found] == [
        ("U+202C", 1, True),
        ("U+202E", 1, True),
        ("U+200B", 2, False),
    ]
    assert found[1].name == "right-to-left override"


def test_a_text_laid_bare_shows_every_hidden_character_in_its_place():
    assert scrutiny.laid_bare("a\u202eb\nc") == [(False, "a"), (True, "U+202E"), (False, "b\nc")]
    assert scrutiny.laid_bare("plain") == [(False, "plain")]
    assert scrutiny.laid_bare("") == []


def test_what_persian_hindi_and_emoji_need_is_not_suspicious():
    for text in (
        "می\u200cخواهم",
        "क्\u200dष",
        "👩\u200d🚒",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "שלום\u200f!",
    ):
        assert scrutiny.hidden_characters(text) == []
    assert scrutiny.hidden_characters("pay\u200cpal")[0].code == "U+200C"


def test_a_host_that_mixes_scripts_is_shown_in_punycode():
    assert scrutiny.host_of("https://раypal.com/login").startswith("xn--")
    assert scrutiny.host_of("https://пример.рф/") == "пример.рф"
    assert scrutiny.host_of("https://www.Example.com:8443/x") == "www.example.com"
    assert scrutiny.host_of("http://[broken") == ""


def test_only_web_links_without_credentials_become_links():
    assert scrutiny.is_web_link("https://example.com/x")
    for url in (
        "javascript:alert(1)",
        "data:text/html,x",
        "https://user:pw@example.com",
        "/local",
        "http://",
        "",
    ):
        assert not scrutiny.is_web_link(url)
