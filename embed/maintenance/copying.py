"""Copies all rows from one database to another, with checksums to compare them."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import msgspec

from embed.db import folded, schema_version
from embed.db.models import MODELS
from embed.errors import InvalidInput
from embed.maintenance.rows import Rows, Schema

_MASK = (1 << 256) - 1


@dataclass(frozen=True, slots=True)
class TableSum:
    """A table's number of rows, and a checksum that doesn't depend on their order."""

    table: str
    rows: int
    checksum: str  # 64 hexadecimal digits


def describe_newest() -> Schema:
    """Return what is copied of this version's schema, so without columns that are computed.

    Tables come after those that they refer to.
    """
    return {
        model._meta.table_name: leave_out_computed(
            sorted(field.column_name for field in model._meta.sorted_fields)
        )
        for model in MODELS
    }


def leave_out_computed(columns: Iterable[str]) -> tuple[str, ...]:
    return tuple(column for column in columns if column != folded.COLUMN)


def check_migrations(migrations: Sequence[str], refusal: str) -> None:
    """Raises InvalidInput, starting with `refusal`, unless this version can use or upgrade them."""
    if not migrations:
        raise InvalidInput(f"{refusal} It has no tables of this service.")
    try:
        schema_version.check_version(migrations)
    except schema_version.OtherVersion as error:
        raise InvalidInput(f"{refusal} {error}") from error


def check_is_newest(rows: Rows, name: str) -> None:
    """Raises InvalidInput unless the database called `name` is at this version."""
    migrations = rows.list_migrations()
    check_migrations(migrations, f"{name} cannot be used.")
    if migrations != schema_version.list_migrations():
        raise InvalidInput(f"{name} has not been upgraded to this version: run flask db upgrade")


def sum_tables(source: Rows, schema: Schema) -> list[TableSum]:
    return [_sum_table(source, table, columns) for table, columns in schema.items()]


def copy_tables(source: Rows, target: Rows, schema: Schema) -> list[TableSum]:
    """Copy all rows into an empty database, and return the sums of the rows sent.

    Both are in a transaction. Raises InvalidInput.
    """
    return [_copy_table(source, target, table, columns) for table, columns in schema.items()]


def _copy_table(source: Rows, target: Rows, table: str, columns: tuple[str, ...]) -> TableSum:
    summing = _Summing(table)
    with closing(source.read(table, columns)) as rows:  # even if writing stops early
        target.write(table, columns, summing.watch(rows))
    return summing.finish()


def _sum_table(source: Rows, table: str, columns: tuple[str, ...]) -> TableSum:
    summing = _Summing(table)
    for _ in summing.watch(source.read(table, columns)):
        pass
    return summing.finish()


class _Summing:
    """Sums up rows as they pass through."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._rows = self._sum = 0

    def watch(self, rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        for row in rows:
            digest = hashlib.sha256(msgspec.msgpack.encode(row)).digest()
            self._sum = (self._sum + int.from_bytes(digest)) & _MASK
            self._rows += 1
            yield row

    def finish(self) -> TableSum:
        return TableSum(self._table, self._rows, f"{self._sum:064x}")
