"""Reading, writing and deleting many rows."""

# mypy: allow-untyped-calls
# Several of peewee's methods have no types.

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import psycopg2
from peewee import OperationalError, PostgresqlDatabase, chunked

from embed.db.connection import db
from embed.domain.identifiers import make_id

BATCH = 1000  # rows per statement
_FETCHED = 1000  # rows that Postgres sends at a time

_READABLE = """
    SELECT quote_ident(relname) FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
    AND has_table_privilege(oid, 'SELECT')
"""

Row = TypeVar("Row")


def in_batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield the rows in lists that one statement can take."""
    batches: Iterator[list[Row]] = chunked(rows, BATCH)
    return batches


def analyze_tables(*models: Any) -> None:
    """Update Postgres's statistics of tables right away, after many rows were written.

    It does so by itself within minutes. Until then it may join tables as if they had few rows:
    reading the 50,000 wallets of a page took 94 seconds.
    """
    if db.for_update:  # SQLite doesn't need this
        db.execute_sql(f"ANALYZE {', '.join(model._meta.table_name for model in models)}")


def delete_in_batches(key: Any, condition: Any) -> int:
    """Delete the rows of a table that meet a condition and return how many.

    Each batch is its own transaction, so no lock is held for long. `key` is the primary key's
    field. Others can write between two batches, so use a condition that rows don't stop meeting,
    such as an age.
    """
    model, deleted = key.model, 0
    while keys := list(model.select(key).where(condition).limit(BATCH).tuples()):
        of_batch = key.in_([each for (each,) in keys])
        deleted += model.delete().where(of_batch, condition).execute()
    return deleted


@contextmanager
def reading_one_state(database: Any) -> Iterator[None]:
    """Read a database as of the first statement, while others keep writing."""
    if not isinstance(database, PostgresqlDatabase):
        with database.transaction("DEFERRED"):
            yield
        return
    tables = ", ".join(name for (name,) in database.execute_sql(_READABLE))
    with database.transaction("REPEATABLE READ"):
        if tables:  # a new database has none
            # A table that an upgrade or a restore replaces later would look empty
            # (https://www.postgresql.org/docs/current/mvcc-caveats.html).
            database.execute_sql(f"LOCK TABLE {tables} IN ACCESS SHARE MODE")
        yield


def stream(query: Any, database: Any = None) -> Iterator[tuple[Any, ...]]:
    """Yield a query's rows as the database stores them, without holding all in memory.

    `database` defaults to the models' own. Call this inside a transaction.
    """
    database = database or db.obj
    sql, parameters = query.sql()
    if not isinstance(database, PostgresqlDatabase):
        yield from database.execute_sql(sql, parameters)
        return
    try:
        # Only a named cursor keeps the result on the server. psycopg2 doesn't see the transaction
        # that Peewee began, and outside of one it only allows cursors `withhold`.
        with database.connection().cursor(name=make_id(), withhold=True) as cursor:
            cursor.itersize = _FETCHED
            cursor.execute(sql, parameters)
            yield from cursor
    except psycopg2.OperationalError as error:
        raise OperationalError(*error.args) from error
