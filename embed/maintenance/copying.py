"""Copies all rows from one database to another, with checksums to compare them."""

import hashlib
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import msgspec

from embed.db import schema_version
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
    """Return this version's schema; tables come after those that they refer to."""
    return {
        model._meta.table_name: tuple(
            sorted(field.column_name for field in model._meta.sorted_fields)
        )
        for model in MODELS
    }


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


def _sum_table(source: Rows, table: str, columns: tuple[str, ...]) -> TableSum:
    count = total = 0
    for row in source.read(table, columns):
        digest = hashlib.sha256(msgspec.msgpack.encode(row)).digest()
        total = (total + int.from_bytes(digest)) & _MASK
        count += 1
    return TableSum(table, count, f"{total:064x}")


def copy_tables(source: Rows, target: Rows, schema: Schema) -> list[TableSum]:
    """Copy all rows into an empty database, and return the sums of the source's.

    Both are in a transaction. Raises InvalidInput.
    """
    for table, columns in schema.items():
        with closing(source.read(table, columns)) as rows:  # even if writing stops early
            target.write(table, columns, rows)
    return sum_tables(source, schema)
