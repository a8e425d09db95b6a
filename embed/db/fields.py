"""Base classes of tables, fields for instants, lines and exact amounts, and text ordering."""

from datetime import datetime
from decimal import Decimal
from typing import Any, NoReturn

import msgspec
from peewee import (
    BigIntegerField,
    CharField,
    Check,
    Model,
    PostgresqlDatabase,
    TextField,
)

from embed.db.connection import db
from embed.domain.amounts import format_amount
from embed.domain.identifiers import ID_LENGTH, make_id
from embed.domain.look import DEFAULT_LOOK, Look
from embed.domain.times import from_ms, to_ms


class InstantField(BigIntegerField):
    """An aware UTC datetime, stored as whole milliseconds since 1970."""

    def db_value(self, value: datetime | None) -> int | None:
        return None if value is None else to_ms(value)

    def python_value(self, value: int | None) -> datetime | None:
        return None if value is None else from_ms(value)


class LinesField(TextField):
    """A tuple of strings without white space, stored one per line."""

    def db_value(self, value: Any) -> str:
        return "\n".join(value)

    def python_value(self, value: str) -> tuple[str, ...]:
        return tuple(value.split())


class LookField(TextField):
    """A page's look as JSON; null: the default look."""

    def db_value(self, value: Look | None) -> str | None:
        return None if value in (None, DEFAULT_LOOK) else msgspec.json.encode(value).decode()

    def python_value(self, value: str | None) -> Look:
        return DEFAULT_LOOK if value is None else _decode_look(value)


_decode_look = msgspec.json.Decoder(Look).decode


class AmountField(TextField):
    """An exact amount, stored as text: SQLite's numbers have only 15 digits."""

    def db_value(self, value: Decimal | int | None) -> str | None:
        return None if value is None else format_amount(value)

    def python_value(self, value: str | None) -> Decimal | None:
        return None if value is None else Decimal(value)

    def _refuse_order(self, other: object) -> NoReturn:
        raise TypeError("The database would compare amounts as text; compare them in Python.")

    __lt__ = __le__ = __gt__ = __ge__ = _refuse_order


class ChoiceField(CharField):
    """One of a few words; the database allows no others."""

    def __init__(self, *words: str, **options: Any) -> None:
        super().__init__(max_length=max(map(len, words)), **options)
        self.words = words

    def bind(self, model: type[Model], name: str, set_attribute: bool = True) -> None:
        super().bind(model, name, set_attribute)
        words = ", ".join(f"'{word}'" for word in self.words)
        self.constraints = [Check(f"{self.column_name} IN ({words})")]


def check_amount(column: str) -> Any:
    """Allow only digits, with an optional point between them: no negative amounts."""
    digits = "'0123456789'"
    rest = f"ltrim({column}, {digits})"
    return Check(f"{rest} <> {column} AND rtrim({rest}, {digits}) IN ('', '.')")


class Table(Model):
    class Meta:
        database = db
        legacy_table_names = False


class BaseModel(Table):
    id = CharField(max_length=ID_LENGTH, primary_key=True, default=make_id)
    created_at = InstantField()


def in_byte_order(text: Any) -> Any:
    """Return an ordering of texts that's the same on every database."""
    return text.collate('"C"' if isinstance(db.obj, PostgresqlDatabase) else "BINARY")
