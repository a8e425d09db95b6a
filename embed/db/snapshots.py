"""Reading much of the database at once: one state of it, in little memory and a fixed order."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from peewee import OperationalError, PostgresqlDatabase

from embed.db.connection import db
from embed.domain.identifiers import make_id

_FETCHED = 1000  # rows that Postgres sends at a time

_READABLE = """
    SELECT quote_ident(relname) FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
    AND has_table_privilege(oid, 'SELECT')
"""


@contextmanager
def reading_one_state(database: Any = None) -> Iterator[None]:
    """Read a database as it is at the first statement, while others go on writing.

    Another than the models' may be given.
    """
    database = database or db.obj
    if not _is_postgres(database):
        with database.transaction("DEFERRED"):
            yield
        return
    tables = ", ".join(name for (name,) in database.execute_sql(_READABLE))
    with database.transaction("REPEATABLE READ"):
        if tables:  # there are none in a new database
            # A table that an upgrade or a restore replaces later would look empty
            # (https://www.postgresql.org/docs/current/mvcc-caveats.html).
            database.execute_sql(f"LOCK TABLE {tables} IN ACCESS SHARE MODE")
        yield


def stream(query: Any, database: Any = None) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query as the database stores them, without holding all in memory.

    Another database than the models' may be given. Call this inside a transaction.
    """
    database = database or db.obj
    sql, parameters = query.sql()
    if not _is_postgres(database):
        yield from database.execute_sql(sql, parameters)
        return
    try:
        # Only a named cursor stays on the server.
        with database.connection().cursor(name=make_id()) as cursor:
            cursor.itersize = _FETCHED
            cursor.execute(sql, parameters)
            yield from cursor
    except psycopg.OperationalError as error:
        raise OperationalError(*error.args) from error


def in_byte_order(text: Any) -> Any:
    """Return what to order by so that every database orders texts in the same way."""
    return text.collate('"C"' if _is_postgres(db.obj) else "BINARY")


def _is_postgres(database: object) -> bool:
    return isinstance(database, PostgresqlDatabase)
