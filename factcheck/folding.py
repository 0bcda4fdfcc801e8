"""Separate keys by which copies are recognised; stored text and URLs are never changed (domain 7).

A text key ignores case, spacing, quotes, invisible and look-alike characters. It spares the joiners that
Persian and Indic words need, and apostrophes, emoji, numbers, negation: those differences never act.
"""

import hashlib
import re
import unicodedata
from collections.abc import Sequence
from itertools import groupby
from urllib.parse import SplitResult, quote, urlsplit

MIN_WORDS = 8
ZWNJ, ZWJ = "\u200c", "\u200d"
_BLACK_FLAG = "\U0001f3f4"  # followed by tags it is the flag of a part of a country
_TAGS = "".join(map(chr, range(0xE0020, 0xE0080)))
_LONGEST_FLAG = 8  # the flag, a region's code of six, the end
# Joiners carry meaning between letters of these scripts, and between emoji.
_JOINER_SCRIPTS = (
    "ARABIC", "SYRIAC", "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA",
    "MALAYALAM", "SINHALA",
)  # fmt: skip
# Shown as nothing although Unicode calls them letters or marks.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u3164\uffa0\u17b4\u17b5")
_QUOTES = str.maketrans(
    dict.fromkeys("’‘‛‚ʼʻ´`′＇", "'") | dict.fromkeys("“”„‟«»‹›「」『』〝〞″＂", '"') | {"\u2800": " "}
)
# Quotes stay within a word, where they are apostrophes: “we'll” is not “well”.
_AROUND_WORDS = re.compile(r"""(?<![^\W\d_])['"]|['"](?![^\W\d_])""")
# Look-alikes of Latin letters that appear inside Latin words (Unicode TR39, the single-letter ones in use).
_LOOK_ALIKES = str.maketrans(
    "аеорсухіјѕԁԛԝɡαορνικτυӏօսАВЕКМНОРСТУХІЈЅԚԜΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdqwgaopviktulouABEKMHOPCTYXIJSQWABEZHIKMNOPTYX",
)
_TRACKING = re.compile(r"^(utm_[a-z_]+|fbclid|gclid|dclid|msclkid|igshid|mc_cid|mc_eid|yclid|_hsenc|_hsmi)$")
_DEFAULT_PORT = {"http": 80, "https": 443}
_SPACE = re.compile(r"\s+")


def fold(text: str) -> str:
    """The text as far as it counts for equality. Folding the result changes nothing."""
    for _ in range(4):  # one form may bring out another; more than twice was never seen
        folded = _fold_once(text)
        if folded == text:
            break
        text = folded
    return text


def text_key(text: str) -> str:
    """SHA-256 of the folded text, or "" for fewer than eight words: too little to act on."""
    folded = fold(text)
    if len([w for w in folded.split(" ") if any(c.isalnum() for c in w)]) < MIN_WORDS:
        return ""
    return hashlib.sha256(folded.encode()).hexdigest()


def link_key(text: str, links: Sequence[str]) -> str:
    """SHA-256 of the canonical link of a post that is that link and nothing else, or ""."""
    if len(links) != 1:
        return ""
    rest = _SPACE.sub("", fold(text)).replace(_SPACE.sub("", fold(links[0])), "")
    if rest:
        return ""
    try:
        return hashlib.sha256(canonical_link(links[0]).encode()).hexdigest()
    except ValueError:
        return ""


def canonical_link(url: str) -> str:
    """A key for a URL: scheme, host case, www, default port, tracking and harmless escapes ignored.

    Path case, other parameters and their order, `%2F` and the fragment route (`#/…`) count.
    Applying it to its own result changes nothing. Raises ValueError for what is no address of a page.
    """
    parts = urlsplit(url.strip())
    if parts.scheme not in _DEFAULT_PORT or not parts.hostname or parts.username is not None:
        raise ValueError("This is no address of a page.")
    host = _host(parts)
    path = _escapes(parts.path).rstrip("/") or ""
    query = "&".join(p for p in parts.query.split("&") if p and not _TRACKING.match(p.split("=")[0].lower()))
    key = f"https://{host}{path}"
    if query:
        key += "?" + _escapes(query)
    if parts.fragment.startswith(("/", "!")):
        key += "#" + parts.fragment
    return key


def _host(parts: SplitResult) -> str:
    """In lower case, international names in their ASCII form as browsers since IDNA 2008 write them."""
    host = unicodedata.normalize("NFKC", (parts.hostname or "").lower()).rstrip(".").removeprefix("www.")
    host = ".".join(
        label if label.isascii() else "xn--" + label.encode("punycode").decode() for label in host.split(".")
    )
    if ":" in host:
        host = f"[{host}]"
    return host if parts.port in (None, _DEFAULT_PORT[parts.scheme]) else f"{host}:{parts.port}"


def _escapes(text: str) -> str:
    """Decode escapes of unreserved characters, write the others in upper case, escape what is not ASCII."""

    def one(match: re.Match[str]) -> str:
        char = chr(int(match.group(1), 16))
        return char if char.isascii() and (char.isalnum() or char in "-._~") else match.group(0).upper()

    return quote(re.sub(r"%([0-9a-fA-F]{2})", one, text), safe="%/:?#[]@!$&'()*+,;=-._~")


def _fold_once(text: str) -> str:
    text = "".join(c for i, c in enumerate(text) if _counts(text, i)).translate(_QUOTES)
    text = _compatible(_undisguised(_compatible(text)).casefold())
    return _SPACE.sub(" ", _AROUND_WORDS.sub("", text)).strip()


def _compatible(text: str) -> str:
    """NFKC, but for numbers that it would run into their neighbours: 10² is not 102, 5½ not 51⁄2."""
    parts = groupby(text, key=lambda c: unicodedata.category(c) == "No")
    return "".join(
        "".join(part) if number else unicodedata.normalize("NFKC", "".join(part)) for number, part in parts
    )


def _counts(text: str, i: int) -> bool:
    char = text[i]
    if char in (ZWNJ, ZWJ):
        return _between_joinable(text, i)
    if char in _TAGS:
        return text[max(i - _LONGEST_FLAG, 0) : i].rstrip(_TAGS).endswith(_BLACK_FLAG)
    if _selects_variation(char) or char in _INVISIBLE:
        return False
    return unicodedata.category(char) not in ("Cf", "Cc", "Cn", "Cs") or char.isspace()


def _selects_variation(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef"


def _between_joinable(text: str, i: int) -> bool:
    before = text[i - 1] if i else ""
    if before and _selects_variation(before) and i > 1:
        before = text[i - 2]
    after = text[i + 1] if i + 1 < len(text) else ""
    if not before or not after:
        return False
    if unicodedata.category(before) in ("So", "Sk"):
        return unicodedata.category(after) == "So"
    joinable = any(unicodedata.name(before, "").startswith(script) for script in _JOINER_SCRIPTS)
    return joinable and unicodedata.category(after)[0] in "LM"


def _undisguised(text: str) -> str:
    """Look-alikes become Latin letters in a mostly Latin text: an all-Cyrillic or Greek text is no disguise."""
    letters = [c for c in text if c.isalpha()]
    latin = sum("a" <= c <= "z" or "A" <= c <= "Z" for c in letters)
    return text.translate(_LOOK_ALIKES) if latin * 2 > len(letters) else text
