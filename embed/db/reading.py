"""A database that is only read, and for which no file is created or changed."""

from typing import Any

from peewee import Database, PostgresqlDatabase, SqliteDatabase

from embed.db.connection import db
from embed.settings import find_database_file

_CONNECT_TIMEOUT_S = 5
_STATEMENT_TIMEOUT_S = 5


def open_for_reading(url: str) -> Database:
    """Make `url` the database that every model reads; connects at first use."""
    path = find_database_file(url)
    if path is None:
        database: Database = _ReadOnlyPostgres(
            url, prefer_psycopg3=True, connect_timeout=_CONNECT_TIMEOUT_S
        )
    else:
        # Without its companion nobody has the file open, and SQLite would create one to read it:
        # https://sqlite.org/wal.html#read_only_databases
        is_open = path.with_name(f"{path.name}-wal").exists()
        how = "mode=ro" if is_open else "immutable=1"
        database = SqliteDatabase(
            f"{path.resolve().as_uri()}?{how}", uri=True, timeout=_STATEMENT_TIMEOUT_S
        )
    db.initialize(database)
    return database


class _ReadOnlyPostgres(PostgresqlDatabase):
    def _initialize_connection(self, conn: Any) -> None:
        # Not as `options` when connecting, which would replace those in the address.
        conn.execute(f"SET statement_timeout = '{_STATEMENT_TIMEOUT_S}s'")
        conn.execute("SET default_transaction_read_only = on")
