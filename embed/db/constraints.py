"""Finds the constraint behind an IntegrityError, on SQLite and Postgres."""

import sqlite3
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from peewee import IntegrityError
from psycopg2 import errors

from embed.db.connection import db
from embed.db.failures import find_reason


def find_unique_index(error: IntegrityError) -> str | None:
    """Return the name of the violated unique index; None if another constraint was violated."""
    reason = find_reason(error)
    if isinstance(reason, errors.UniqueViolation):
        return reason.diag.constraint_name
    if (
        isinstance(reason, sqlite3.IntegrityError)
        and reason.sqlite_errorcode == sqlite3.SQLITE_CONSTRAINT_UNIQUE
    ):
        return _find_sqlite_index(str(reason))
    return None


@contextmanager
def translate_unique_violations(refusals: Mapping[str, Exception]) -> Iterator[None]:
    """Turn a violated unique index into the exception listed under its name.

    Wrap the whole transaction, since it has to be rolled back. Other IntegrityErrors pass
    through unchanged.
    """
    try:
        yield
    except IntegrityError as error:
        refusal = refusals.get(find_unique_index(error) or "")
        if refusal is None:
            raise
        _clear_frames(error)
        raise refusal from None


@contextmanager
def skip_if_reference_missing() -> Iterator[None]:
    """Skip a write that refers to a row deleted in the meantime, such as a purged page."""
    try:
        yield
    except IntegrityError as error:
        reason = find_reason(error)
        is_missing = isinstance(reason, errors.ForeignKeyViolation) or (
            isinstance(reason, sqlite3.IntegrityError)
            and reason.sqlite_errorcode == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
        )
        if not is_missing:
            raise


def _clear_frames(error: BaseException | None) -> None:
    """Free the cursors in a handled error's frames immediately.

    The error is the context of the refusal, which forms a reference cycle with its own frames.
    If the garbage collector freed a cursor later, in another thread, it would wait there for the
    connection's mutex while holding the GIL: no thread could run until SQLite's timeout.
    """
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__context__


def _find_sqlite_index(message: str) -> str | None:
    """Look up the index over the columns named in "UNIQUE constraint failed: a.x, a.y"."""
    columns = message.partition(": ")[2].split(", ")
    table = columns[0].partition(".")[0]
    for index in db.get_indexes(table):
        if index.unique and [f"{table}.{column}" for column in index.columns] == columns:
            return str(index.name)
    return None
