"""Strict fields: no coercion, no trimming. Text comes back byte for byte; a wrong type is never guessed right."""

import re
import uuid
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from moderation import iso

LONGEST_TEXT = 20_000
LONGEST_NOTE = 2_000
LONGEST_URL = 2_000
LONGEST_NAME = 200
MOST_LINKS = 20
MOST_MEDIA = 20
MOST_AT_ONCE = 500  # posts or samples in one bulk request
MOST_LOOKED_UP = 1_000
BULK_BODY: int = settings.API_BULK_BODY_LIMIT
LARGEST_COUNT = 2**53 - 1  # every JSON reader keeps it exactly

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)", re.ASCII)
_SPACE_OR_CONTROL = re.compile(r"[\x00-\x20\x7f]")
_EARLIEST = datetime(1970, 1, 2, tzinfo=UTC)


class Text(serializers.CharField):
    """A string as it was sent. The parser has refused what no database can store."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("max_length", LONGEST_TEXT)
        super().__init__(trim_whitespace=False, **options)
        # Drop DRF's own search for NUL and surrogates, character by character: the parser did it once.
        self.validators = [v for v in self.validators if not type(v).__name__.startswith("Prohibit")]

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return data

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if isinstance(data, str) and not data.strip() and not self.allow_blank:
            self.fail("blank")
        return super().run_validation(data)


class Whole(serializers.IntegerField):
    """A JSON integer; neither "5" nor 5.0 nor true."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"min_value": 0, "max_value": LARGEST_COUNT, **options})

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int:
            self.fail("invalid")
        return data


class Fraction(serializers.FloatField):
    """A JSON number between 0 and 1."""

    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=0, max_value=1, **options)

    def to_internal_value(self, data: Any) -> float:
        if type(data) not in (int, float):
            self.fail("invalid")
        return float(data)


class Truth(serializers.BooleanField):
    """true or false, no other word for it."""

    def to_internal_value(self, data: Any) -> bool:
        if type(data) is not bool:
            self.fail("invalid", input="")
        return data


class Choice(serializers.ChoiceField):
    """One of a closed set; the answer names the set, not what was sent."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str) or data not in self.choice_strings_to_values:
            words = ", ".join(str(c) for c in self.choices if c != "")
            raise serializers.ValidationError(
                _("This must be one of: %(words)s.") % {"words": words}, code="invalid_choice"
            )
        return data


class Moment(serializers.DateTimeField):
    """RFC 3339 with an offset, kept in UTC."""

    default_error_messages = {
        "invalid": _("Write a time as RFC 3339 with its offset, such as 2026-11-30T09:30:00Z."),
        "out_of_range": _("This time lies outside of what can be stored."),
        "future": _("This time lies in the future."),
    }

    def __init__(self, *, past: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.past = past

    def to_internal_value(self, data: Any) -> datetime:
        if not isinstance(data, str) or not _RFC3339.fullmatch(data):
            self.fail("invalid")
        try:
            moment = datetime.fromisoformat(data).astimezone(UTC)
        except ValueError:
            self.fail("invalid")
        except OverflowError:
            self.fail("out_of_range")
        if moment < _EARLIEST:
            self.fail("out_of_range")
        if self.past and moment > timezone.now():
            self.fail("future")
        return moment

    def to_representation(self, value: datetime) -> str:
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


class Id(serializers.UUIDField):
    """One of our ids, as a string."""

    def to_internal_value(self, data: Any) -> uuid.UUID:
        if not isinstance(data, str):
            self.fail("invalid", value="")
        return super().to_internal_value(data)


class Link(Text):
    """An http or https address without credentials, as it was sent."""

    default_error_messages = {
        "not_a_link": _("Give an http or https address."),
        "credentials": _("An address must not carry a user name or password."),
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=LONGEST_URL, **options)

    def to_internal_value(self, data: Any) -> str:
        data = super().to_internal_value(data)
        try:
            parts = urlsplit(data)
            host, _port = parts.hostname, parts.port
        except ValueError:
            self.fail("not_a_link")
        # urlsplit strips and skips what a browser may not: the address must be what it parses to.
        if parts.scheme not in ("http", "https") or not host or _SPACE_OR_CONTROL.search(data):
            self.fail("not_a_link")
        if "@" in parts.netloc:
            self.fail("credentials")
        return data


class Digest(Text):
    """SHA-256 in small hexadecimal letters."""

    default_error_messages = {"not_a_digest": _("Give a SHA-256 as 64 small hexadecimal digits.")}

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=64, **options)

    def to_internal_value(self, data: Any) -> str:
        data = super().to_internal_value(data)
        if not re.fullmatch(r"[0-9a-f]{64}", data):
            self.fail("not_a_digest")
        return data


class Ref(Text):
    """A post named by its id, or by the platform's own id as ext:<external id>."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("help_text", "An id, or `ext:` and the platform's own id.")
        super().__init__(max_length=LONGEST_NAME + 4, **options)


