"""Keyset pagination: slice 1,000 is as fast as the first."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from peewee import Value

from embed.db.models import BaseModel
from embed.domain.identifiers import ID_LENGTH
from embed.domain.times import to_ms

_FORM = re.compile(rf"([0-9]{{1,13}})-([0-9A-Za-z]{{{ID_LENGTH}}})")

Row = TypeVar("Row")
TimedRow = TypeVar("TimedRow", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Cursor:
    """A row's position in a list; the next slice begins after it."""

    number: int  # sorts the list; for a time, milliseconds since 1970
    id: str  # sorts rows with the same number

    @classmethod
    def parse(cls, raw: str | None) -> "Cursor | None":
        """Return None if `raw` isn't a cursor; the list then starts from the beginning."""
        found = _FORM.fullmatch(raw or "")
        return None if found is None else cls(int(found[1]), found[2])

    def __str__(self) -> str:
        return f"{self.number}-{self.id}"


@dataclass(frozen=True, slots=True)
class Slice(Generic[Row]):
    rows: list[Row]
    next_cursor: Cursor | None  # None: this is the last slice


def in_order(
    query: Any, keys: tuple[Any, Any], after: Cursor | None, *, is_oldest_first: bool = False
) -> Any:
    """Sort a query by a number or time, then by id, starting after a position."""
    if after is not None:
        key, id_key = keys
        number = Value(after.number, converter=False)  # times are stored as numbers
        # The first condition is redundant, but it alone can use the index.
        query = (
            query.where(key >= number, (key > number) | (id_key > after.id))
            if is_oldest_first
            else query.where(key <= number, (key < number) | (id_key < after.id))
        )
    return query.order_by(*(key.asc() if is_oldest_first else key.desc() for key in keys))


def read_rows(
    model: type[TimedRow],
    *conditions: Any,
    limit: int,
    after: Cursor | None = None,
    is_oldest_first: bool = False,
) -> list[TimedRow]:
    """Return the rows that meet all conditions, sorted by time, then id."""
    query, keys = model.select().where(*conditions), (model.created_at, model.id)
    return list(in_order(query, keys, after, is_oldest_first=is_oldest_first).limit(limit))


def merge_rows(
    lists: Iterable[list[TimedRow]], *, limit: int, is_oldest_first: bool
) -> list[TimedRow]:
    """Return the first rows of several lists, which are already in this order."""
    rows = [row for one in lists for row in one]
    rows.sort(key=lambda row: (row.created_at, row.id), reverse=not is_oldest_first)
    return rows[:limit]


def _find_position(row: Any) -> Cursor:
    return Cursor(to_ms(row.created_at), row.id)


def make_slice(
    rows: list[Row], size: int, position: Callable[[Row], Cursor] = _find_position
) -> Slice[Row]:
    """Make a slice of `size` from rows that were read with a limit of `size` + 1."""
    next_cursor = position(rows[size - 1]) if len(rows) > size else None
    return Slice(rows[:size], next_cursor)
