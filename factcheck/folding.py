"""Separate keys by which copies are recognised; stored text and URLs are never changed (domain 7).

A text key ignores case, spacing, quotes, invisible and look-alike characters. It spares the joiners that
Persian and Indic words need, and emoji, numbers, negation: those differences never act.
"""

import contextlib
import hashlib
import re
import unicodedata
from collections.abc import Sequence
from urllib.parse import SplitResult, quote, urlsplit

MIN_WORDS = 8
ZWNJ, ZWJ = "\u200c", "\u200d"
VARIATION_SELECTORS = frozenset("\ufe0e\ufe0f")
# Joiners carry meaning beside letters of these scripts, and between emoji.
_JOINER_SCRIPTS = (
    "ARABIC", "SYRIAC", "DEVANAGARI", "BENGALI", "GURMUKHI", "GUJARATI", "ORIYA", "TAMIL", "TELUGU", "KANNADA",
    "MALAYALAM", "SINHALA",
)  # fmt: skip
_QUOTES = dict.fromkeys(map(ord, "\"'`´‘’‚‛“”„‟«»‹›「」『』〝〞＂＇"), None)
# Look-alikes of Latin letters that appear inside Latin words (Unicode TR39, the single-letter ones in use).
_LOOK_ALIKES = str.maketrans(
    "аеорсухіјѕԁԛԝɡαοрνικτυӏ",
    "aeopcyxijsdqwgaopviktul",
)
_TRACKING = re.compile(r"^(utm_[a-z_]+|fbclid|gclid|dclid|msclkid|igshid|mc_cid|mc_eid|yclid|_hsenc|_hsmi)$")
_SPACE = re.compile(r"\s+")


def fold(text: str) -> str:
    """The text as far as it counts for equality."""
    text = unicodedata.normalize("NFKC", text)
    text = "".join(c for i, c in enumerate(text) if _counts(text, i)).translate(_QUOTES).casefold()
    return _SPACE.sub(" ", _undisguised(text)).strip()


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
    return hashlib.sha256(canonical_link(links[0]).encode()).hexdigest()


def canonical_link(url: str) -> str:
    """A key for a URL: scheme, host case, www, default port, tracking and harmless escapes ignored.

    Path case, other parameters and their order, `%2F` and the fragment route (`#/…`) count.
    Applying it to its own result changes nothing.
    """
    parts = urlsplit(url.strip())
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
    host = (parts.hostname or "").rstrip(".").lower()
    if not host.isascii():
        with contextlib.suppress(UnicodeError):  # not a valid international name: compared as it is
            host = host.encode("idna").decode()
    host = host.removeprefix("www.")
    try:
        port = parts.port
    except ValueError:
        port = None
    return host if port in (None, 80, 443) else f"{host}:{port}"


def _escapes(text: str) -> str:
    """Decode escapes of unreserved characters, write the others in upper case, escape what is not ASCII."""

    def one(match: re.Match[str]) -> str:
        char = chr(int(match.group(1), 16))
        return char if char.isascii() and (char.isalnum() or char in "-._~") else match.group(0).upper()

    return quote(re.sub(r"%([0-9a-fA-F]{2})", one, text), safe="%/:?#[]@!$&'()*+,;=-._~")


def _counts(text: str, i: int) -> bool:
    char = text[i]
    if char in (ZWNJ, ZWJ):
        return _between_joinable(text, i)
    if char in VARIATION_SELECTORS:
        return False
    return unicodedata.category(char) not in ("Cf", "Cc", "Cn", "Cs") or char.isspace()


def _between_joinable(text: str, i: int) -> bool:
    before = text[i - 1] if i else ""
    if before in VARIATION_SELECTORS and i > 1:
        before = text[i - 2]
    after = text[i + 1] if i + 1 < len(text) else ""
    if not before or not after:
        return False
    if unicodedata.category(before) in ("So", "Sk") or unicodedata.category(after) == "So":
        return True
    return any(unicodedata.name(before, "").startswith(script) for script in _JOINER_SCRIPTS)


def _undisguised(text: str) -> str:
    """Look-alikes become Latin letters in a mostly Latin text: an all-Cyrillic or Greek text is no disguise."""
    letters = [c for c in text if c.isalpha()]
    latin = sum("a" <= c <= "z" for c in letters)
    return text.translate(_LOOK_ALIKES) if latin * 2 > len(letters) else text
