"""Keyset pagination by time: the thousandth slice is as fast as the first."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from embed.db.models import BaseModel
from embed.domain.identifiers import ID_LENGTH
from embed.domain.times import from_ms, to_ms

_FORM = re.compile(rf"([0-9]{{1,13}})-([0-9A-Za-z]{{{ID_LENGTH}}})")

Row = TypeVar("Row", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Cursor:
    """A row's position in a list; the next slice begins after it."""

    created_at: datetime
    id: str

    @classmethod
    def parse(cls, raw: str | None) -> "Cursor | None":
        """Return None if `raw` is no cursor, so that the list begins at its start."""
        found = _FORM.fullmatch(raw or "")
        return None if found is None else cls(from_ms(int(found[1])), found[2])

    def __str__(self) -> str:
        return f"{to_ms(self.created_at)}-{self.id}"


@dataclass(frozen=True, slots=True)
class Slice(Generic[Row]):
    rows: list[Row]
    next_cursor: Cursor | None  # None: this is the last slice


def read_rows(
    model: type[Row],
    *conditions: Any,
    limit: int,
    after: Cursor | None = None,
    is_oldest_first: bool = False,
) -> list[Row]:
    """Return rows that meet all conditions, by time and then id."""
    query = model.select().where(*conditions)
    keys: Any = (model.created_at, model.id)
    if after is not None:
        at, row_id = keys
        # The first condition is redundant, but it alone can use the index.
        query = (
            query.where(at >= after.created_at, (at > after.created_at) | (row_id > after.id))
            if is_oldest_first
            else query.where(at <= after.created_at, (at < after.created_at) | (row_id < after.id))
        )
    order = [key.asc() if is_oldest_first else key.desc() for key in keys]
    return list(query.order_by(*order).limit(limit))


def merge_rows(lists: Iterable[list[Row]], *, limit: int, is_oldest_first: bool) -> list[Row]:
    """Return the first rows of several lists that are sorted in this order."""
    rows = [row for one in lists for row in one]
    rows.sort(key=lambda row: (row.created_at, row.id), reverse=not is_oldest_first)
    return rows[:limit]


def make_slice(rows: list[Row], size: int) -> Slice[Row]:
    """Make a slice of `size` from rows that were read with a limit of `size` + 1."""
    if len(rows) <= size:
        return Slice(rows, None)
    last = rows[size - 1]
    return Slice(rows[:size], Cursor(last.created_at, last.id))
