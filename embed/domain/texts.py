"""Short texts that owners write: names, titles, tags."""

import unicodedata

from embed.errors import InvalidInput

# Control characters, lone surrogates and private-use ones. (Unassigned ones may be new emoji.)
_UNPRINTABLE = {"Cc", "Cs", "Co"}


def parse_text(raw: str, label: str, *, field: str, max_length: int) -> str:
    """Return `raw` trimmed, 1 to `max_length` code points.

    Raises InvalidInput for `field`; its sentence calls the field `label`.
    """
    text = parse_optional_text(raw, label, field=field, max_length=max_length)
    if text is None:
        raise InvalidInput(f"The {label} must not be empty.", field=field)
    return text


def parse_optional_text(
    raw: str | None, label: str, *, field: str, max_length: int, may_have_lines: bool = False
) -> str | None:
    """As parse_text, but return None for an empty or blank text."""
    text = (raw or "").strip()
    if may_have_lines:
        text = text.replace("\r\n", "\n")  # forms send CRLF
    if not text:
        return None
    if len(text) > max_length:
        raise InvalidInput(f"The {label} is longer than {max_length} characters.", field=field)
    checked = text.replace("\n", "") if may_have_lines else text
    if any(unicodedata.category(character) in _UNPRINTABLE for character in checked):
        raise InvalidInput(f"The {label} holds a character that cannot be shown.", field=field)
    return text
