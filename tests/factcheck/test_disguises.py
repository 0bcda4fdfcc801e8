"""Disguises that a first list forgets, and differences that a zealous fold would swallow (TXT-01, TXT-03)."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from factcheck.folding import canonical_link, fold, link_key, text_key
from tests.depth import budget

CLAIM = "The town well is poisoned and nobody tells you the truth"

DISGUISED = {
    "capitals of another script": CLAIM.upper().translate(str.maketrans("TEOAH", "ТЕОАН")),
    "Greek capitals": CLAIM.upper().translate(str.maketrans("TENO", "ΤΕΝΟ")),
    "Greek rho": CLAIM.replace("p", "ρ"),
    "variation selectors": "\ufe00".join(CLAIM),
    "supplementary variation selectors": CLAIM.replace("well", "w\U000e0101ell"),
    "grapheme joiner": CLAIM.replace("well", "we\u034fll"),
    "Hangul filler": CLAIM.replace("well", "we\u3164ll"),
    "hidden tags": CLAIM + "".join(chr(0xE0000 + ord(c)) for c in "not"),
    "an accent put on apart": CLAIM.replace("e", "e"),
    "mathematical letters": CLAIM.replace("truth", "𝐭𝐫𝐮𝐭𝐡"),
    "a joiner at the end of a word": CLAIM.replace("well ", "well\u200c "),
}
DIFFERENT = {
    "an exponent": ("The mast has 102 metres and nobody in town believes it", "The mast has 10² metres and nobody in town believes it"),
    "a fraction": ("They found 51⁄2 grams in the water of the well", "They found 5½ grams in the water of the well"),
    "we'll and well": ("We'll see to it that nobody drinks that water", "Well see to it that nobody drinks that water"),
    "a country's flag": (f"{CLAIM} 🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", f"{CLAIM} 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"),
    "a skin": (f"{CLAIM} 👋🏻", f"{CLAIM} 👋🏿"),
    "a family": (f"{CLAIM} 👨\u200d👩\u200d👧", f"{CLAIM} 👨\u200d👩\u200d👦"),
    "a Persian joiner": (f"{CLAIM} می\u200cروم", f"{CLAIM} میروم"),
}  # fmt: skip


@pytest.mark.parametrize("disguise", DISGUISED)
def test_a_disguise_does_not_hide_a_copy(disguise):
    assert text_key(DISGUISED[disguise]) == text_key(CLAIM) != ""


@pytest.mark.parametrize("difference", DIFFERENT)
def test_a_difference_in_meaning_is_kept(difference):
    one, other = DIFFERENT[difference]
    assert text_key(one) != text_key(other)
    assert "" not in (text_key(one), text_key(other))


def test_an_accent_is_the_same_written_as_one_letter_or_as_two_with_something_hidden_between():
    assert fold("café") == fold("cafe\u0301") == fold("cafe\u200b\u0301")


def test_apostrophes_within_a_word_are_one_and_quotes_around_it_are_none():
    assert fold("It’s ‘true’") == fold("It's true") == fold('it`s "true"')


APART = [
    ("https://straße.example/a", "https://strasse.example/a"),
    ("https://еbay.example/a", "https://ebay.example/a"),
    ("http://example.org:443/a", "http://example.org/a"),
    ("https://example.org:80/a", "https://example.org/a"),
    ("https://example.org/a?b=%2526", "https://example.org/a?b=%26"),
    ("https://m.example.org/a", "https://example.org/a"),
    ("https://example.org/amp/a", "https://example.org/a"),
    ("https://example.org/a#!b", "https://example.org/a#!c"),
]
TOGETHER = [
    ("http://example.org:80/a", "https://example.org:443/a"),
    ("https://ＥＸＡＭＰＬＥ.org/a", "https://example.org/a"),
    ("https://example.org/a?", "https://example.org/a"),
    ("https://straße.example/a", "https://xn--strae-oqa.example/a"),
    ("https://example.org/a?UTM_Source=x&id=1&gclid=2", "https://example.org/a?id=1"),
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_addresses_of_different_places_have_different_keys(one, other):
    assert canonical_link(one) != canonical_link(other)


@pytest.mark.parametrize(("one", "other"), TOGETHER)
def test_addresses_of_one_place_have_one_key(one, other):
    assert canonical_link(one) == canonical_link(other)


@pytest.mark.parametrize(
    "nonsense",
    [
        "",
        "http://[::1",
        "https://",
        "mailto:a@b.example",
        "javascript:alert(1)",
        "https://exa mple.org:x/",
        "//",
    ],
)
def test_what_is_no_address_of_a_page_has_no_key_and_breaks_nothing(nonsense):
    assert link_key("", [nonsense]) == ""


@given(st.text(max_size=60))
@budget(150)
@example("[")
@example("https://[::1]/a")
@example("https://example.org/%zz%")
@example("HTTPS://EXAMPLE.ORG:0443/%c3%84?%41=%7e#/x y")
def test_any_text_may_be_sent_as_a_link(text):
    assert isinstance(link_key(text, [text]), str)
    assert isinstance(link_key("", ["https://" + text]), str)


@given(st.from_regex(r"https?://[a-zäßе\[\]:.0-9]{1,12}(/[ -~äß]{0,10})?", fullmatch=True))
@budget(150)
@example("https://[::1]:8080/a")
def test_the_key_of_a_key_is_that_key(url):
    try:
        once = canonical_link(url)
    except ValueError:
        return
    assert canonical_link(once) == once


@given(st.text(alphabet="aeбé\u0301\u200b\u200c\u200dم🏴\U000e0067\U000e007f\ufe0f²½'’\" İßǅﬁ", max_size=20))
@budget(200)
def test_folding_twice_changes_nothing(text):
    assert fold(fold(text)) == fold(text)