class Email(serializers.EmailField):
    """An e-mail address, not trimmed into one."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=254, trim_whitespace=False, **options)

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class ExternalId(Text):
    """The platform's own id of a post, an actor or a member: no spaces or controls around it."""

    default_error_messages = {"invalid_id": _("An id has no control characters and no space around it.")}

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=LONGEST_NAME, **options)

    def to_internal_value(self, data: Any) -> str:
        data = super().to_internal_value(data)
        if data != data.strip() or not data.isprintable():
            self.fail("invalid_id")
        return data


class Language(Text):
    """ISO 639-1, or 639-3 where there is none."""

    default_error_messages = {"unknown_language": _("This is no ISO 639 code of a language, such as en.")}

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=3, **options)

    def to_internal_value(self, data: Any) -> str:
        data = super().to_internal_value(data)
        if not data.islower() or iso.language_name(data) is None:
            self.fail("unknown_language")
        return data


class Region(Text):
    """ISO 3166-1 country, or ISO 3166-2 subdivision."""

    default_error_messages = {
        "unknown_region": _("This is no ISO 3166 code of a country or region, such as LK or IN-TN.")
    }

    def __init__(self, *, countries_only: bool = False, **options: Any) -> None:
        super().__init__(max_length=8, **options)
        self.name_of = iso.country_name if countries_only else iso.region_name

    def to_internal_value(self, data: Any) -> str:
        data = super().to_internal_value(data)
        if not data.isupper() or self.name_of(data) is None:
            self.fail("unknown_region")
        return data


class Listed(serializers.ListField):
    """A JSON array of one kind, of at most `most` entries."""

    def __init__(self, child: serializers.Field, *, most: int, **options: Any) -> None:
        super().__init__(child=child, max_length=most, **options)

    def run_validation(self, data: Any = serializers.empty) -> Any:
        if isinstance(data, list) and len(data) > (self.max_length or 0):
            raise serializers.ValidationError(
                _("At most %(most)s entries.") % {"most": self.max_length}, code="too_many"
            )
        return super().run_validation(data)


class Refs(Listed):
    """Names of posts, checked in one go: a lookup brings a thousand."""

    def __init__(self, *, most: int, **options: Any) -> None:
        super().__init__(Ref(), most=most, **options)

    def to_internal_value(self, data: Any) -> list[str]:
        if not isinstance(data, list):
            self.fail("not_a_list", input_type=type(data).__name__)
        if any(type(ref) is not str or not 0 < len(ref) <= LONGEST_NAME + 4 for ref in data):
            return super().to_internal_value(data)  # says which one is at fault
        return data


class Unchecked(Listed):
    """An array whose entries the view checks one by one, so that one bad entry does not refuse the others."""

    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list):
            self.fail("not_a_list", input_type=type(data).__name__)
        if not data:
            self.fail("empty")
        return data


@extend_schema_field(OpenApiTypes.OBJECT)
class Details(serializers.DictField):
    """A small JSON object of the sender's own."""

    default_error_messages = {"too_large": _("At most 50 names.")}

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            self.fail("not_a_dict", input_type=type(data).__name__)
        if len(data) > 50:
            self.fail("too_large")
        return data


class Present(serializers.BooleanField):
    """A parameter that is true by being there: `?mine`, also `?mine=true` or `?mine=false`."""

    def to_internal_value(self, data: Any) -> bool:
        return True if data == "" else super().to_internal_value(data)

    def validate_empty_values(self, data: Any) -> tuple[bool, Any]:
        return (False, data) if data == "" else super().validate_empty_values(data)
