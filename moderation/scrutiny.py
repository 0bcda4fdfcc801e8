"""What a reader does not see: control characters in a text, hosts that look like another's. Pure functions."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

# They turn the direction of what follows, or are not drawn at all. Marks that Arabic and Hebrew texts use
# every day (U+200E, U+200F, U+061C) cannot turn anything around and are left out.
_TURNING = "\u202a-\u202e\u2066-\u2069"
_INVISIBLE = "\u00ad\u180e\u200b\u2060-\u2064\ufeff\U000e0000-\U000e007f"
_HIDDEN = re.compile(f"[{_TURNING}{_INVISIBLE}\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_TURNS = re.compile(f"[{_TURNING}]")
# A black flag followed by tag characters is an emoji (the flag of a region), not a hidden text.
_FLAG_EMOJI = re.compile("\U0001f3f4[\U000e0020-\U000e007f]+")
# Joiners carry meaning in Persian, Indic scripts and emoji; between Latin letters they only hide.
_LATIN_JOINERS = re.compile("(?<=[A-Za-z])[\u200c\u200d]+(?=[A-Za-z])")


@dataclass(frozen=True)
class Hidden:
    """One kind of hidden character in a text: `code` like "U+202E"; `turns` if it changes the direction."""

    code: str
    name: str
    count: int
    turns: bool


def hidden_characters(text: str) -> list[Hidden]:
    """The kinds of hidden characters in a text, those that turn its direction first."""
    found = Counter(char for is_hidden, piece in _pieces(text) if is_hidden for char in piece)
    kinds = [Hidden(_code(c), _name(c), n, bool(_TURNS.match(c))) for c, n in found.items()]
    return sorted(kinds, key=lambda kind: (not kind.turns, kind.code))


def laid_bare(text: str) -> list[tuple[bool, str]]:
    """The text with each hidden character replaced by its code: (is a code, piece) in reading order."""
    bare: list[tuple[bool, str]] = []
    for is_hidden, piece in _pieces(text):
        bare += [(True, _code(char)) for char in piece] if is_hidden else [(False, piece)]
    return bare


def is_web_link(url: str) -> bool:
    """Whether a page may link to it: http or https, a host, no credentials."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.username
    except ValueError:
        return False


def host_of(url: str) -> str:
    """The host as a reader should see it: in punycode when a label mixes scripts, "" when there is none."""
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    if not any(mixes_scripts(label) for label in host.split(".")):
        return host
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return ascii(host)[1:-1]


def mixes_scripts(word: str) -> bool:
    """Whether letters of several scripts stand in one word, as in "раypal" with Cyrillic р and а."""
    scripts = {_script(char) for char in word if char.isalpha()}
    return len(scripts - {"CJK", "HIRAGANA", "KATAKANA", "HANGUL"}) > 1 or (
        "LATIN" in scripts and len(scripts) > 1
    )


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """(is hidden, piece) in reading order."""
    spared = [match.span() for match in _FLAG_EMOJI.finditer(text)]
    marks = [*_HIDDEN.finditer(text), *_LATIN_JOINERS.finditer(text)]
    hidden = sorted(m.span() for m in marks if not any(start <= m.start() < end for start, end in spared))
    at = 0
    for start, end in hidden:
        if at < start:
            yield False, text[at:start]
        yield True, text[start:end]
        at = end
    if at < len(text):
        yield False, text[at:]


def _code(char: str) -> str:
    return f"U+{ord(char):04X}"


def _name(char: str) -> str:
    return unicodedata.name(char, "control character").lower()


def _script(char: str) -> str:
    return unicodedata.name(char, "").split(" ")[0]
