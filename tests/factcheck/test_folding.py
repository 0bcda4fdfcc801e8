"""What counts as a copy: spelling tricks do not hide one, and a different word never becomes one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factcheck.folding import canonical_link, fold, link_key, text_key

CLAIM = "The town well is poisoned and nobody tells you the truth"

SAME = {
    "case": CLAIM.upper(),
    "spaces": CLAIM.replace(" ", "  \u00a0"),
    "quotes": f"“{CLAIM}”",
    "zero-width space": CLAIM.replace("well", "we\u200bll"),
    "soft hyphen": CLAIM.replace("poisoned", "poi\u00adsoned"),
    "full width": CLAIM.replace("town", "ｔｏｗｎ"),
    "Cyrillic letters": CLAIM.replace("e", "е").replace("o", "о"),
    "direction override": "\u202e" + CLAIM,
    "joiner between Latin letters": CLAIM.replace("truth", "tr\u200duth"),
}
OTHER = {
    "negation": CLAIM.replace("is poisoned", "is not poisoned"),
    "number": CLAIM + " 2",
    "emoji": "❌ " + CLAIM,
    "name": CLAIM.replace("town", "Brown"),
    "question": CLAIM + "?",
}


@pytest.mark.parametrize("trick", SAME)
def test_tricks_of_spelling_do_not_hide_a_copy(trick):
    assert text_key(SAME[trick]) == text_key(CLAIM) != ""


@pytest.mark.parametrize("difference", OTHER)
def test_what_may_change_the_meaning_makes_another_text(difference):
    assert text_key(OTHER[difference]) not in ("", text_key(CLAIM))


def test_persian_words_that_differ_by_a_joiner_only_stay_apart():
    assert fold("می\u200cروم") != fold("میروم")


def test_indic_conjuncts_and_joined_emoji_keep_their_joiners():
    assert fold("क्\u200dष") != fold("क्ष")
    assert fold("👨\u200d👩\u200d👧") != fold("👨👩👧")


def test_a_text_in_cyrillic_or_greek_is_no_disguise():
    russian = "Вода в городском колодце отравлена, и никто вам об этом не говорит"
    assert fold(russian) == russian.casefold()


def test_fewer_than_eight_words_never_act():
    assert text_key("The well is poisoned, believe me, friends") == ""
    assert text_key("- - - - - - - - - -") == ""


SAME_LINKS = [
    "http://Example.org/a~b",
    "https://www.example.org:443/a%7Eb",
    "https://example.org./a~b?utm_source=x&fbclid=1",
    "https://example.org/a~b#section",
]
OTHER_LINKS = [
    "https://example.org/A~b",
    "https://example.org/a~b?id=1",
    "https://example.org/a~b?id=2",
    "https://example.org/a%2Fb",
    "https://example.org/a/b",
    "https://example.org/a~b#/route",
    "https://еxample.org/a~b",  # a Cyrillic е
    "https://example.org:8443/a~b",
]


def test_one_address_written_in_several_ways_has_one_key():
    assert len({canonical_link(link) for link in SAME_LINKS}) == 1
    assert canonical_link("https://bücher.example/ä") == canonical_link(
        "https://xn--bcher-kva.example/%c3%a4"
    )
    assert canonical_link("https://example.org/%2f") == canonical_link("https://example.org/%2F")


def test_addresses_that_may_lead_elsewhere_stay_apart():
    keys = [canonical_link(link) for link in [SAME_LINKS[0], *OTHER_LINKS]]
    assert len(set(keys)) == len(keys)


def test_a_link_is_a_key_only_when_the_post_says_nothing_else():
    link = "https://example.org/story"
    assert (
        link_key("", [link])
        == link_key(link, [link])
        == link_key(" \n", ["http://www.example.org/story/"])
        != ""
    )
    assert link_key("Look at this!", [link]) == ""
    assert link_key("", [link, "https://example.org/other"]) == ""


@given(st.text(max_size=200))
def test_folding_its_own_result_changes_nothing(text):
    assert fold(fold(text)) == fold(text)


@given(
    st.from_regex(
        r"https?://[a-z]{1,8}\.example(:[0-9]{2,4})?(/[a-zA-Z0-9%~ \u00e4-]{0,8}){0,3}(\?[a-z]=[0-9a-z%]{0,4})?",
        fullmatch=True,
    )
)
def test_the_key_of_a_key_is_the_key(url):
    once = canonical_link(url)
    assert canonical_link(once) == once
