"""The database connection and schema upgrades.

Each thread keeps its connection open: opening one costs more than most requests.
"""

import logging
import os
import select
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from peewee import (
    Database,
    DatabaseProxy,
    IntegrityError,
    InternalError,
    OperationalError,
    PeeweeException,
    PostgresqlDatabase,
    ProgrammingError,
    SqliteDatabase,
)
from playhouse.migrations import Migration, Runner
from psycopg import errors
from psycopg.pq import TransactionStatus
from psycopg.pq.abc import PGconn

from embed.db.lock_waits import choose_ms, impatience, longest_ms, waiting_for
from embed.errors import InvalidInput
from embed.settings import SettingsError
from embed.settings.files import find_database_file

MIGRATIONS_DIR = Path(__file__).parent / "migrations"

db = DatabaseProxy()

_log = logging.getLogger(__name__)

# An arbitrary number that no other program's advisory locks use.
_UPGRADE_LOCK = 7_013_508_215

_SQLITE_PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",  # committed transactions survive a power failure
    "foreign_keys": 1,
}
_WRITE_LOCK = "sqlite"  # its name in lock_waits
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
    return _open_postgres(url) if path is None else _open_sqlite(path)


def _open_sqlite(path: Path) -> Database:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"DATABASE_URL: the folder cannot be created: {error}") from None
    return _PrivateSqliteDatabase(
        str(path),
        pragmas=_SQLITE_PRAGMAS,
        # A transaction that reads before it writes would fail at once if another wrote in
        # between. So every transaction takes the write lock when it begins.
        lock_type="IMMEDIATE",
    )


