"""Copying all rows from one database to another, and comparing what arrived."""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import msgspec

from embed.errors import InvalidInput
from embed.maintenance.rows.postgres import PostgresRows
from embed.maintenance.rows.schemas import Schema
from embed.maintenance.rows.sqlite import SqliteRows
from embed.settings import find_database_file

Rows = SqliteRows | PostgresRows

_MASK = (1 << 256) - 1


def open_rows(url: str) -> Rows:
    """Return the rows of the database at `url`, which is connected to at first use."""
    path = find_database_file(url)
    return PostgresRows(url) if path is None else SqliteRows(path)


@dataclass(frozen=True, slots=True)
class TableSum:
    """How many rows a table has, and a checksum of them, whatever their order."""

    table: str
    rows: int
    checksum: str  # 64 hexadecimal digits


class _Summing:
    """Sums rows up while they pass."""

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


def sum_tables(source: Rows, schema: Schema) -> list[TableSum]:
    return [_sum_table(source, table, columns) for table, columns in schema.items()]


def _sum_table(source: Rows, table: str, columns: tuple[str, ...]) -> TableSum:
    summing = _Summing(table)
    for _ in summing.watch(source.read(table, columns)):
        pass
    return summing.finish()


def copy_tables(source: Rows, target: Rows, schema: Schema) -> list[TableSum]:
    """Copy all rows into a database without any, read them again and compare.

    Both are in a transaction. Raises InvalidInput if another count or checksum arrives.
    """
    return [_copy_table(source, target, table, columns) for table, columns in schema.items()]


def _copy_table(source: Rows, target: Rows, table: str, columns: tuple[str, ...]) -> TableSum:
    summing = _Summing(table)
    with closing(source.read(table, columns)) as rows:  # also if writing ends early
        target.write(table, columns, summing.watch(rows))
    sent, arrived = summing.finish(), _sum_table(target, table, columns)
    if sent != arrived:
        raise InvalidInput(
            f"{sent.rows} rows of {table} were sent and {arrived.rows} arrived, or some of them"
            " changed on the way."
        )
    return sent
