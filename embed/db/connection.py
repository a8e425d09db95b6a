"""The one database: opened from its address, brought to this version, asked in transactions.

A connection stays open per thread: opening one costs more than most requests.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from peewee import (
    Database,
    DatabaseProxy,
    IntegrityError,
    InterfaceError,
    OperationalError,
    PeeweeException,
    PostgresqlDatabase,
    ProgrammingError,
    SqliteDatabase,
)
from playhouse.migrations import Runner

from embed.settings import PROJECT_DIR, SettingsError

MIGRATIONS_DIR = Path(__file__).parent / "migrations"

db = DatabaseProxy()

_log = logging.getLogger(__name__)

# Any number will do, as long as it is this project's own.
_UPGRADE_LOCK = 7_013_508_215

_SQLITE_PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",  # what was acknowledged survives a power cut
    "foreign_keys": 1,
}
_BUSY_TIMEOUT_S = 20
_CONNECT_TIMEOUT_S = 5


def open_database(url: str) -> Database:
    """Make `url` the database that every model reads and writes; connects at first use.

    ``sqlite:///path`` counts from the project's folder, ``sqlite:////path`` from the root.
    """
    database = _open_sqlite(url) if url.startswith("sqlite:") else _open_postgres(url)
    db.initialize(database)
    return database


def _open_sqlite(url: str) -> Database:
    path = PROJECT_DIR / unquote(url.removeprefix("sqlite:///"))
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"DATABASE_URL: the folder cannot be made: {error}") from None
    return SqliteDatabase(
        str(path),
        pragmas=_SQLITE_PRAGMAS,
        timeout=_BUSY_TIMEOUT_S,
        # A transaction that reads first and then wants to write would fail at once
        # when another wrote in between; so it takes the write lock at its start.
        lock_type="IMMEDIATE",
    )


def _open_postgres(url: str) -> Database:
    # A server that is there but silent must not hold every thread, unless the address says so.
    limits: dict[str, Any] = {}
    if "connect_timeout" not in url:
        limits["connect_timeout"] = _CONNECT_TIMEOUT_S
    return PostgresqlDatabase(url, prefer_psycopg3=True, **limits)


def fetch_first(sql: str, parameters: Sequence[Any]) -> Any:
    """Return the first row of what a request asks first, or None.

    A server may drop a connection that lay idle; then the question is put once more, over a
    new one. No later statement is repeated, as it may have had its effect.
    """
    try:
        return db.execute_sql(sql, parameters).fetchone()
    except (OperationalError, InterfaceError):
        if db.is_closed() or db.is_connection_usable():
            raise
        db.close()
        return db.execute_sql(sql, parameters).fetchone()


def discard_broken_connection() -> None:
    """Close this thread's connection if the server has gone; the next use opens a new one."""
    if not db.is_connection_usable():
        db.close()


@contextmanager
def best_effort() -> Iterator[None]:
    """Log a failure to keep what no answer depends on, instead of raising it."""
    try:
        yield
    except PeeweeException as error:
        _log.warning("Not kept for the dashboard: %s", error)
        discard_broken_connection()


def upgrade() -> list[str]:
    """Apply what is missing, all or nothing, and return the names of what was applied.

    Several servers may start at once: one upgrades, the others wait and find nothing to do.
    """
    with _without_cascades(), db.atomic():
        if isinstance(db.obj, PostgresqlDatabase):
            db.execute_sql("SELECT pg_advisory_xact_lock(%s)", (_UPGRADE_LOCK,))
        applied: list[str] = _runner().up()
        if applied:
            _check_references()
        return applied


@contextmanager
def _without_cascades() -> Iterator[None]:
    """Let SQLite's tables be built anew: dropping one deletes what refers to its rows.

    SQLite ignores the setting inside a transaction (https://sqlite.org/lang_altertable.html,
    "Making Other Kinds Of Table Schema Changes").
    """
    if not isinstance(db.obj, SqliteDatabase):
        yield
        return
    db.execute_sql("PRAGMA foreign_keys = 0")
    try:
        if db.execute_sql("PRAGMA foreign_keys").fetchone()[0]:
            raise ProgrammingError("An upgrade cannot begin inside a transaction.")
        yield
    finally:
        db.execute_sql("PRAGMA foreign_keys = 1")


def _check_references() -> None:
    """Raises IntegrityError for a row that refers to nothing, which Postgres cannot hold."""
    if isinstance(db.obj, SqliteDatabase):
        broken = db.execute_sql("PRAGMA foreign_key_check").fetchone()
        if broken is not None:
            raise IntegrityError(f"A row of {broken[0]} refers to no row of {broken[2]}.")


def list_missing_migrations() -> list[str]:
    return [migration.name for migration in _runner().status() if not migration.applied]


def _runner() -> Runner:
    return Runner(db.obj, str(MIGRATIONS_DIR))
