"""The database connection.

Each thread keeps its connection open: opening one costs more than most requests.
"""

# mypy: allow-untyped-calls
# Several of peewee's methods have no types.

import logging
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from os.path import samestat
from pathlib import Path
from typing import Any

from peewee import (
    Database,
    DatabaseProxy,
    InterfaceError,
    InternalError,
    OperationalError,
    PeeweeException,
    PostgresqlDatabase,
    SqliteDatabase,
)
from playhouse.shortcuts import ReconnectMixin
from psycopg2 import BINARY, errors
from psycopg2.extensions import new_type, register_type

from embed.db.failures import find_reason
from embed.settings import SettingsError, find_database_file

db = DatabaseProxy()

_log = logging.getLogger(__name__)

_SQLITE_PRAGMAS = {
    "synchronous": "full",  # committed transactions survive a power failure
    "foreign_keys": 1,
}
LOCK_TIMEOUT_MS = 3_000  # to wait for another transaction's lock
_LOOK_FOR_FILE_S = 1.0  # how often a reading connection checks that its file still exists
# When to give up on a silent server: in seconds, except for tcp_user_timeout in milliseconds
# (https://www.postgresql.org/docs/current/libpq-connect.html).
_CONNECTION_LIMITS = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
# bytes, as SQLite returns them, instead of psycopg2's memoryview.
_BYTES = new_type(BINARY.values, "BYTES", lambda raw, cursor: raw and bytes(BINARY(raw, cursor)))


def open_database(url: str) -> Database:
    """Make `url` the database that every model reads and writes; connects at first use.

    ``sqlite:///path`` is relative to the project's folder, ``sqlite:////path`` is absolute.
    """
    database = make_database(url)
    db.initialize(database)
    return database


def make_database(url: str) -> Database:
    """Return a database that isn't the models' own; connects at first use."""
    path = find_database_file(url)
    return _open_postgres(url) if path is None else _ServiceSqliteDatabase(path)


def create_if_missing(database: Database) -> None:
    """Create SQLite's file, readable by its user only; SQLite itself would follow the umask.

    SQLite gives its other files the permissions of this one. Raises SettingsError.
    """
    if not isinstance(database, _ServiceSqliteDatabase):
        return
    try:
        if database.path.exists():
            return
        database.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        database.path.touch(mode=0o600)
    except OSError as error:
        raise SettingsError(f"DATABASE_URL: the file cannot be created: {error}") from None


def read_server_version() -> str:
    """Return the kind and version of the models' database, such as ``Postgres 17.2``."""
    is_postgres = isinstance(db.obj, PostgresqlDatabase)
    version = "current_setting('server_version')" if is_postgres else "sqlite_version()"
    ((number,),) = db.execute_sql(f"SELECT {version}").fetchall()
    return f"{'Postgres' if is_postgres else 'SQLite'} {number}"


def find_missing_file() -> Path | None:
    """Return the file of the models' database if that's SQLite and the file doesn't exist."""
    database = db.obj
    if not isinstance(database, _ServiceSqliteDatabase):
        return None
    with suppress(PermissionError):  # it may exist in a folder that this user can't read
        if not database.path.exists():
            return database.path
    return None


class SqliteFile(SqliteDatabase):
    """A SQLite file that is opened without changing it."""

    def rollback(self) -> None:
        """End the transaction, unless SQLite already did, as it does when a disk is full."""
        if self.connection().in_transaction:
            super().rollback()


