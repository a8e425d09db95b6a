"""Reading much of the database at once: one state of it, in little memory and a fixed order."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from peewee import Field, Node, OperationalError, PostgresqlDatabase

from embed.db.connection import db
from embed.db.models import MODELS
from embed.domain.identifiers import make_id

_FETCHED = 1000  # rows that Postgres sends at a time


@contextmanager
def reading_one_state() -> Iterator[None]:
    """Read the database as it is at the first statement, while others go on writing."""
    if not isinstance(db.obj, PostgresqlDatabase):
        with db.transaction("DEFERRED"):
            yield
        return
    tables = ", ".join(f'"{model._meta.table_name}"' for model in MODELS)
    with db.transaction("REPEATABLE READ"):
        # A table that an upgrade or a restore replaces later would look empty
        # (https://www.postgresql.org/docs/current/mvcc-caveats.html).
        db.execute_sql(f"LOCK TABLE {tables} IN ACCESS SHARE MODE")
        yield


def stream(query: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a query as the database stores them, without holding all in memory.

    Call this inside a transaction.
    """
    sql, parameters = query.sql()
    if not isinstance(db.obj, PostgresqlDatabase):
        yield from db.execute_sql(sql, parameters)
        return
    try:
        # Only a named cursor stays on the server.
        with db.connection().cursor(name=make_id()) as cursor:
            cursor.itersize = _FETCHED
            cursor.execute(sql, parameters)
            yield from cursor
    except psycopg.OperationalError as error:
        raise OperationalError(*error.args) from error


def in_byte_order(field: Field) -> Node:
    """Return what to order by so that every database orders texts in the same way."""
    is_postgres = isinstance(db.obj, PostgresqlDatabase)
    return field.collate('"C"' if is_postgres else "BINARY")
