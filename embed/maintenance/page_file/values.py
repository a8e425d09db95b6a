"""The values in a page's file: their form, and how columns become JSON and JSON columns."""

import base64
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, TypeAlias

from msgspec import Meta
from peewee import BlobField, BooleanField

from embed.db.fields import AmountField, InstantField, LinesField
from embed.domain.times import format_instant

# JSON Schema and Python differ in what $ means; this is the end for both.
_END = r"(?![\s\S])"
_NO_CONTROLS = r"^(?![\s\S]*[\u0000-\u001f\u007f-\u009f])"
_NO_CONTROLS_BUT_LINES = r"^(?![\s\S]*[\u0000-\u0009\u000b-\u001f\u007f-\u009f])"
_BASE64 = rf"^(?:[A-Za-z0-9+/]{{4}})*(?:[A-Za-z0-9+/]{{2}}==|[A-Za-z0-9+/]{{3}}=)?{_END}"

MAX_WHOLE_NUMBER = 2**31 - 1  # what an integer column holds

Id: TypeAlias = Annotated[str, Meta(pattern=rf"^[0-9A-Za-z]{{20}}{_END}")]
Address: TypeAlias = Annotated[
    str, Meta(pattern=rf"^[1-9A-HJ-NP-Za-km-z]{{32,44}}{_END}", description="base58 of 32 bytes")
]
Instant: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^[12][0-9]{3}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z"
        + _END,
        description="ISO 8601 in UTC, with milliseconds",
    ),
]
Amount: TypeAlias = Annotated[
    str,
    Meta(
        pattern=rf"^(?:0|[1-9][0-9]{{0,39}})(?:\.[0-9]{{0,39}}[1-9])?{_END}",
        description="whole tokens, digit for digit",
    ),
]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=MAX_WHOLE_NUMBER)]
Slot: TypeAlias = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Name: TypeAlias = Annotated[
    str, Meta(min_length=1, max_length=100, pattern=_NO_CONTROLS, description="one line")
]
Line: TypeAlias = Annotated[
    str, Meta(max_length=2000, pattern=_NO_CONTROLS, description="one line, may be empty")
]
Actor: TypeAlias = Annotated[str, Meta(max_length=254, pattern=_NO_CONTROLS)]
Action: TypeAlias = Annotated[str, Meta(max_length=30, pattern=_NO_CONTROLS)]
Lines: TypeAlias = Annotated[str, Meta(max_length=20_000, pattern=_NO_CONTROLS_BUT_LINES)]
Email: TypeAlias = Annotated[str, Meta(max_length=254, pattern=rf"^[^\s@]{{1,64}}@[^\s@]+{_END}")]
Word: TypeAlias = Annotated[str, Meta(pattern=rf"^[!-~]{{1,300}}{_END}", description="ASCII")]
Base64: TypeAlias = Annotated[str, Meta(max_length=8000, pattern=_BASE64)]

Signature: TypeAlias = Annotated[
    str, Meta(pattern=rf"^[A-Za-z0-9+/]{{86}}=={_END}", description="64 bytes in base64")
]


def name_in_json(attribute: str) -> str:
    """Return the name of a column in JSON: camelCase, instants with Iso."""
    first, *rest = attribute.split("_")
    name = first + "".join(word.capitalize() for word in rest)
    return f"{name}Iso" if rest[-1:] == ["at"] else name


def to_json(field: Any, stored: Any) -> Any:
    """Return what a database stores in a column as JSON."""
    value = field.python_value(stored)
    if value is None:
        return None
    match field:
        case InstantField():
            return format_instant(value)
        case AmountField():
            return stored
        case BlobField():
            return base64.b64encode(bytes(value)).decode()
        case LinesField():
            return list(value)
        case BooleanField():
            return bool(value)
        case _:
            return value


def to_column(field: Any, value: Any) -> Any:
    """Return a value of the file as its column's. Raises ValueError with a sentence."""
    match field:
        case _ if value is None:
            return None
        case InstantField():
            return parse_instant(value)
        case AmountField():
            return Decimal(value)
        case BlobField():
            return base64.b64decode(value, validate=True)
        case _:
            return value


def parse_instant(text: str) -> datetime:
    """Raises ValueError for a date or time that does not exist."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text} is not a date and time.") from None
