"""Free text: kept as it was typed, byte for byte; refused where it says nothing."""

import unicodedata

from moderation.errors import Invalid


def require(otherwise: str = "This must be filled in.", /, **fields: str) -> None:
    """Raises Invalid (the field's name, code `required`) for a text without anything to see in it."""
    for name, text in fields.items():
        if all(unicodedata.category(char)[0] in "ZC" for char in text):
            raise Invalid(otherwise, field=name, code="required")