class _ServiceSqliteDatabase(SqliteFile):
    """The service's file; an upgrade creates it, but merely reading it doesn't."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path.as_uri()}?mode=rw",
            uri=True,
            pragmas=_SQLITE_PRAGMAS,
            timeout=LOCK_TIMEOUT_MS / 1000,
            # A transaction that reads before it writes would fail immediately if another one wrote
            # in between. So every transaction takes the write lock when it begins.
            lock_type="IMMEDIATE",
        )
        self.path = path
        self._opened = threading.local()

    def _connect(self) -> Any:
        connection = super()._connect()  # type: ignore[misc]  # its stubs lack it
        _switch_to_wal(connection)
        self._opened.file = self.path.stat()
        self._opened.look_again_at = time.monotonic() + _LOOK_FOR_FILE_S
        return connection

    def cursor(self, named_cursor: Any = None) -> Any:
        """Return a cursor, from a new connection if the file was deleted or replaced."""
        if not self.is_closed() and time.monotonic() >= self._opened.look_again_at:
            self._look_for_file()
        return super().cursor(named_cursor)

    def begin(self, lock_type: str | None = None) -> None:
        """Begin a transaction in the current file.

        Writes to a deleted file are lost, and SQLite doesn't report it.
        """
        if not self.is_closed():
            self._look_for_file()
        super().begin(lock_type)

    def _look_for_file(self) -> None:
        """Close a connection if its file was deleted or replaced, but not in a transaction."""
        self._opened.look_again_at = time.monotonic() + _LOOK_FOR_FILE_S
        if self.connection().in_transaction:
            return
        try:
            is_there = samestat(self.path.stat(), self._opened.file)
        except OSError:
            is_there = False
        if not is_there:
            self.close()


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Let readers and one writer work at the same time; the file keeps this mode.

    If several connections switch a new file at once, SQLite fails all but one without waiting.
    """
    deadline = time.monotonic() + LOCK_TIMEOUT_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = wal")
            return
        except sqlite3.OperationalError as error:
            is_busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not is_busy or time.monotonic() >= deadline:
                raise
        time.sleep(0.01)  # SQLite's own lock timeout doesn't cover this case


def _open_postgres(url: str) -> Database:
    # A server that accepts connections but doesn't answer, or whose machine is gone, must not
    # block every thread. The address can set other limits.
    limits: dict[str, Any] = {
        name: value for name, value in _CONNECTION_LIMITS.items() if name not in url
    }
    return _ServicePostgresDatabase(url, **limits)


class _ServicePostgresDatabase(ReconnectMixin, PostgresqlDatabase):  # type: ignore[misc]  # it has no types
    """Uses UTF-8, waits for locks for a limited time, and copes with a server that restarts.

    A statement that finds its connection closed, outside a transaction or at the start of one, is
    sent again. A pooler may give a connection to others after each transaction, so no setting is
    made for a whole connection: every statement gets its own transaction, at two more round trips.
    """

    _is_pooled = False

    reconnect_errors = (
        (OperationalError, "terminating connection"),
        (OperationalError, "server closed the connection"),
        (OperationalError, "SSL connection has been closed"),
        (OperationalError, "SSL SYSCALL error: EOF"),
    )

    def _connect(self) -> Any:
        """Raises InterfaceError for an encoding other than UTF-8, which can't store all names."""
        connection = super()._connect()
        encoding = connection.info.parameter_status("server_encoding")
        if encoding not in ("UTF8", None):
            connection.close()
            raise InterfaceError(
                f"its encoding is {encoding}, and the service needs UTF8: create the database"
                " with createdb --encoding UTF8 --template template0."
            )
        register_type(_BYTES, connection)
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            (process,) = cursor.fetchone()
            self._is_pooled = process != connection.info.backend_pid  # poolers make this one up
            if not self._is_pooled:
                cursor.execute(f"SET lock_timeout = {LOCK_TIMEOUT_MS}")
        return connection

    def begin(self, isolation_level: Any = None) -> None:
        # In the same statement as BEGIN, to save a round trip to the server.
        level = isolation_level or "READ COMMITTED"
        super().begin(f"{level}; SET LOCAL lock_timeout = {LOCK_TIMEOUT_MS}")

    def execute_sql(self, sql: str, params: Any = None) -> Any:
        """Raises OperationalError, also when a standby or a full disk doesn't allow writes."""
        is_bounded = self.in_transaction() or not self._is_pooled
        try:
            with nullcontext() if is_bounded else self.transaction():
                return super().execute_sql(sql, params)
        except InternalError as error:
            reason = find_reason(error)
            if isinstance(reason, errors.ReadOnlySqlTransaction):
                raise OperationalError(reason, *error.args) from error
            raise


def lock_rows(query: Any, strength: str = "FOR UPDATE") -> Any:
    """Return a query that also locks the rows it finds until the transaction ends.

    On SQLite, which locks the whole database instead, the query stays unchanged.
    """
    return query.for_update(strength) if db.for_update else query


@contextmanager
def best_effort() -> Iterator[None]:
    """Log a failed transaction instead of raising, where no answer depends on it."""
    try:
        yield
    except PeeweeException as error:
        _log.warning("Not saved for the dashboard: %s", error)
        if not db.is_connection_usable():
            db.close()
