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
from psycopg import errors

from embed.settings import SettingsError, find_database_file

db = DatabaseProxy()

_log = logging.getLogger(__name__)

_SQLITE_PRAGMAS = {
    "synchronous": "full",  # committed transactions survive a power failure
    "foreign_keys": 1,
}
LOCK_TIMEOUT_MS = 3_000  # for a lock that another transaction holds
_LOOK_FOR_FILE_S = 1.0  # how often a connection that reads looks whether its file is still there
# When a server that says nothing is given up: seconds, but for tcp_user_timeout
# (https://www.postgresql.org/docs/current/libpq-connect.html).
_CONNECTION_LIMITS = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}


def open_database(url: str) -> Database:
    """Make `url` the database that every model reads and writes; connects at first use.

    ``sqlite:///path`` is relative to the project's folder, ``sqlite:////path`` is absolute.
    """
    database = make_database(url)
    db.initialize(database)
    return database


def make_database(url: str) -> Database:
    """Return a database that no model uses; connects at first use."""
    path = find_database_file(url)
    return _open_postgres(url) if path is None else _ServiceSqliteDatabase(path)


def create_if_missing(database: Database) -> None:
    """Create SQLite's file for its user alone, where SQLite would follow the umask.

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
    """Return the file of the models' database, if that is one of SQLite and does not exist."""
    database = db.obj
    if not isinstance(database, _ServiceSqliteDatabase):
        return None
    with suppress(PermissionError):  # it may exist where this user may not look
        if not database.path.exists():
            return database.path
    return None


class SqliteFile(SqliteDatabase):
    """A file that is opened as it is."""

    def rollback(self) -> None:
        """End the transaction, unless SQLite did so itself, as it does where a disk is full."""
        if self.connection().in_transaction:
            super().rollback()


class _ServiceSqliteDatabase(SqliteFile):
    """A file that an upgrade creates, and nobody who merely looks into it."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path.as_uri()}?mode=rw",
            uri=True,
            pragmas=_SQLITE_PRAGMAS,
            timeout=LOCK_TIMEOUT_MS / 1000,
            # A transaction that reads before it writes would fail at once if another wrote in
            # between. So every transaction takes the write lock when it begins.
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
        """Return a cursor, of a new connection if the file is gone or another one."""
        if not self.is_closed() and time.monotonic() >= self._opened.look_again_at:
            self._look_for_file()
        return super().cursor(named_cursor)

    def begin(self, lock_type: str | None = None) -> None:
        """Begin a transaction in the file that is there now.

        What is written to a deleted file is lost, and SQLite does not say so.
        """
        if not self.is_closed():
            self._look_for_file()
        super().begin(lock_type)

    def _look_for_file(self) -> None:
        """Close a connection to another file than the present one, but not in a transaction."""
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
    """Let readers and one writer work at the same time, from now on for all who open the file.

    Of those that switch a new file at once, SQLite lets all but one fail without waiting.
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
        time.sleep(0.01)  # SQLite's own waiting for locks leaves out this case


def _open_postgres(url: str) -> Database:
    # A server that accepts connections but does not answer, or whose machine is gone, must not
    # block every thread. The address may have other limits.
    limits: dict[str, Any] = {
        name: value for name, value in _CONNECTION_LIMITS.items() if name not in url
    }
    # A pooler gives each transaction another connection to the server, which does not know the
    # statements that were prepared on the last one. To prepare none costs some 100 us for each.
    return _ServicePostgresDatabase(url, prefer_psycopg3=True, prepare_threshold=None, **limits)


class _ServicePostgresDatabase(ReconnectMixin, PostgresqlDatabase):  # type: ignore[misc]  # it has no types
    """Uses UTF-8, waits for locks for a limited time, and copes with a server that restarts.

    What finds its connection closed, outside a transaction or at its beginning, is sent again.
    Nothing is set for a whole connection to a pooler, which may give it to others after a
    transaction: every statement gets a transaction there, which costs two more trips to the server.
    """

    _is_pooled = False

    reconnect_errors = (
        (OperationalError, "terminating connection"),
        (OperationalError, "server closed the connection"),
    )

    def _connect(self) -> Any:
        """Raises InterfaceError for another encoding than UTF-8, in which names would be lost."""
        connection = super()._connect()
        encoding = connection.info.parameter_status("server_encoding")
        if encoding not in ("UTF8", None):
            connection.close()
            raise InterfaceError(
                f"its encoding is {encoding}, and the service needs UTF8: create the database"
                " with createdb --encoding UTF8 --template template0."
            )
        (process,) = connection.execute("SELECT pg_backend_pid()").fetchone()
        self._is_pooled = process != connection.info.backend_pid  # which poolers make up
        if not self._is_pooled:
            connection.execute(f"SET lock_timeout = {LOCK_TIMEOUT_MS}")
        return connection

    def begin(self, isolation_level: Any = None) -> None:
        # Together with what begins the transaction, as it would take another trip to the server.
        level = isolation_level or "READ COMMITTED"
        super().begin(f"{level}; SET LOCAL lock_timeout = {LOCK_TIMEOUT_MS}")

    def execute_sql(self, sql: str, params: Any = None) -> Any:
        """Raises OperationalError also where a standby or a full disk allows no writes."""
        is_bounded = self.in_transaction() or not self._is_pooled
        try:
            with nullcontext() if is_bounded else self.transaction():
                return super().execute_sql(sql, params)
        except InternalError as error:
            reason = getattr(error, "orig", None)
            if isinstance(reason, errors.ReadOnlySqlTransaction):
                raise OperationalError(reason, *error.args) from error
            raise


def lock_rows(query: Any, strength: str = "FOR UPDATE") -> Any:
    """Return a query that also locks the rows that it finds until the transaction ends.

    SQLite, which locks the whole database instead, gets the query as it is.
    """
    return query.for_update(strength) if db.for_update else query


@contextmanager
def best_effort() -> Iterator[None]:
    """Log a failed transaction, instead of raising, where no answer depends on it."""
    try:
        yield
    except PeeweeException as error:
        _log.warning("Not saved for the dashboard: %s", error)
        if not db.is_connection_usable():
            db.close()


def is_lock_held(error: OperationalError) -> bool:
    """Tell whether a statement failed because it waited too long for a lock."""
    reason = getattr(error, "orig", None)
    if isinstance(reason, sqlite3.Error):
        return reason.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY  # the rest says why
    return isinstance(reason, errors.LockNotAvailable)
