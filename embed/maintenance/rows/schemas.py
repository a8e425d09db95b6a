"""The tables and columns that a database has after some of the migrations."""

from collections.abc import Iterable, Sequence

from peewee import SqliteDatabase

from embed.db import connection
from embed.errors import InvalidInput

Schema = dict[str, tuple[str, ...]]  # columns by table; tables come after those they refer to

_HISTORY = "schema_migration"  # written by the migrations themselves


def describe_schema(migrations: Sequence[str]) -> Schema:
    """Return the schema of a database with these migrations.

    Raises InvalidInput unless they are the first ones of this version.
    """
    check_migrations(migrations)
    database = SqliteDatabase(":memory:")
    try:
        connection.upgrade(database, last=migrations[-1])
        tables = set(database.get_tables()) - {_HISTORY}
        references = {
            table: {key.dest_table for key in database.get_foreign_keys(table)} for table in tables
        }
        return {
            table: tuple(column.name for column in database.get_columns(table))
            for table in _sort_by_reference(references)
        }
    finally:
        database.close()


def check_migrations(migrations: Sequence[str]) -> None:
    known = connection.list_migrations()
    if not migrations:
        raise InvalidInput("It has no tables of this service.")
    if list(migrations) != known[: len(migrations)]:
        raise InvalidInput(
            "It was made by another, probably newer version of this service, whose migration"
            f" {_find_unknown(migrations, known)} is not known here."
        )


def is_newest(migrations: Sequence[str]) -> bool:
    return list(migrations) == connection.list_migrations()


def _find_unknown(migrations: Iterable[str], known: Sequence[str]) -> str:
    return next((name for name in migrations if name not in known), "history")


def _sort_by_reference(references: dict[str, set[str]]) -> list[str]:
    """Sort tables so that each comes after those that it refers to, otherwise by name."""
    ordered: list[str] = []
    while len(ordered) < len(references):
        ordered += [
            next(
                table
                for table in sorted(references)
                if table not in ordered and references[table] <= set(ordered)
            )
        ]
    return ordered
