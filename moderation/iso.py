"""Codes of countries, their subdivisions and languages, checked against ISO 3166 and ISO 639."""

from collections.abc import Callable, Iterable
from functools import lru_cache

import pycountry
from django.utils.translation import gettext as _

from moderation.errors import Invalid


def regions(codes: Iterable[str], *, field: str = "regions") -> list[str]:
    """The codes in capitals, each once, in their order: ISO 3166-1 countries and ISO 3166-2 subdivisions.

    Raises Invalid (`unknown_region`) naming the first that does not exist.
    """
    return _checked(codes, region_name, _region_hint, field=field, code="unknown_region", upper=True)


def countries(codes: Iterable[str], *, field: str = "countries") -> list[str]:
    """As `regions`, countries only. Raises Invalid (`unknown_country`)."""
    return _checked(codes, country_name, _region_hint, field=field, code="unknown_country", upper=True)


def languages(codes: Iterable[str], *, field: str = "languages") -> list[str]:
    """The codes in small letters, each once, in their order: ISO 639-1, or 639-3 where there is none.

    Raises Invalid (`unknown_language`) naming the first that does not exist.
    """
    return _checked(codes, language_name, _language_hint, field=field, code="unknown_language", upper=False)


def region_name(code: str) -> str | None:
    """ "Sri Lanka", "Tamil Nadu, India"; None for no such code."""
    if "-" not in code:
        return country_name(code)
    part = pycountry.subdivisions.get(code=code)
    return f"{part.name}, {country_name(part.country_code)}" if part else None


@lru_cache(maxsize=512)
def country_name(code: str) -> str | None:
    found = pycountry.countries.get(alpha_2=code) if len(code) == 2 else None
    return str(getattr(found, "common_name", found.name)) if found else None


@lru_cache(maxsize=512)
def language_name(code: str) -> str | None:
    if len(code) == 2:
        found = pycountry.languages.get(alpha_2=code)
    else:
        found = pycountry.languages.get(alpha_3=code) if len(code) == 3 else None
        if found is not None and hasattr(found, "alpha_2"):
            return None  # the two-letter code is the one that posts carry
    return str(found.name) if found else None


def _checked(
    codes: Iterable[str],
    name: Callable[[str], str | None],
    hint: Callable[[str], str],
    *,
    field: str,
    code: str,
    upper: bool,
) -> list[str]:
    found: dict[str, None] = {}
    for raw in codes:
        word = raw.strip()
        if not word:
            continue
        written = word.upper() if upper else word.lower()
        if name(written) is None:
            raise Invalid(hint(word), field=field, code=code, value=word)
        found[written] = None
    return list(found)


def _region_hint(word: str) -> str:
    try:
        meant = pycountry.countries.lookup(word)
    except LookupError:
        return _(
            "“%(word)s” is no ISO code of a country or region. Write LK for Sri Lanka, IN-TN for Tamil Nadu."
        ) % {"word": word}
    return _("Write %(code)s for %(name)s; “%(word)s” is not its two-letter code.") % {
        "code": meant.alpha_2,
        "name": getattr(meant, "common_name", meant.name),
        "word": word,
    }


def _language_hint(word: str) -> str:
    try:
        meant = pycountry.languages.lookup(word)
    except LookupError:
        return _("“%(word)s” is no ISO code of a language. Write en for English, hi for Hindi.") % {
            "word": word
        }
    return _("Write %(code)s for %(name)s.") % {
        "code": getattr(meant, "alpha_2", meant.alpha_3),
        "name": meant.name,
    }