class _PrivateSqliteDatabase(SqliteDatabase):
    """Creates its file for its user alone, where SQLite would follow the umask.

    SQLite gives its other files the permissions of this one.
    """

    def _connect(self) -> Any:
        with suppress(OSError):  # it exists, or connecting will tell what is wrong
            os.close(os.open(self.database, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        connection = super()._connect()  # type: ignore[misc]  # its stubs lack it
        connection.execute(f"PRAGMA busy_timeout = {longest_ms()}")
        return connection

    def begin(self, lock_type: str | None = None) -> None:
        """Begin a transaction, which takes the write lock."""
        wait_ms = choose_ms(_WRITE_LOCK)
        self.execute_sql(f"PRAGMA busy_timeout = {wait_ms}")  # type: ignore[no-untyped-call]
        with waiting_for(_WRITE_LOCK):
            super().begin(lock_type)

    def rollback(self) -> None:
        """End the transaction, unless SQLite did so itself, as it does where a disk is full."""
        if self.connection().in_transaction:  # type: ignore[no-untyped-call]
            super().rollback()


def _open_postgres(url: str) -> Database:
    # A server that accepts connections but does not answer, or whose machine is gone, must not
    # block every thread. The address may have other limits.
    limits: dict[str, Any] = {
        name: value for name, value in _CONNECTION_LIMITS.items() if name not in url
    }
    return _PatientPostgresDatabase(url, prefer_psycopg3=True, **limits)


class _PatientPostgresDatabase(PostgresqlDatabase):
    """Waits for locks no longer than the thread may, and copes with servers that come and go."""

    def _connect(self) -> Any:
        connection = super()._connect()  # type: ignore[misc]  # its stubs lack it
        connection.execute(f"SET lock_timeout = {longest_ms()}")
        return connection

    def begin(self, isolation_level: str | None = None) -> None:
        super().begin(isolation_level)
        _shorten_lock_timeout(self, choose_ms())

    def cursor(self, named_cursor: Any = None) -> Any:
        """Return a cursor, of a new connection if the server has dropped the one of this thread.

        Not inside a transaction, some of whose statements would then be lost.
        """
        if not self.is_closed() and _is_dropped(self.connection().pgconn):  # type: ignore[no-untyped-call]
            self.close()
        return super().cursor(named_cursor)  # type: ignore[no-untyped-call]

    def execute_sql(self, sql: str, params: Any = None) -> Any:
        """Raises OperationalError also where a standby or a full disk allows no writes."""
        try:
            return super().execute_sql(sql, params)  # type: ignore[no-untyped-call]
        except InternalError as error:
            reason = getattr(error, "orig", None)
            if isinstance(reason, errors.ReadOnlySqlTransaction):
                raise OperationalError(reason, *error.args) from error
            raise


def _shorten_lock_timeout(database: Any, wait_ms: int) -> None:
    if wait_ms < longest_ms():
        database.execute_sql(f"SET LOCAL lock_timeout = {wait_ms}")


def _is_dropped(connection: PGconn) -> bool:
    """Tell whether an idle connection was closed by its server.

    A server says something to an idle client only then, and when its own settings change.
    """
    if connection.transaction_status != TransactionStatus.IDLE:
        return False
    look = select.poll()
    look.register(connection.socket, select.POLLIN)
    return bool(look.poll(0))


@contextmanager
def locking_row(row_id: str) -> Iterator[None]:
    """Wait hardly at all in the block, and in this transaction, if the row has been held for long.

    SQLite has no locks of rows.
    """
    if not db.for_update:
        yield
        return
    _shorten_lock_timeout(db.obj, choose_ms(row_id))
    with waiting_for(row_id):
        yield


@contextmanager
def best_effort() -> Iterator[None]:
    """Log a failed transaction, instead of raising, where no answer depends on it.

    It hardly waits for locks.
    """
    try:
        with impatience():
            yield
    except PeeweeException as error:
        _log.warning("Not saved for the dashboard: %s", error)
        if not db.is_connection_usable():
            db.close()


class NewerDatabase(ProgrammingError):
    """The database was upgraded by a newer version, which this one does not know."""

    def __init__(self, unknown: Sequence[str]) -> None:
        super().__init__(
            f"The database was upgraded by a newer version of this service ({', '.join(unknown)})."
            " Run that version, or go back as docs/operating.md says under Upgrades."
        )


def upgrade(database: Any = None, *, last: str | None = None) -> list[str]:
    """Apply all missing migrations in one transaction, and return their names.

    Another `database` than the models' may be given, and the `last` migration to apply. Several
    servers may start at once: one upgrades, the others wait for it. Raises NewerDatabase.
    """
    database = database or db.obj
    with _changing_schema(database):
        check_not_newer(database)
        applied: list[str] = _make_runner(database).up(last)
        if applied:
            _check_references(database)
        return applied


def find_revertible() -> tuple[str, str]:
    """Return the name of the newest migration, and what reverting it loses.

    Raises NewerDatabase, InvalidInput if it cannot be reverted.
    """
    check_not_newer()
    applied = [migration for migration in _make_runner(db.obj).status() if migration.applied]
    if not applied:
        raise InvalidInput("The database has no tables of this service.")
    module = applied[-1].load()
    if not hasattr(module, "down"):
        raise InvalidInput(f"{applied[-1].name} cannot be undone: restore the backup from before.")
    return applied[-1].name, module.LOST


def downgrade(name: str) -> None:
    """Undo a migration, which is the newest one, in one transaction."""
    with _changing_schema(db.obj):
        _make_runner(db.obj).down(name)
        _check_references(db.obj)


@contextmanager
def _changing_schema(database: Any) -> Iterator[None]:
    """Run a transaction in which nobody else changes the schema."""
    with _without_cascades(database), database.atomic():
        if not _is_sqlite(database):
            database.execute_sql("SET LOCAL lock_timeout = 0")
            database.execute_sql("SELECT pg_advisory_xact_lock(%s)", (_UPGRADE_LOCK,))
        yield


def check_not_newer(database: Any = None) -> None:
    """Raises NewerDatabase."""
    unknown = list_unknown_migrations(database)
    if unknown:
        raise NewerDatabase(unknown)


@contextmanager
def _without_cascades(database: Any) -> Iterator[None]:
    """Switch SQLite's foreign keys off: dropping a table would delete the rows that refer to it.

    SQLite ignores the setting inside a transaction (https://sqlite.org/lang_altertable.html,
    "Making Other Kinds Of Table Schema Changes").
    """
    if not _is_sqlite(database):
        yield
        return
    database.execute_sql("PRAGMA foreign_keys = 0")
    try:
        if database.execute_sql("PRAGMA foreign_keys").fetchone()[0]:
            raise ProgrammingError("An upgrade cannot begin inside a transaction.")
        yield
    finally:
        database.execute_sql("PRAGMA foreign_keys = 1")


def _is_sqlite(database: object) -> bool:
    return isinstance(database, SqliteDatabase)


def _check_references(database: Any) -> None:
    """Raises IntegrityError if a foreign key refers to no row; Postgres checks this itself."""
    if _is_sqlite(database):
        broken = database.execute_sql("PRAGMA foreign_key_check").fetchone()
        if broken is not None:
            raise IntegrityError(f"A row of {broken[0]} refers to no row of {broken[2]}.")


def list_missing_migrations() -> list[str]:
    return [migration.name for migration in _make_runner(db.obj).status() if not migration.applied]


def list_unknown_migrations(database: Any = None) -> list[str]:
    """Return the names of those that a newer version has applied."""
    status = _make_runner(database or db.obj).status()
    return [migration.name for migration in status if migration.path is None]


def list_applied_migrations() -> list[str]:
    """Return the names of those that the database has, in order."""
    return [migration.name for migration in _make_runner(db.obj).status() if migration.applied]


def list_migrations() -> list[str]:
    """Return the names of all migrations of this version, in order."""
    return [migration.name for migration in Migration.load_directory(str(MIGRATIONS_DIR))]


def _make_runner(database: Any) -> Runner:
    return Runner(database, str(MIGRATIONS_DIR))
